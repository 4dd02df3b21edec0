"""Progress of a long step: a bar with a live loss curve in a notebook, one line in a terminal, a few lines elsewhere.

Needs no notebook package: where IPython runs a kernel it is loaded already. The picture is in course_lib/loss_curve.py.
"""

from __future__ import annotations

import base64
import html
import shutil
import sys
import threading
import time

from course_lib.language import key, t, t_label
from course_lib.loss_curve import LossCurve, draw, duration, number

SECONDS_BETWEEN_PICTURES = 0.25
SECONDS_BEFORE_PLAIN_LINES, MOST_SECONDS_BETWEEN_LINES = 10.0, 600.0


class Progress:
    """`with Progress("skip-gram", total=words, unit="words") as bar: bar.update(done, loss=loss)`.

    `update` may be called as often as one likes, from any thread; it draws at most four times a second.
    show: True, False or "auto" (as True, but outside notebooks and terminals silent for the first ten seconds).
    start: units done before, when a step goes on after an interruption.
    """

    def __init__(
        self,
        label: str,
        *,
        total: float | None = None,
        unit: str = key("steps"),
        show: bool | str = "auto",
        start: float = 0,
    ) -> None:
        self.label, self.total, self.unit, self.start = label, total, unit, start
        self.done, self.loss, self.notes, self.curve = start, None, {}, LossCurve()
        self._view = _choose_view(show)
        self._lock = threading.Lock()
        self._began = self._drawn = time.monotonic()
        self._closed = False

    def __enter__(self) -> Progress:
        self._began = self._drawn = time.monotonic()
        self._view.show(self, "running")
        return self

    def __exit__(self, kind, error, trace) -> None:
        self.close(failed=error is not None)

    def update(self, done: float, *, loss: float | None = None, **notes: object) -> None:
        """`done`: units finished so far (not an increment). `loss`: a point of the curve. `notes`: beside the bar.

        Notes stay until they get another value; floats are shown with four digits.
        """
        with self._lock:
            self.done = done
            if loss is not None:
                self.loss = loss
                self.curve.add(done, loss)
            self.notes.update(notes)
            if time.monotonic() - self._drawn >= SECONDS_BETWEEN_PICTURES and not self._closed:
                self._drawn = time.monotonic()
                self._view.show(self, "running")

    def watch(self, step: int, record: dict) -> None:
        """A watcher for `fit`."""
        self.update(step, loss=record["loss"])

    def close(self, *, failed: bool = False) -> None:
        """Leave the last state behind, once; `with` calls it."""
        with self._lock:
            if not self._closed:
                self._closed = True
                short = self.total is not None and self.done < self.total
                self._view.show(self, "stopped" if failed or short else "done")

    def line(self, state: str) -> str:
        """What is known now, in one line: `training: 40 of 200 steps, loss 3.2, 12 s, about 48 s left`."""
        seconds = time.monotonic() - self._began
        unit = t_label(self.unit)
        if state == "done" or self.total is None:
            parts = [t("{n} {unit}", n=number(self.done), unit=unit)]
        else:
            parts = [t("{n} of {all} {unit}", n=number(self.done), all=number(self.total), unit=unit)]
        if self.loss is not None:
            parts.append(t("loss {loss}", loss=f"{self.loss:.4g}"))
        parts += [f"{t_label(name.replace('_', ' '))} {_short(value)}" for name, value in self.notes.items()]
        parts.append(duration(seconds))
        if state == "running" and self.total and self.done > self.start and seconds > 1:
            left = duration(seconds * (self.total - self.done) / (self.done - self.start))
            parts.append(t("about {time} left", time=left))
        label = t_label(self.label)
        return f"{t('{step} (stopped)', step=label) if state == 'stopped' else label}: {', '.join(parts)}"

    @property
    def share(self) -> float | None:
        """Finished part, 0 to 1; None where the total is not known."""
        return min(1.0, self.done / self.total) if self.total else None


class _Notebook:
    """One output, drawn again and again; the last picture is an image, shown in a notebook that is not trusted too."""

    def __init__(self) -> None:
        self._handle = None

    def show(self, bar: Progress, state: str) -> None:
        from IPython.display import display

        line = bar.line(state)
        if state == "running":
            picture = draw(line, bar.share, bar.curve, unit=bar.unit, end=bar.total, ink="currentColor")
        else:
            still = draw(
                line, None, bar.curve, unit=bar.unit, end=bar.done, ink="#767676"
            )  # 4.5 : 1 on white, on black
            source = base64.b64encode(still.encode()).decode()
            picture = f'<img alt="{html.escape(line)}" src="data:image/svg+xml;base64,{source}">'
        bundle = {"text/plain": line, "text/html": picture}
        if self._handle is None:
            self._handle = display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)


class _Terminal:
    """One line, written over and over."""

    def show(self, bar: Progress, state: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        filled = "" if bar.share is None or state != "running" else f"[{'#' * round(20 * bar.share):20}] "
        line = (filled + bar.line(state))[:width].ljust(width)
        print(f"\r{line}", end="" if state == "running" else "\n", file=sys.stderr, flush=True)


class _Lines:
    """A line after ten seconds, twenty, forty, ..., then one every ten minutes, and one at the end."""

    def __init__(self, quiet: bool) -> None:
        self._next, self._quiet = SECONDS_BEFORE_PLAIN_LINES, quiet

    def show(self, bar: Progress, state: str) -> None:
        seconds = time.monotonic() - bar._began
        if seconds >= self._next or (state != "running" and not self._quiet):
            while self._next <= seconds:
                self._next += min(self._next, MOST_SECONDS_BETWEEN_LINES)
            self._quiet = False
            print(bar.line(state), file=sys.stderr, flush=True)


class _Nothing:
    def show(self, bar: Progress, state: str) -> None:
        pass


def _choose_view(show: bool | str) -> _Notebook | _Terminal | _Lines | _Nothing:
    if not show:
        return _Nothing()
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if getattr(shell, "kernel", None) is not None:
        return _Notebook()
    return _Terminal() if sys.stderr.isatty() else _Lines(quiet=show == "auto")


def _short(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
