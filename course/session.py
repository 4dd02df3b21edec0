"""The first line of every chapter: `session = course_lib.start(4)`."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import nn

from course import kept
from course.loss_curve import NotebookView
from course.settings import profile, seed
from course_lib import progress
from course_lib.device import choose_device, seed_everything
from course_lib.errors import CourseError
from course_lib.language import key, t, use
from course_lib.language import language as language_now

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHAPTERS = (*(str(number) for number in range(10)), "A1", "A2", "A3")
MOST_THREADS = 8  # the course's networks are small: more threads wait for each other
_PROFILES = {"quick": key("profile|quick"), "full": key("profile|full")}


@dataclass(frozen=True)
class Session:
    """What `start` found and set."""

    device: torch.device
    profile: str  # "quick" or "full"
    seed: int
    chapter: str | None  # "0" ... "9", "A1", "A2", "A3"

    @property
    def full(self) -> bool:
        """True where the notebook should compute at recorded scale (COURSE_PROFILE=full)."""
        return self.profile == "full"

    def bert(self, usual: str) -> str:
        """What the chapter gives to `course_lib.load`: `usual`, unless COURSE_BERT names another BERT."""
        return os.environ.get("COURSE_BERT") or usual

    @property
    def language(self) -> str:
        """ "en" or "ko": the language of this edition, and of its text of the invented world."""
        return language_now()

    def keep(self, name: str, model: nn.Module, words: Sequence[str] | None = None) -> None:
        """Write the model's weights to answers/kept/, for later chapters; `kept` takes them up.

        words: the vocabulary of a BERT, in the order of the ids; then `course ask NAME` opens it.
        """
        kept.keep(name, model, words)

    def kept(self, name: str, model: nn.Module, train: Callable[[nn.Module], object] | None = None) -> nn.Module:
        """`model`, in eval mode, with the weights that an earlier chapter kept under this name.

        Where there are none, or of another network, train(model) makes them, here, and says so; without `train` that
        is a CourseError.
        """
        return kept.taken_up(name, model, train)

    def score(self, name: str, value: float | Mapping[int, float]) -> None:
        """Put a system of yours on the board: its F1 in %, {20: ..., 100: ...} by the number of labelled sentences.

        One number alone is the F1 from 100. A name that the board does not know yet gets a row of its own.
        """
        kept.score(name, value)

    def board(self) -> Figure:
        """Who does what, to whom, where? Every system so far: yours beside the recorded one; later ones in grey."""
        from course.figures import recorded_board, score_board

        chapter = int(self.chapter) if self.chapter and self.chapter.isdigit() else 9
        return score_board(recorded_board(), kept.scores(), chapter)


def start(chapter: int | str | None = None, *, language: str | None = None) -> Session:
    """Seed every generator, choose the device, set fonts and colours of figures, and say so in one line.

    language: "en" or "ko", in which the course speaks from here on; None: as COURSE_LANGUAGE says, else English.
    A second call in the same kernel starts again from the same seed.
    """
    use(language)
    name = None if chapter is None else chapter_name(chapter)
    session = Session(choose_device(), profile(), seed(), name)
    seed_everything(session.seed)
    if "OMP_NUM_THREADS" not in os.environ:
        torch.set_num_threads(min(n_cores(), MOST_THREADS))
    if importlib.util.find_spec("matplotlib"):
        from course.figures import use_course_style

        use_course_style()
    progress.in_notebook = NotebookView
    _keep_words_whole()
    where = [t("Chapter {name}", name=name)] if name else []
    where += [t("{profile} profile", profile=t(_PROFILES[session.profile]))]
    print(*where, t("seed {seed}", seed=session.seed), t("device {device}", device=session.device), sep=" · ")
    return session


def n_cores() -> int:
    """Cores this process may use; a container may have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _keep_words_whole() -> None:
    """In Korean, lines of the notebook's text end between words; browsers would end them between any two syllables."""
    ipython = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if language_now() == "ko" and getattr(ipython, "kernel", None) is not None:
        from IPython.display import display

        style = "<style>.jp-RenderedHTMLCommon,.cw{word-break:keep-all;overflow-wrap:break-word}</style>"
        display({"text/html": style, "text/plain": ""}, raw=True)


def chapter_name(chapter: int | str) -> str:
    """The chapter's name as text: 4 -> "4", "a1" -> "A1". Raises CourseError if there is no such chapter."""
    name = str(chapter).upper()
    if name not in CHAPTERS:
        listed = ", ".join(CHAPTERS)
        raise CourseError(t("There is no chapter {chapter}. Chapters: {all}.", chapter=f"{chapter!r}", all=listed))
    return name
