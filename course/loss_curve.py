"""The picture of a running training in a notebook: one line of text, a bar, and the loss over what is done, as SVG.

Made by hand, so that it can be drawn four times a second and needs no plotting package; it takes the ink of the page
(currentColor) and so fits light and dark themes. Colour: Okabe-Ito blue, the model's colour in this course.
"""

from __future__ import annotations

import base64
import html
import math

from course_lib.language import columns, t
from course_lib.progress import Progress, View, number

BLUE = "#0072B2"
WIDTH, HEAD, PLOT = 640, 40, 180  # pixels: whole width, height of line and bar, height of the curve
LEFT, RIGHT, BOTTOM = 52, 24, 36  # pixels around the curve
MOST_POINTS = 160


class LossCurve:
    """Losses over units done, in at most 160 points: when full, neighbours are averaged in pairs."""

    def __init__(self) -> None:
        self.points: list[tuple[float, float]] = []  # (units done, mean loss)
        self._per_point = 1
        self._waiting: list[float] = []

    def add(self, done: float, loss: float) -> None:
        if not math.isfinite(loss):
            return
        self._waiting.append(loss)
        if len(self._waiting) < self._per_point:
            return
        self.points.append((done, sum(self._waiting) / len(self._waiting)))
        self._waiting.clear()
        if len(self.points) == MOST_POINTS:
            pairs = zip(self.points[::2], self.points[1::2], strict=True)
            self.points = [(second[0], (first[1] + second[1]) / 2) for first, second in pairs]
            self._per_point *= 2

    def smooth(self) -> list[tuple[float, float]]:
        """Means over a window of a tenth of the points, centred on each."""
        reach = len(self.points) // 20
        losses = [loss for _, loss in self.points]
        windows = [losses[max(0, i - reach) : i + reach + 1] for i in range(len(losses))]
        return [(done, sum(window) / len(window)) for (done, _), window in zip(self.points, windows, strict=True)]


class NotebookView(View):
    """One output, drawn again and again; the last picture is an image, shown in a notebook that is not trusted too."""

    def __init__(self) -> None:
        self._handle, self.curve = None, LossCurve()

    def point(self, done: float, loss: float) -> None:
        self.curve.add(done, loss)

    def show(self, bar: Progress, state: str) -> None:
        from IPython.display import display

        line = bar.line(state)
        if state == "running":
            picture = draw(line, bar.share, self.curve, unit=bar.unit, end=bar.total, ink="currentColor")
        else:
            grey = "#767676"  # 4.5 : 1 on white, on black
            still = draw(line, None, self.curve, unit=bar.unit, end=bar.done, ink=grey)
            source = base64.b64encode(still.encode()).decode()
            picture = f'<img alt="{html.escape(line)}" src="data:image/svg+xml;base64,{source}">'
        bundle = {"text/plain": line, "text/html": picture}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


def draw(line: str, share: float | None, curve: LossCurve, *, unit: str, end: float | None, ink: str) -> str:
    """SVG of the line, the bar (unless `share` is None) and the curve from 0 to `end` (None: to the last point)."""
    plot = _plot(curve, unit, end, ink) if len(curve.points) > 1 else ""
    head = HEAD if share is not None else HEAD - 12
    height = head + (PLOT if plot else 0)
    said = _text(line)
    bar = ""
    if share is not None:
        bar = (
            f'<rect y="28" width="{WIDTH}" height="6" rx="3" fill="{ink}" fill-opacity=".15"/>'
            f'<rect y="28" width="{WIDTH * share:.1f}" height="6" rx="3" fill="{BLUE}"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="{said}" style="max-width:100%;height:auto;font:13px system-ui,sans-serif" '
        f'fill="{ink}" font-variant-numeric="tabular-nums"><title>{said}</title>'
        f'<text y="17">{_text(_cut(line, 96))}</text>{bar}<g transform="translate(0 {head})">{plot}</g></svg>'
    )


def _plot(curve: LossCurve, unit: str, end: float | None, ink: str) -> str:
    smooth = curve.smooth()
    losses = [loss for _, loss in curve.points]
    low, high = min(losses), max(losses)
    margin = 0.06 * (high - low) or 0.05 * abs(high) or 1.0
    low, high = low - margin, high + margin
    end = max(end or 0.0, curve.points[-1][0]) or 1.0

    def x(done: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * done / end

    def y(loss: float) -> float:
        return 8 + (PLOT - 8 - BOTTOM) * (high - loss) / (high - low)

    def path(points: list[tuple[float, float]]) -> str:
        return "M" + " ".join(f"{x(done):.1f} {y(loss):.1f}" for done, loss in points)

    marks = [
        f'<path d="M{LEFT} {y(loss):.1f}H{WIDTH - RIGHT}" stroke="{ink}" stroke-opacity=".14"/>'
        f'<text x="{LEFT - 7}" y="{y(loss) + 4:.1f}" text-anchor="end">{label}</text>'
        for loss, label in ticks(low, high, 4)
    ]
    marks += [
        f'<path d="M{x(done):.1f} {PLOT - BOTTOM}v4" stroke="{ink}" stroke-opacity=".6"/>'
        f'<text x="{x(done):.1f}" y="{PLOT - BOTTOM + 17}" text-anchor="middle">{label}</text>'
        for done, label in ticks(0.0, end, 5)
    ]
    last_x, last_y = x(smooth[-1][0]), y(smooth[-1][1])
    return (
        f'<g font-size="12">{"".join(marks)}'
        f'<path d="M{LEFT} {PLOT - BOTTOM}H{WIDTH - RIGHT}" stroke="{ink}" stroke-opacity=".6"/>'
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{PLOT - 4}" text-anchor="middle">{_text(t(unit))}</text>'
        f'<text transform="translate(11 {(PLOT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{_text(t('loss'))}</text></g>"
        f'<path d="{path(curve.points)}" fill="none" stroke="{BLUE}" stroke-opacity=".35"/>'
        f'<path d="{path(smooth)}" fill="none" stroke="{BLUE}" stroke-width="2.2" stroke-linejoin="round"/>'
        f'<circle cx="{last_x:.1f}" cy="{last_y:.1f}" r="3.5" fill="{BLUE}"/>'
    )


def ticks(low: float, high: float, about: int = 8) -> list[tuple[float, str]]:
    """Round numbers (1, 2 or 5 times a power of ten apart) from `low` to `high`, with their labels."""
    rough = (high - low) / about
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    places = range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    return [(place * step, number(place * step) if digits == 0 else f"{place * step:.{digits}f}") for place in places]


def _cut(text: str, length: int) -> str:
    """At most `length` columns."""
    if columns(text) <= length:
        return text
    while columns(text) > length - 1:
        text = text[:-1]
    return text + "…"


def _text(text: str) -> str:
    """Any text as text: no markup, and none of the control signs that XML forbids."""
    return html.escape("".join(sign if sign.isprintable() else " " for sign in text))
