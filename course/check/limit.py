"""Stops a call of an answer that has no end: after seconds of computing, or when it fills the memory."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

LIMIT = 6.0  # seconds of computing of one call: trying all paths of exercise 3.4 takes 3.5 on a very busy machine
MEMORY = 500_000_000  # bytes that one call may add
_TICK = 0.2  # seconds of computing between two looks at the clock and the memory


class NoEnd(BaseException):
    """The call was stopped, after so many seconds. (No `Exception`: an answer's own `except Exception` must not swallow
    it.)"""


class TooMuch(NoEnd):
    """The call was stopped because it took more than MEMORY."""


@contextlib.contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises NoEnd in the block after so many seconds of computing (a debugger may wait, another process take its
    time, a library be imported: that does not count), TooMuch when it has taken so much more memory.

    Only the main thread can be stopped, between two steps of Python, and not on Windows; elsewhere nothing is limited.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    tick, left, most = min(_TICK, seconds), seconds, _resident() + MEMORY

    def look(number: int, frame: FrameType | None) -> None:
        nonlocal left
        if _imports(frame):
            return
        left -= tick
        if _resident() > most:
            raise TooMuch
        if left < tick / 2:
            raise NoEnd(f"{seconds:g}")  # again at each look, if a bare `except` caught it

    handler = signal.signal(signal.SIGVTALRM, look)
    outer = signal.setitimer(signal.ITIMER_VIRTUAL, tick, tick)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
        signal.setitimer(signal.ITIMER_VIRTUAL, *outer)  # a block around this one goes on counting


def safely(otherwise: Any, function: Callable[..., Any], *given: Any) -> Any:
    """function(*given), which calls methods of something that an answer returned or raised: a class of the reader's
    may raise anything in them, or never end. Then `otherwise`."""
    try:
        with limited(1.0):
            return function(*given)
    except KeyboardInterrupt:  # by the reader
        raise
    except BaseException:
        return otherwise


def _imports(frame: FrameType | None) -> bool:
    """Is a module being imported? Stopped half-way it would stay broken, and it is slow only once."""
    while frame and frame.f_code.co_filename != "<frozen importlib._bootstrap>":
        frame = frame.f_back
    return frame is not None


def _resident() -> int:
    """Bytes of memory that this process holds; where only the most it ever held is known, that."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        import resource  # not on Windows, which has no such timer either

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
