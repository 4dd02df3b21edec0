"""The parts of a build: of each exercise the reader's last right answer, or else the course's solution.

A kept answer is run as it stands, without the calls of its cell, with the usual names and the parts before it; then it
is judged anew. In the machine its calls are limited as those of `check`, and many are compared with the solution, which
shows what no probe has shown: the first ones, those with more rows or words than any before, and one in thirty-one,
since what is kept of an earlier call fits only that. Plain loops may be right and take hours in a training: what a part
costs in all is remarked upon, and from two minutes on the solution, which it has agreed with, goes on in its place.
"""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import linecache
import math
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from course.check import store
from course.check.compare import difference, same
from course.check.exercise import Exercise
from course.check.front import is_version, without_exit
from course.check.judge import judge
from course.check.limit import LIMIT, NoEnd, TooMuch, limited, safely
from course_lib.language import key, t

_USUAL = {"torch": torch, "nn": nn, "F": functional, "math": math, "np": np, "Counter": Counter}
_CLOSE = {"rtol": 1e-3, "atol": 1e-4}  # of a machine's long sums, in float32
_FIRST, _EVERY = 16, 31  # calls that are compared; a prime, since a machine's calls come in rounds
_MAY_DIFFER = 0.01  # of the numbers of a later call: of two equally good answers floats choose either
_LONGEST = 30.0  # seconds of computing of one call, on all that the machine is tried with
_COST = (  # seconds of computing more than the solution, and what is said then; at the last it goes on in its place
    (
        20,
        key(
            "Your part {id} alone has computed for {seconds} seconds so far, {times} times as long as the course's "
            "would have. The build goes on; from {most} seconds of this part on the course's does the rest."
        ),
    ),
    (120, key("Your part {id} has computed for {seconds} seconds. It agrees with the course's, which does the rest.")),
)


class Fault(Exception):
    """A part does in the machine what it should not."""

    def __init__(self, part: str, says: str) -> None:
        super().__init__(f"{part}: {says}")  # as `play` shows it
        self.part, self.says = part, says


@dataclass(frozen=True)
class Part:
    exercise: Exercise
    answer: Callable
    since: str = ""  # the day on which it was right; "": it is the course's
    why: str = ""  # the reader's is not there

    @property
    def own(self) -> bool:
        return bool(self.since)

    @property
    def line(self) -> str:
        values = {"id": self.exercise.id, "name": f"`{self.exercise.solution.__name__}`", "since": self.since}
        if self.own:
            return t("✓ {id} {name}: yours, of {since}", **values)
        return t("○ {id} {name}: the course's. {why}", **values, why=self.why)


def parts(exercises: list[Exercise]) -> list[Part]:
    """In the order of the build: a cell may call the functions of the parts before it."""
    found, known = [], {}
    for exercise in exercises:
        found.append(_part(exercise, known))
        known[exercise.solution.__name__] = found[-1].answer
    return found


def _part(exercise: Exercise, known: Mapping[str, Callable]) -> Part:
    items, note = store.read(exercise.id, is_version)
    right = [item for item in items if item["state"] == "right"]
    values = {"call": f'`check("{exercise.id}", {exercise.solution.__name__})`', "again": f'`restore("{exercise.id}")`'}
    if not right:
        says = key("Yours is not right yet: {call}.") if items else key("It becomes yours by {call}.")
        return Part(exercise, exercise.solution, why=note or t(says, **values))
    if right[-1] is not items[-1]:  # `restore` alone would bring a later one
        values["again"] = f'`restore("{exercise.id}", {items.index(right[-1]) + 1})`'
    answer, error = alone(exercise, right[-1]["source"], known)
    if not error:
        return Part(exercise, answer, since=right[-1]["time"][:10])
    says = key("Yours cannot be run on its own ({error}). {again} brings its cell back: put in what is missing.")
    return Part(exercise, exercise.solution, why=t(says, **values, error=error.rstrip(".")))


def alone(exercise: Exercise, source: str, known: Mapping[str, Callable]) -> tuple[Callable, str]:
    """The function that the cell makes without the reader's other cells; else the solution, and what is wrong."""
    with _quiet():
        answer = _defined(exercise, source, known)
        if not callable(answer):
            return exercise.solution, answer
        verdict = judge(exercise, answer)
    return (answer, "") if verdict.right else (exercise.solution, verdict.paragraphs[0])


def _defined(exercise: Exercise, source: str, known: Mapping[str, Callable]) -> Callable | str:
    """The function that the cell handed to `check`, or why there is none. Of the cell's statements that are only calls
    no one is run but that."""
    handed: list[Any] = []
    names = {**_USUAL, **known, "__name__": f"answer {exercise.id}"}
    names["check"] = lambda exercise_id, answer=None, **_: handed.append(answer)
    try:
        with limited(LIMIT):
            tree = ast.parse(source)
            tree.body = [node for node in tree.body if _defines(node)]
            exec(compile(tree, _file(exercise.id, source), "exec"), names)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return _said(error)
    answer = handed[-1] if handed else names.get(exercise.solution.__name__)
    return answer if callable(answer) else t("it defines no function `{name}`", name=exercise.solution.__name__)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "check"
    return not (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("course.check"))


def _file(part: str, source: str = "") -> str:
    """The name under which a traceback knows the cell; source: its lines, kept for the traceback."""
    name = f"<answer {part}>"
    if source:
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    return name


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """What an answer prints is not shown, and `exit` does not end the kernel."""
    with contextlib.redirect_stdout(io.StringIO()), without_exit():
        yield


# ---- in the machine


def guarded(own: Part, calls: list[str], replaced: list[str]) -> Callable:
    """The part as the machine calls it. calls: the part that ran last, then those that run now. replaced: gets the
    parts in whose place the solution goes on."""
    part, solution, out = own.exercise.id, own.exercise.solution, sys.stdout
    spent, due, left = 0.0, _COST[0][0], list(_COST)
    n, like, most, before = 0, None, [], []  # most: the largest sizes so far; before: its last result

    def call(*inputs: Any) -> Any:
        nonlocal spent, due, n, like, most, before
        if not left:
            return solution(*inputs)
        outermost, begun = len(calls) == 1, time.process_time()
        versions = [tensor._version for tensor in before]
        calls.append(part)
        try:
            with contextlib.ExitStack() as stack:
                if outermost:
                    stack.enter_context(_quiet())
                stack.enter_context(limited(_LONGEST))  # each part's own: one that calls a slow one is not slow
                got = own.answer(*inputs)
        finally:
            calls.pop()
            calls[0] = part
        if versions != [tensor._version for tensor in before]:
            raise Fault(part, t(_WRITES))
        before = _tensors(got) if own.exercise.learns else []  # else each result has been used up
        n, seconds = n + 1, time.process_time() - begun
        sizes = [number for given in inputs for number in _size(given)]
        larger = any(map(int.__gt__, sizes, most))
        compared = larger or n <= _FIRST or n % _EVERY == 0
        if larger or n == 1:
            most = [*map(max, sizes, most)] or sizes
        spent += seconds
        if compared or spent > due:
            begun = time.process_time()
            with torch.no_grad():
                like = solution(*inputs)
            usual = time.process_time() - begun
        if n > 1 and spent > due:  # at the first call it warms up
            cost = spent * (1 - usual / seconds)
            if cost > left[0][0]:
                values = {
                    "seconds": f"{spent:.0f}",
                    "times": f"{seconds / max(usual, 1e-5):,.0f}",
                    "most": _COST[-1][0],
                }
                print(t(left.pop(0)[1], id=part, **values), file=out, flush=True)  # at once; an answer around is quiet
                if not left:
                    replaced.append(part)
            due = spent + left[0][0] - cost if left else 0
        dtype = next((i.dtype for i in inputs if isinstance(i, torch.Tensor) and i.is_floating_point()), None)
        try:
            got = _formed(got, like, dtype)
        except (TypeError, ValueError, RuntimeError) as error:
            raise Fault(part, f"{type(error).__name__}: {error}") from error
        if compared and (fault := _another(got, like, _MAY_DIFFER if n > 1 else 0)):
            why = _BY_HEART if n == 1 else _GROWS if larger else _KEEPS
            shapes = zip(inspect.signature(solution).parameters, map(_size, inputs), strict=False)
            given = ", ".join(f"`{name}` {list(size)}" for name, size in shapes if size)
            raise Fault(part, f"{t(_ANOTHER, n=n, sizes=given, fault=fault)} {t(why)}")
        return got

    return call if own.own else own.answer


def _size(given: Any) -> tuple[int, ...]:
    """The shape of a tensor, the length of a list."""
    if isinstance(given, torch.Tensor):
        return given.shape
    return (len(given),) if isinstance(given, list | tuple | dict) else ()


def _tensors(got: Any) -> list[torch.Tensor]:
    """Those that count what is written into them."""
    found = got if isinstance(got, tuple) else [got]
    return [one.detach() for one in found if isinstance(one, torch.Tensor) and not one.is_inference()]


def _formed(got: Any, like: Any, dtype: torch.dtype | None) -> Any:
    """A reader may return lists or arrays where the solution returns tensors: the machine gets tensors."""
    if isinstance(like, tuple):
        return tuple(_formed(one, other, dtype) for one, other in zip(got, like, strict=True))
    if not isinstance(like, torch.Tensor):
        return got
    return _tensor(got).to((dtype if like.is_floating_point() else None) or like.dtype)


def _tensor(got: Any) -> torch.Tensor:
    if isinstance(got, list | tuple) and any(isinstance(one, torch.Tensor | list | tuple) for one in got):
        return torch.stack([_tensor(one) for one in got])
    return torch.as_tensor(got)


def _another(got: Any, like: Any, share: float) -> str:
    """Where a result is another than that of the solution, "" if nowhere; share: of its numbers that may be."""
    if isinstance(like, tuple):
        return next(filter(None, (_another(*pair, share) for pair in zip(got, like, strict=True))), "")
    if isinstance(like, torch.Tensor) and got.shape == like.shape:
        got, like = got.detach(), like.detach()
        if got.equal(like):
            return ""
        off = ~torch.isclose(got, like.to(got.dtype), **_CLOSE) if like.is_floating_point() else got != like
        if off.sum() <= share * off.numel():
            return ""
        place = off.nonzero()[0].tolist()
        name = t("result{where}", where="".join(f"[{i}]" for i in place)) if place else t("the result")
        found, wanted = (f"{float(one[tuple(place)]):.4g}" for one in (got, like))
        return t("{name} is {got}, and should be {wanted}", name=name, got=found, wanted=wanted)
    fault = "" if safely(False, lambda: bool(got == like)) else difference(got, like)
    lists = fault and isinstance(got, list) and isinstance(like, list) and len(got) == len(like)
    few = lists and sum(not same(*pair) for pair in zip(got, like, strict=True)) <= share * len(like)
    return "" if few else fault


_ANOTHER = key(
    "At call {n} in the machine, with {sizes}, its result is another than that of the solution, although all probes "
    "are right: {fault}."
)
_BY_HEART = key(
    "Does it know a size, or a number of heads, by heart? Or does it keep something of the calls that `check` has made?"
)
_GROWS = key(
    "At the calls before, with smaller inputs, it was right. Does it know a size by heart, such as the number of rows "
    "or of words, or does it keep something of an earlier call?"
)
_KEEPS = key(
    "Inputs as large as these it has had before, and was right. Does it keep something of an earlier call, such as its "
    "size, a mask, or a list or a dictionary outside of the function?"
)
_WRITES = key(
    "It has written into the tensor that an earlier call of it returned, and the machine still uses that one. Make a "
    "new tensor at each call."
)


def blame(error: BaseException, last: str) -> tuple[str, list[str]]:
    """The part in which the machine stopped ("" if in none), and what to say of it. last: the part that ran last."""
    if isinstance(error, Fault):
        return error.part, [error.says]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith("<answer ")]
    says = [_said(error)]
    if not frames:
        return "", [*says, t("The part that ran last is {id}.", id=last)] if last else says
    part = frames[-1].filename.removeprefix("<answer ").removesuffix(">")
    return part, [*says, t("Line {number} of your cell: {line}", number=frames[-1].lineno, line=frames[-1].line or "")]


def _said(error: BaseException) -> str:
    if isinstance(error, TooMuch):
        return t("it took 500 MB of memory and was stopped")
    if isinstance(error, NoEnd):
        return t("it computed for {n} seconds and was stopped", n=str(error))
    said = safely("", str, error)[:300]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
