"""Does a gradient reach what it reaches through the solution? The numbers of a result do not tell: what was detached on
the way has the same."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import nn

from course.check.compare import same
from course.check.exercise import Exercise
from course.check.judge import Mistake
from course.check.limit import limited
from course_lib.language import key, t

_CUT_OFF = key("the gradient is cut off")
_IN_PLACE = key("what the gradient needs is changed in place")


class _Watched(NamedTuple):
    """What a function gave for inputs that ask for a gradient, and theirs: name of a parameter -> gradients."""

    result: Any
    gradients: dict[str, list[torch.Tensor]]


def fault(exercise: Exercise, answer: Callable, limit: float) -> Mistake | None:
    """What keeps a right answer from learning: the first parameter that learns otherwise through it, or a backward pass
    that stops because a tensor that it needs was changed in place."""
    for probe in exercise.probes:
        right = _watched(exercise, exercise.solution, probe.inputs)
        reached = [name for name, gradients in right.gradients.items() if any(map(_moves, gradients))]
        if not reached:
            continue
        try:
            with limited(limit), contextlib.redirect_stdout(io.StringIO()):
                got = _watched(exercise, answer, probe.inputs)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if re.search("in-?place", str(error)):  # as PyTorch says it
                return Mistake(_IN_PLACE, t(_WRITES))
            if "requires grad" not in str(error):  # as numpy says it
                continue
            return _none(reached[0])
        if not same(got.result, right.result):
            continue
        for name in reached:
            if not any(map(_moves, got.gradients[name])):
                return _none(name)
        for name in reached:
            if not all(map(_alike, got.gradients[name], right.gradients[name])):
                return Mistake(_CUT_OFF, t(_ANOTHER, name=name))
    return None


_WRITES = key(
    "The numbers are right, but no gradient can be computed: the backward pass needs a tensor that was changed in "
    "place after it had been used (`h[mask] = ...`, `h += ...`, `states[:, k] = ...`). Make a new tensor each time, "
    "with `torch.where`, or with a list and `torch.stack` at the end; or `clone()` before you write into it."
)
_ANOTHER = key(
    "The numbers are right, but the gradient of {name} is not: one of its ways to the result is detached (`.detach()`, "
    "`.data`, `no_grad`, `.item()`, `torch.tensor(...)`). A network that is built of it would learn badly."
)


def _none(name: str) -> Mistake:
    says = key(
        "The numbers are right, but no gradient reaches {name}: something on the way detaches it (`.detach()`, "
        "`.data`, `no_grad`, `.item()`, `torch.tensor(...)`, numpy). A network that is built of it would not learn."
    )
    return Mistake(_CUT_OFF, t(says, name=name))


def _watched(exercise: Exercise, function: Callable, inputs: tuple) -> _Watched:
    """Near the probe, not at it: there numbers may be alike, and which of two equal ones is the larger is no law."""
    random, leaves = torch.Generator().manual_seed(0), {}

    def watched(value: Any, name: str) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(watched(one, name) for one in value)
        if isinstance(value, nn.Module):
            leaves.setdefault(f"`{name}`", []).extend(p for p in value.parameters() if p.requires_grad)
        elif callable(value):
            leaf = torch.zeros((), requires_grad=True)
            leaves.setdefault(f"`{name}(...)`", []).append(leaf)
            return lambda *given: _moved(value(*given), leaf)
        elif isinstance(value, torch.Tensor) and value.is_floating_point():
            leaf = (value + 0.01 * torch.randn(value.shape, generator=random)).requires_grad_()
            leaves.setdefault(f"`{name}`", []).append(leaf)
            return leaf.clone()  # in place is allowed
        return value

    names = inspect.signature(exercise.solution).parameters
    with warnings.catch_warnings(), torch.enable_grad():
        warnings.simplefilter("ignore")  # of torch.tensor(...) and float(...)
        result = function(*map(watched, copy.deepcopy(inputs), names))
        numbers, flat = _numbers(result), [leaf for of_one in leaves.values() for leaf in of_one]
        found: Iterator = iter([None] * len(flat))
        if numbers.requires_grad:  # each number weighs otherwise
            found = iter(
                torch.autograd.grad(numbers @ torch.arange(len(numbers)).cos().double(), flat, allow_unused=True)
            )
    return _Watched(
        result,
        {
            name: [torch.zeros_like(leaf) if (g := next(found)) is None else g for leaf in of_one]
            for name, of_one in leaves.items()
        },
    )


def _moved(returned: Any, leaf: torch.Tensor) -> Any:
    """What a function among the inputs returns, such that it changes with the leaf, each number in its own way."""
    if isinstance(returned, tuple):
        return tuple(_moved(one, leaf) for one in returned)
    floats = isinstance(returned, torch.Tensor) and returned.is_floating_point()
    return returned + leaf * returned.cos() if floats else returned


def _numbers(result: Any) -> torch.Tensor:
    """All numbers of a result in their order, whatever holds them, [number]."""
    if isinstance(result, dict | list | tuple):
        parts = [result[name] for name in sorted(result, key=str)] if isinstance(result, dict) else result
        return torch.cat([torch.zeros(0).double(), *map(_numbers, parts)])
    try:
        return torch.as_tensor(result).double().flatten()
    except (TypeError, ValueError, RuntimeError):  # a text
        return torch.zeros(0).double()


def _moves(gradient: torch.Tensor) -> bool:
    return not bool((gradient.abs() <= 1e-6).all())  # NaN moves, too


def _alike(got: torch.Tensor, right: torch.Tensor) -> bool:
    """True, too, where one of them is no number: a masked row may give NaN, and the numbers are right."""
    if not (got.isfinite().all() and right.isfinite().all()):
        return True
    return torch.allclose(got, right, rtol=1e-2, atol=1e-3 * float(right.abs().max()) + 1e-6)
