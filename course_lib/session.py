"""The first line of every chapter: `session = course_lib.start(4)`."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass

import torch

from course_lib.config import settings
from course_lib.device import choose_device, seed_everything
from course_lib.errors import CourseError

CHAPTERS = (*(str(number) for number in range(10)), "A1", "A2")
MOST_THREADS = 8  # the course's networks are small: more threads wait for each other


@dataclass(frozen=True)
class Session:
    """What `start` found and set."""

    device: torch.device
    profile: str  # "quick" or "full"
    seed: int
    chapter: str | None  # "0" ... "9", "A1", "A2"

    @property
    def full(self) -> bool:
        """True where the notebook should compute at recorded scale (COURSE_PROFILE=full)."""
        return self.profile == "full"

    def bert(self, usual: str) -> str:
        """What the chapter gives to `course_lib.load`: `usual`, unless COURSE_BERT names another BERT."""
        return settings().bert or usual


def start(chapter: int | str | None = None) -> Session:
    """Seed every generator, choose the device, set fonts and colours of figures, and say so in one line.

    A second call in the same kernel starts again from the same seed.
    Raises CourseError for an unknown chapter and for a COURSE_* setting that has no meaning.
    """
    name = None if chapter is None else chapter_name(chapter)
    chosen = settings()
    session = Session(choose_device(chosen.device), chosen.profile, chosen.seed, name)
    seed_everything(session.seed)
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(min(_n_cores(), MOST_THREADS))
    if importlib.util.find_spec("matplotlib"):
        from course_lib.widgets.figures import use_course_style

        use_course_style()
    where = [f"Chapter {name}"] if name else []
    print(*where, f"{session.profile} profile", f"seed {session.seed}", f"device {session.device}", sep=" · ")
    return session


def chapter_name(chapter: int | str) -> str:
    """The chapter's name as text: 4 -> "4", "a1" -> "A1". Raises CourseError if there is no such chapter."""
    name = str(chapter).upper()
    if name not in CHAPTERS:
        raise CourseError(f"There is no chapter {chapter!r}. Chapters: {', '.join(CHAPTERS)}.")
    return name


def _n_cores() -> int:
    """Cores this process may use; a container may have fewer than the machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
