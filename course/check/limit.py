"""Stops a call that does not end. What counts is computing time: a debugger may wait."""

from __future__ import annotations

import contextlib
import signal
import threading
import time
from collections.abc import Iterator


class NoEnd(BaseException):
    """The call was stopped. (No `Exception`: an answer's own `except Exception` must not swallow it.)"""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises NoEnd in the block after so many seconds. Only the main thread can be stopped, and not on Windows;
    elsewhere nothing is limited. Another one's handler and timer are put back."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number, frame):
        raise NoEnd

    handler = signal.signal(signal.SIGVTALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)  # again, if a bare `except` caught it
    start = time.process_time()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_VIRTUAL, max(left - (time.process_time() - start), 1e-3), interval)
