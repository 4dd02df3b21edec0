"""A forest plot as SVG: one interval a row, the zero line through all, the band of uninteresting differences behind.

Written directly and not by matplotlib: 2 KB and a millisecond, not 70 KB and a second, ten times a notebook.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from unicodedata import east_asian_width

from course.loss_curve import ticks
from course_lib.evaluation.intervals import Interval
from course_lib.language import t

WIDTH = 680  # CSS pixels
_ROW, _TOP, _AXIS, _RIGHT, _FONT = 22, 8, 44, 22, 12  # pixels; 12 px are 9 pt
_INK, _PAPER, _EDGE, _BAND, _GREY = "#1a1a1a", "#ffffff", "#c9c9c9", "#e4e4e4", "#6b6b6b"
# Okabe-Ito; "" is a control
COLOURS = {"holds": "#0072b2", "contradicted": "#d55e00"} | dict.fromkeys(("open", "cannot judge", ""), _GREY)


@dataclass(frozen=True)
class Row:
    """word: a verdict, or "" for a control. delta and threshold in the unit of the interval."""

    label: str
    interval: Interval
    word: str
    delta: float
    threshold: float = 0.0


def forest_svg(rows: Sequence[Row], unit: str) -> str:
    """The plot with a white ground of its own, so that it is read in light and dark themes alike."""
    left = min(WIDTH // 2, 20 + max(_text_width(row.label) for row in rows))
    right, bottom = WIDTH - _RIGHT, _TOP + _ROW * len(rows)
    low, high = _range(rows)
    height = bottom + _AXIS

    def x(value: float) -> float:
        return round(left + (value - low) / (high - low) * (right - left), 1)

    bands, intervals, labels = [], [], []
    for index, row in enumerate(rows):
        top, y = _TOP + _ROW * index, _TOP + _ROW * (index + 0.5)
        start, end = max(left, x(-row.delta)), min(right, x(row.delta))  # a wide band is cut at the frame
        bands.append(f'<rect x="{start}" y="{top}" width="{end - start:.1f}" height="{_ROW}" fill="{_BAND}"/>')
        intervals.append(_interval(row, x, y))
        labels.append(f'<text x="{left - 10}" y="{y + 4}" text-anchor="end">{escape(row.label)}</text>')
    marks = [
        f'<rect width="{WIDTH}" height="{height}" rx="4" fill="{_PAPER}" stroke="{_EDGE}"/>',
        *bands,
        f'<path d="M{x(0)} {_TOP}V{bottom}" stroke="{_INK}"/>',
        *intervals,
        *labels,
        f'<path d="M{left} {bottom}H{right}" stroke="{_GREY}"/>',
    ]
    for tick, text in ticks(low, high):
        marks.append(f'<path d="M{x(tick)} {bottom}v4" stroke="{_GREY}"/>')
        marks.append(f'<text x="{x(tick)}" y="{bottom + 17}" text-anchor="middle">{text}</text>')
    explained = escape(t("{unit} (grey band: too small to matter)", unit=unit))
    marks.append(f'<text x="{(left + right) / 2}" y="{height - 8}" text-anchor="middle">{explained}</text>')
    style = f'font-family="system-ui,sans-serif" font-size="{_FONT}" fill="{_INK}"'
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {style}>{"".join(marks)}</svg>'


def _range(rows: Sequence[Row]) -> tuple[float, float]:
    """All intervals, 0 and the thresholds; of the bands no more than what leaves the intervals readable."""
    ends = [end for row in rows for end in (row.interval.low, row.interval.high, row.threshold, 0.0)]
    low, high = min(ends), max(ends)
    reach = min(max(row.delta for row in rows), 2 * (high - low))
    low, high = min(low, -reach), max(high, reach)
    margin = 0.04 * (high - low)
    return low - margin, high + margin


def _interval(row: Row, x: Callable[[float], float], y: float) -> str:
    colour, middle = COLOURS[row.word], x(row.interval.estimate)
    line = f'<path d="M{x(row.interval.low)} {y}H{x(row.interval.high)}" stroke="{colour}" stroke-width="2"/>'
    shape = {
        "holds": f'<circle cx="{middle}" cy="{y}" r="5" fill="{colour}"/>',
        "contradicted": f'<path d="M{middle - 5} {y - 5}l10 10m0 -10l-10 10" stroke="{colour}" stroke-width="3"/>',
        "open": f'<path d="M{middle} {y - 6}l6 6l-6 6l-6 -6z" fill="{_PAPER}" stroke="{colour}" stroke-width="2"/>',
        "cannot judge": f'<path d="M{middle - 5} {y - 5}h10v10h-10z" fill="{_PAPER}" stroke="{colour}"/>',
        "": f'<path d="M{middle} {y - 5}v10" stroke="{colour}" stroke-width="2"/>',
    }[row.word]
    if row.threshold:
        shape += f'<path d="M{x(row.threshold)} {y - 11}v22" stroke="{_INK}" stroke-dasharray="2 2"/>'
    return line + shape


def _text_width(text: str) -> float:
    """Pixels, a little too many rather than too few: fonts differ."""
    return _FONT * sum(1.0 if east_asian_width(letter) in "WF" else 0.6 for letter in text)
