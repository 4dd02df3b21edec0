"""One exercise: the probes of its check, the mistakes it knows by name, and its words.

A mistake is written as a *model* that computes what a reader with that mistake computes: an edit of the solution's
code, such as "alpha=-rate => alpha=rate", or a small function of a probe's inputs. An answer that equals a model on
every probe has that mistake; where no model is exact enough, `Seen` looks at the results, and must be true of each one
that is wrong. (The idea of tests that name the misconception is ARENA's.)
"""

from __future__ import annotations

import ast
import copy
import inspect
import math
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from course_lib.language import t


@dataclass(frozen=True)
class Seen:
    """Stands in the place of a model: `look(got, expected, *inputs)` is true on every probe that fails. Where
    the answer stops, got is its error, and nothing is expected."""

    look: Callable[..., bool]


def edited(solution: Callable, edits: str | tuple[str, ...]) -> Callable:
    """The solution with a mistake in it: one edit "right => wrong" of its body after the other, at every place."""
    head, _, body = inspect.getsource(solution).split('"""')
    for right, wrong in (edit.split(" => ") for edit in ([edits] if isinstance(edits, str) else edits)):
        assert right in body, f"{solution.__name__} does not say {right!r}"
        body = body.replace(right, wrong)
    made: dict[str, Callable] = {}
    exec(f"{head}...{body}", solution.__globals__, made)
    return made[solution.__name__]


HUNDREDFOLD = Seen(lambda got, expected, *_: expected > 0 and math.isclose(got, 100 * expected, rel_tol=1e-4))

AUTOGRAD = ("backward", "grad", "jacobian", "jacrev", "jacfwd", "vjp", "jvp")  # see Exercise.without


class Probe:
    """One call of the reader's function. `shows` is the property it looks at, as a phrase."""

    def __init__(self, shows: str, *inputs: Any):
        self.shows, self._inputs = shows, inputs

    @property
    def inputs(self) -> tuple:
        """Each time anew: a function among them may draw, and has drawn after a call."""
        return copy.deepcopy(self._inputs)


@dataclass(frozen=True)
class Texts:
    """The words of an exercise, as they stand under its id in `texts.toml`, in the folder of its chapter."""

    title: str
    question: str  # Markdown
    why: str  # why the solution is so
    hints: list[str]  # where to look; what to do; nearly how
    mistakes: dict[str, str | list[str]]  # name -> which property fails and where to look; never the answer

    def says(self, mistake: str, model: int) -> str:
        """The sentence of a mistake: one for all its models, or a list with one for each."""
        sentences = self.mistakes[mistake]
        return sentences if isinstance(sentences, str) else sentences[model]


@cache
def _read(file: Path) -> dict[str, dict]:
    return tomllib.loads(file.read_text(encoding="utf-8"))


def head(difficulty: int, importance: int, minutes: int) -> str:
    """The line under the title of an exercise or a build."""
    dots, stars = ("●" * n + "○" * (5 - n) for n in (difficulty, importance))
    values = {"difficulty": dots, "importance": stars, "minutes": minutes}
    return t("difficulty {difficulty} · importance {importance} · about {minutes} minutes", **values)


@dataclass(frozen=True)
class Exercise:
    id: str  # chapter and number: "1.2"
    solution: Callable  # the reference; its signature and docstring are the starter's too
    probes: Sequence[Probe]
    mistakes: Sequence[tuple]  # rows (name, model, more models of the same mistake); the first that fits is named; a
    # model is a function, an edit or several of the solution's code (see `edited`), or a Seen
    difficulty: int  # 1 (one line) .. 5 (an evening)
    importance: int  # 1 (may be skipped) .. 5 (later chapters build on it)
    minutes: int
    without: Sequence[str] = ()  # what the question rules out: "loop", names
    learns: bool = True  # a gradient has to reach what it reaches through the solution, if anything; `markdown` says so

    @cached_property
    def models(self) -> list[tuple[str, int, Callable | Seen]]:
        """Rows (name of a mistake, which of its models, the model)."""
        rows = [(name, n, model) for name, *models in self.mistakes for n, model in enumerate(models)]
        return [(*row, edited(self.solution, m) if isinstance(m, str | tuple) else m) for *row, m in rows]

    @cached_property
    def computed(self) -> dict[tuple[int, int], Any]:
        """(row of `models`, number of the probe) -> what that model gives there; the judge asks each once."""
        return {}

    @property
    def texts(self) -> Texts:
        return Texts(**_read(Path(inspect.getfile(self.solution)).with_name("texts.toml"))[self.id])

    @property
    def head(self) -> str:
        return head(self.difficulty, self.importance, self.minutes)

    @property
    def markdown(self) -> str:
        """Title, head and question, as they stand in the notebook's text."""
        texts = self.texts
        title = t("Exercise {id} · {title}", id=self.id, title=t(texts.title))
        said = f"### {title}\n{t('*{head}*', head=self.head)}\n\n{t(texts.question.strip())}"
        if self.learns and "Tensor" in str(inspect.signature(self.solution).return_annotation):
            said += "\n\n" + t("A network learns through this function: keep to tensors, so that gradients flow back.")
        return said

    @property
    def starter(self) -> str:
        """The cell a reader fills: signature and docstring of the solution, the body `...`, and the check."""
        source = inspect.getsource(self.solution)
        docstring = ast.parse(source).body[0].body[0]
        lines = self.worded("\n".join(source.splitlines()[: docstring.end_lineno]))
        return "\n".join([lines, "    ...", "", "", f'check("{self.id}", {self.solution.__name__})'])

    def worded(self, source: str) -> str:
        """The solution's source, or its head, with the docstring in the reader's language."""
        english = " ".join(self.solution.__doc__.split())
        said = t(english)
        return source if said == english else source.replace(self.solution.__doc__, said, 1)
