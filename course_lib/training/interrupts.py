"""Ctrl-C (in a notebook: the stop button) waits for the end of the step, so that no step is left half done."""

from __future__ import annotations

import signal
import threading
from types import FrameType


class Interrupts:
    """`with Interrupts() as interrupts:` — the first one is noted in `asked`; a second one, in `twice`,
    raises KeyboardInterrupt where it comes.

    Outside the main thread, and where someone else handles the signal, nothing is changed.
    """

    def __init__(self) -> None:
        self.asked = self.twice = False
        self._installed = False

    def __enter__(self) -> Interrupts:
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._installed = True
        return self

    def __exit__(self, kind, error, trace) -> None:
        if self._installed:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            self.twice = True
            raise KeyboardInterrupt
        self.asked = True
