"""The law that attacks go by: a file, however spoilt, gives the right result or a CourseError that names it.

Never another exception, never a hang, never a changed or lost file. Every attack is drawn from a seed.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from course_lib.errors import CourseError

TIMES = 20 if os.environ.get("COURSE_HYPOTHESIS") == "explore" else 1  # more attacks, to look for faults by hand
SECONDS = 20.0  # an input is some kilobytes: what takes longer hangs
MEMORY = 2 << 30  # more than what the process has already
USED = 1 << 19  # kilobytes: what is touched of it


class Hang(BaseException):
    """Not an Exception: the code under attack must not swallow it."""


class Law:
    """Holds the attacks on one subject against the law and counts what came of them."""

    def __init__(self, subject: str) -> None:
        self.subject, self.right, self.refused = subject, 0, 0
        self.faults: list[str] = []

    def hold(self, what: str, folder: Path, read: Callable[[], object], right: Callable[[object], object]) -> None:
        """`read` reads what lies in `folder`; `right` says of its result whether it is one, or raises."""
        before, most = contents(folder), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            with limits():
                found = read()
                if right(found):
                    self.right += 1
                else:
                    self.faults.append(f"{what}: a wrong result, {found!r:.300}")
        except CourseError as error:
            self.refused += 1
            if not any(name in str(error) for name in [str(folder), *(path.name for path in before)]):
                self.faults.append(f"{what}: the error names no file: {error!s:.300}")
        except (Exception, Hang) as error:
            self.faults.append(f"{what}: {error!s:.300} {traceback.format_exc(limit=-4)}")
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > most + USED:
            self.faults.append(f"{what}: more memory than any such file is worth")
        if contents(folder) != before:
            self.faults.append(f"{what}: a file was changed or lost")

    def attack(self, n: int, path: Path, spoil: Callable[[int], tuple[str, bytes | str]], read, right) -> None:
        """`path` holds what `spoil` makes of it, n times (or more, to look for faults by hand); then judges."""
        for number in range(n * TIMES):
            what, content = spoil(number)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
            self.hold(f"{number} {path.name}: {what}", path.parent, read, right)
        self.judge(n * TIMES)

    def __str__(self) -> str:
        n = self.right + self.refused
        return f"{self.subject}: {n} inputs kept the law, {self.right} right results, {self.refused} CourseErrors"

    def judge(self, n: int) -> None:
        """To be called at the end, with the number of attacks that there should have been."""
        listed = "\n".join(self.faults)
        assert not self.faults, f"{self}; {len(self.faults)} faults:\n{listed}"
        assert self.right + self.refused == n
        assert self.refused > n / 10, "most attacks did nothing"


def contents(folder: Path) -> dict[Path, bytes]:
    """Every file below the folder; locks come and go."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock"}


@contextlib.contextmanager
def limits() -> Iterator[None]:
    """Time and memory for one input. Too much of either is an exception, not a machine that stands still."""

    def over(number, frame):
        raise Hang(f"no end after {SECONDS:.0f} s")

    assert threading.current_thread() is threading.main_thread()
    old, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    handler = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (old, hard))
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
