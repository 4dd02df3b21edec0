"""One exercise: the question, the probes of its check, and the mistakes it knows by name.

A mistake is written as a *model*: a small function that computes what a reader with that mistake computes. An answer
that equals a model on every probe has that mistake; where no model is exact enough, `seen` looks at one result.
(The idea of tests that name the misconception is ARENA's.)
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Mistake:
    """`model(*inputs)` gives the mistaken result; or `seen(got, expected, *inputs)` is true on a probe that fails."""

    name: str
    says: str  # which property fails and where to look; never the answer
    model: Callable[..., Any] | None = None
    seen: Callable[..., bool] | None = None


def several_ways(name: str, says: str, *models: Callable[..., Any]) -> tuple[Mistake, ...]:
    """One mistake that is made in several ways, each with a model of its own."""
    return tuple(Mistake(name, says, model) for model in models)


@dataclass(frozen=True)
class Probe:
    """One call of the reader's function. `shows` is the property it looks at, as a phrase."""

    shows: str
    inputs: tuple


@dataclass(frozen=True)
class Exercise:
    id: str  # chapter and number: "1.2"
    title: str
    difficulty: int  # 1 (one line) .. 5 (an evening)
    importance: int  # 1 (may be skipped) .. 5 (later chapters build on it)
    minutes: int
    question: str  # Markdown
    solution: Callable  # the reference; its signature and docstring are the starter's too
    why: str
    hints: tuple[str, str, str]  # where to look; what to do; nearly how
    probes: tuple[Probe, ...]
    mistakes: tuple[Mistake, ...]  # the first that fits is named

    @property
    def head(self) -> str:
        dots = ("●" * n + "○" * (5 - n) for n in (self.difficulty, self.importance))
        return "difficulty {} · importance {} · about {} minutes".format(*dots, self.minutes)

    @property
    def markdown(self) -> str:
        """Title, head and question, as they stand in the notebook's text."""
        return f"### Exercise {self.id} · {self.title}\n*{self.head}*\n\n{textwrap.dedent(self.question).strip()}"

    @property
    def starter(self) -> str:
        """The cell a reader fills: signature and docstring of the solution, the body `...`, and the check."""
        source = inspect.getsource(self.solution)
        docstring = ast.parse(source).body[0].body[0]
        lines = source.splitlines()[: docstring.end_lineno]
        return "\n".join([*lines, "    ...", "", "", f'check("{self.id}", {self.solution.__name__})'])
