"""Runs an answer on the probes of its exercise and names the mistake. Pure: no files, no notebook."""

from __future__ import annotations

import contextlib
import copy
import dis
import inspect
import reprlib
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from course.check.compare import difference, same
from course.check.exercise import Exercise, Probe, Seen
from course.check.messages import Result
from course_lib.language import key, t, t_label

_EMPTY_BODY = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}  # byte code of a body that is only `...`
LIMIT = 10.0  # seconds of one call
_NO_FUNCTION, _PARAMETERS = key("not a function"), key("other parameters")
_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxset = _SHORT.maxdict = 8


class Mistake(NamedTuple):
    name: str
    says: str


def judge(exercise: Exercise, answer: Any, limit: float = LIMIT) -> Result:
    """The state of an answer. Never raises for what the answer does, except when the reader interrupts it.
    limit: seconds that one call may take."""
    if answer is None or answer is ...:
        return _open(exercise)
    if complaint := _unusable(exercise, answer):
        return _mistake(exercise, complaint)
    returned, results = [], []
    for probe in exercise.probes:
        inputs = copy.deepcopy(probe.inputs)
        try:
            with time_limit(limit):
                returned.append(answer(*inputs))
        except NoEnd:
            return _mistake(exercise, _no_end(limit), probe)
        except Exception as error:
            return _error(exercise, answer, probe, error)
        results.append(_kept(returned[-1]))
        if results[-1] is ...:
            return _open(exercise)
        if results[-1] is None:
            return _open(exercise) if _does_nothing(answer) else _mistake(exercise, _RETURNS_NONE, probe)
        if not same(inputs, probe.inputs):
            return _mistake(exercise, _CHANGES_INPUT, probe)
    result = _compare(exercise, results)
    return _mistake(exercise, _KEEPS_RESULTS) if not result.right and _grows(returned, results) else result


def _kept(result: Any) -> Any:
    """As it is now: a later call may change it. What cannot be copied stays what it is."""
    try:
        return copy.deepcopy(result)
    except Exception:
        return result


def _grows(returned: list, results: list) -> bool:
    """Two calls returned the same list, set or dictionary, and it was not the same any more."""
    first = returned[0]
    calls = zip(returned[1:], results[1:], strict=True)
    return isinstance(first, list | set | dict) and any(r is first and not same(k, results[0]) for r, k in calls)


def _compare(exercise: Exercise, results: list) -> Result:
    expected = [exercise.solution(*probe.inputs) for probe in exercise.probes]
    faults = [difference(got, right) for got, right in zip(results, expected, strict=True)]
    if not any(faults):
        title = t("Exercise {id}: right.", id=exercise.id)
        says = (t("Compare with {call}.", call=f'solution("{exercise.id}")'),)
        return Result(title, says, tone="right", exercise=exercise.id, state="right")
    failing = [i for i, fault in enumerate(faults) if fault]
    first = failing[0]
    probe, got = exercise.probes[first], results[first]
    for name, *models in exercise.mistakes:
        for n, model in enumerate(models):
            if (at := _fits(model, exercise.probes, results, expected, failing)) is not None:
                return _mistake(exercise, Mistake(name, exercise.texts.says(name, n)), exercise.probes[at], results[at])
    says = (
        t("It fails on: {probe}. There {fault}.", probe=t(probe.shows), fault=faults[first]),
        _call(exercise, probe, got),
        t("Stuck? {call}, then 2 and 3.", call=f'hint("{exercise.id}", level=1)'),
    )
    return Result(t("Exercise {id}: not yet.", id=exercise.id), says, tone="wrong", exercise=exercise.id, state="wrong")


def _fits(model: Callable | Seen, probes: list[Probe], results: list, expected: list, failing: list[int]) -> int | None:
    """The first probe whose result shows the mistake, or None."""
    if isinstance(model, Seen):
        return next((i for i in failing if _seen(model, results[i], expected[i], probes[i])), None)
    fits = all(same(got, model(*probe.inputs)) for got, probe in zip(results, probes, strict=True))
    return failing[0] if fits else None


def _seen(seen: Seen, got: Any, expected: Any, probe: Probe) -> bool:
    if hasattr(got, "__next__"):  # a look would use it up
        return False
    try:
        return bool(seen.look(got, expected, *probe.inputs))
    except Exception:  # the result has a form that this mistake does not have
        return False


# Mistakes that every exercise knows.
_RETURNS_NONE = Mistake(key("returns nothing"), key("The function ends without `return`, so its result is None."))
_CHANGES_INPUT = Mistake(
    key("changes its input"),
    key(
        "After the call an input is not what it was: the function works in place. Make a new object; the caller "
        "needs the old one."
    ),
)
_KEEPS_RESULTS = Mistake(
    key("keeps results of an earlier call"),
    key(
        "Two calls return the same object, and the second one adds to what the first one put there. Make the list "
        "(set, dictionary) inside the function, not outside and not as a default value of a parameter."
    ),
)


def _no_end(limit: float) -> Mistake:
    says = key("The call computed that long and was stopped. Does your loop move on?")
    return Mistake(key("no end after # s").replace("#", f"{limit:g}"), says)


def known_mistakes(exercise: Exercise) -> dict[str, str]:
    """The names that `judge` may give, each with a sentence: the exercise's own, and those of all."""
    own = {name: exercise.texts.says(name, 0) for name in exercise.texts.mistakes}
    everywhere = [_RETURNS_NONE, _CHANGES_INPUT, _KEEPS_RESULTS, _no_end(LIMIT)]
    everywhere.append(Mistake(_NO_FUNCTION, "What was handed over is no function, but a result, or something else."))
    everywhere.append(Mistake(_PARAMETERS, "The function takes other parameters than the exercise asks for."))
    return dict(everywhere) | own


def _unusable(exercise: Exercise, answer: Any) -> Mistake | None:
    name = exercise.solution.__name__
    if not callable(answer):
        values = {"given": _short(answer), "call": f"check({exercise.id!r}, {name})"}
        says = t("check was given {given}. Hand over the function itself, without calling it: {call}.", **values)
        return Mistake(_NO_FUNCTION, says)
    try:
        inspect.signature(answer).bind(*exercise.probes[0].inputs)
    except TypeError as error:
        wanted = f"{name}{inspect.signature(exercise.solution)}"
        says = t("The function should be called as {wanted}, and cannot: {error}.", wanted=wanted, error=error)
        return Mistake(_PARAMETERS, says)
    except ValueError:  # a built-in function without a signature: let the call decide
        return None
    return None


def _does_nothing(answer: Any) -> bool:
    code = getattr(answer, "__code__", None)
    return code is not None and {step.opname for step in dis.get_instructions(code)} <= _EMPTY_BODY


def _open(exercise: Exercise) -> Result:
    help_ = t("Replace the `...` and run the cell; {call} helps.", call=f'hint("{exercise.id}")')
    says = (f"{exercise.head}. {help_}",)
    return Result(t("Exercise {id}: not attempted yet.", id=exercise.id), says, tone="open", exercise=exercise.id)


def _mistake(exercise: Exercise, mistake: Mistake, probe: Probe | None = None, got: Any = ...) -> Result:
    says = (t(mistake.says), _call(exercise, probe, got)) if probe else (t(mistake.says),)
    title = t("Exercise {id}: not yet: {mistake}.", id=exercise.id, mistake=t_label(mistake.name))
    return Result(title, says, tone="wrong", exercise=exercise.id, state="mistake", mistake=mistake.name)


def _error(exercise: Exercise, answer: Any, probe: Probe, error: Exception) -> Result:
    says = [f"{type(error).__name__}: {_cut(str(error), 300)}"]
    code = getattr(answer, "__code__", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if code and f.filename == code.co_filename]
    if frames:
        line = _cut(frames[-1].line or "", 200)
        says.append(t("Line {number} of your cell: {line}", number=frames[-1].lineno, line=line))
    says.append(_call(exercise, probe))
    title = t("Exercise {id}: your function stopped with an error.", id=exercise.id)
    return Result(title, tuple(says), tone="wrong", exercise=exercise.id, state="error")


def _call(exercise: Exercise, probe: Probe, got: Any = ...) -> str:
    tried = f"{exercise.solution.__name__}({', '.join(map(_short, probe.inputs))})"
    call = t("Tried ({probe}): {call}", probe=t(probe.shows), call=tried)
    return call if got is ... else f"{call}\n{t('Your result: {result}', result=_short(got))}"


def _short(value: Any) -> str:
    return _cut(" ".join(_SHORT.repr(value).split()), 200)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


class NoEnd(BaseException):
    """The call was stopped. (No `Exception`: an answer's own `except Exception` must not swallow it.)"""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises NoEnd in the block after so many seconds of computing: a debugger may wait.

    Only the main thread can be stopped, and not on Windows; elsewhere nothing is limited.
    """
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number, frame):
        raise NoEnd

    handler = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)  # again, if a bare `except` caught it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
