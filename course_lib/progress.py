"""Progress of a long step: one line in a terminal, a few lines elsewhere; in a notebook what `in_notebook` gives.

Needs no notebook package: where IPython runs a kernel it is loaded already.
"""

from __future__ import annotations

import shutil
import sys
import threading
import time
from collections.abc import Callable

from course_lib.language import key, language, t, t_label

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
        self.done, self.loss, self.notes = start, None, {}
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
                self._view.point(done, loss)
            self.notes.update(notes)
            if time.monotonic() - self._drawn >= SECONDS_BETWEEN_PICTURES and not self._closed:
                self._drawn = time.monotonic()
                self._view.show(self, "running")

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
        for name, value in self.notes.items():
            said = f"{value:.4g}" if isinstance(value, float) else value
            parts.append(f"{t_label(name.replace('_', ' '))} {said}")
        parts.append(duration(seconds))
        # Before a hundredth is done, most of the time may have gone into what was prepared.
        if state == "running" and self.total and self.done - self.start > self.total / 100 and seconds > 1:
            left = duration(seconds * (self.total - self.done) / (self.done - self.start))
            parts.append(t("about {time} left", time=left))
        label = t_label(self.label)
        return f"{t('{step} (stopped)', step=label) if state == 'stopped' else label}: {', '.join(parts)}"

    @property
    def share(self) -> float | None:
        """Finished part, 0 to 1; None where the total is not known."""
        return min(1.0, self.done / self.total) if self.total else None


class View:
    """Where a Progress is seen; this one is nowhere."""

    def point(self, done: float, loss: float) -> None:
        """A point of the loss curve."""

    def show(self, bar: Progress, state: str) -> None:
        """state: "running", "done" or "stopped"."""


in_notebook: Callable[[], View] | None = None  # put in by who draws there; None: as elsewhere


class _Terminal(View):
    """One line, written over and over."""

    def show(self, bar: Progress, state: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        filled = "" if bar.share is None or state != "running" else f"[{'#' * round(20 * bar.share):20}] "
        line = (filled + bar.line(state))[:width].ljust(width)
        print(f"\r{line}", end="" if state == "running" else "\n", file=sys.stderr, flush=True)


class _Lines(View):
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


def _choose_view(show: bool | str) -> View:
    if not show:
        return View()
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if in_notebook and getattr(shell, "kernel", None) is not None:
        return in_notebook()
    return _Terminal() if sys.stderr.isatty() else _Lines(quiet=show == "auto")


def number(value: float) -> str:
    """12,000 or 1.25 M (125만): what fits under a tick."""
    if abs(value) >= 1e6 and language() == "ko":
        return f"{float(f'{value / 1e4:.4g}'):,.12g}만"
    if abs(value) >= 1e6:
        return f"{value / 1e6:.4g} M"
    return f"{value:,.0f}" if float(value).is_integer() or abs(value) >= 1000 else f"{value:.4g}"


def duration(seconds: float) -> str:
    """8 s, 3 min 05 s, 2 h 10 min."""
    seconds = round(seconds)
    if seconds < 60:
        return t("{n} s", n=seconds)
    if seconds < 3600:
        return t("{m} min {n} s", m=seconds // 60, n=f"{seconds % 60:02}")
    return t("{h} h {m} min", h=seconds // 3600, m=f"{seconds % 3600 // 60:02}")
