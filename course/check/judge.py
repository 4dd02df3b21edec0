"""Runs an answer on the probes of its exercise and names the mistake. Pure: no files, no notebook."""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from types import FunctionType
from typing import Any, NamedTuple

from course.check import shown
from course.check.compare import difference, same, usable
from course.check.exercise import Exercise, Probe, Seen
from course.check.limit import LIMIT, NoEnd, TooMuch, limited, safely
from course.check.messages import Result
from course.check.written import data_from_outside, does_nothing, undecorated, ways
from course_lib.language import key, t, t_label

_NO_FUNCTION, _PARAMETERS = key("not a function"), key("other parameters")


class Mistake(NamedTuple):
    name: str
    says: str


class Tried(NamedTuple):
    """A call of the reader's function."""

    answer: Callable
    probe: Probe
    got: Any = ...  # if it did not return
    left: tuple = ()  # its inputs after the call, if they are not what they were


def judge(exercise: Exercise, answer: Any, limit: float = LIMIT) -> Result:
    """The state of an answer. Never raises for what the answer does, except when the reader interrupts it; `os._exit`
    cannot be stopped. limit: seconds that one call may compute."""
    if answer is None or answer is ...:
        return _open(exercise)
    if not callable(answer):
        return _mistake(exercise, _no_function(exercise, answer))
    if complaint := _other_parameters(exercise, answer):
        return _mistake(exercise, complaint, Tried(answer, exercise.probes[0]))
    returned, results, stopped, seed = [], [], None, _seed()
    for probe in exercise.probes:
        inputs, tried = probe.inputs, Tried(answer, probe)
        try:
            with limited(limit):
                returned.append(answer(*inputs))
        except NoEnd as error:
            return _mistake(exercise, _FILLS_MEMORY if isinstance(error, TooMuch) else _no_end(limit), tried)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit, too
            stopped = error
            break
        results.append(safely(returned[-1], copy.deepcopy, returned[-1]))  # a later call may change it
        tried = tried._replace(got=results[-1])
        if results[-1] is ...:
            return _open(exercise)
        if results[-1] is None:
            return _open(exercise) if does_nothing(answer) else _mistake(exercise, _RETURNS_NONE, tried)
        if not same(inputs, probe.inputs):
            return _mistake(exercise, _CHANGES_INPUT, tried._replace(left=inputs))
    expected = [exercise.solution(*probe.inputs) for probe in exercise.probes[: len(results)]]
    faults = [difference(got, right) for got, right in zip(results, expected, strict=True)]
    failing = [i for i, fault in enumerate(faults) if fault]
    if stopped and not (failing and _named(exercise, results, expected, failing)):
        return _error(exercise, tried, stopped, None if failing else _named_by(exercise, tried.probe, stopped))
    if not stopped and _remembers(exercise, answer, results[0], limit):
        grown = _grows(returned, results)
        return _mistake(exercise, _KEEPS_RESULTS if grown else _REMEMBERS, Tried(answer, exercise.probes[0]))
    if not failing and _seed() != seed:
        return _mistake(exercise, _SEEDS_ALL)
    if not failing:
        mistake = _unlearnable(exercise, answer, limit)
        return _mistake(exercise, mistake) if mistake else _right(exercise, answer)
    tried = Tried(answer, exercise.probes[failing[0]], results[failing[0]])
    if _grows(returned, results):
        return _mistake(exercise, _KEEPS_RESULTS, tried)
    if mistake := _named(exercise, results, expected, failing):
        return _mistake(exercise, mistake, tried)
    title = t("Exercise {id}: not yet.", id=exercise.id)
    says = t("It fails on: {probe}. There {fault}.", probe=t(tried.probe.shows), fault=faults[failing[0]])
    stuck = t("Stuck? {call}, then 2 and 3.", call=f'hint("{exercise.id}", level=1)')
    return _not_yet(exercise, title, (says,), "wrong", tried, end=(stuck,))


def _seed() -> int | None:
    """What torch's own random numbers started from, if anybody uses torch."""
    torch = sys.modules.get("torch")
    return torch.initial_seed() if torch else None


def _unlearnable(exercise: Exercise, answer: Callable, limit: float) -> Mistake | None:
    if not (exercise.learns and "torch" in sys.modules):
        return None
    from course.check.gradient import fault  # it needs torch, which not every chapter does

    return fault(exercise, answer, limit)


def _remembers(exercise: Exercise, answer: Callable, first: Any, limit: float) -> bool:
    """Does the first probe have another result when it is asked once more?"""
    if not same(safely(None, copy.deepcopy, first), first):
        return False  # nothing that can be compared, such as an iterator
    try:
        with limited(limit):
            return not same(answer(*exercise.probes[0].inputs), first)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return True


def _grows(returned: list, results: list) -> bool:
    """Two calls returned the same list, set or dictionary, and it was not the same any more."""
    first = returned[0]
    calls = zip(returned[1:], results[1:], strict=True)
    return issubclass(type(first), list | set | dict) and any(r is first and not same(k, results[0]) for r, k in calls)


def _named(exercise: Exercise, results: list, expected: list, failing: list[int]) -> Mistake | None:
    """The mistake whose model computes what the answer did; else the one that all wrong results show; else the only
    one whose model fits all wrong results, if there are several and they differ."""
    probes, rows, texts, fitting = exercise.probes, exercise.models, exercise.texts, {}
    mistakes = {(name, n): Mistake(name, texts.says(name, n)) for name, n, _ in rows}

    def agrees(row: int, i: int) -> bool:
        if (row, i) not in exercise.computed:
            exercise.computed[row, i] = rows[row][2](*probes[i].inputs)
        return same(results[i], exercise.computed[row, i])

    for row, (name, n, model) in enumerate(rows):
        if not isinstance(model, Seen) and all(agrees(row, i) for i in failing):
            if all(agrees(row, i) for i in range(len(results)) if i not in failing):
                return mistakes[name, n]
            fitting.setdefault(name, n)
    if any(map(usable, results)):  # NaN everywhere has many causes
        for name, n, model in rows:
            if isinstance(model, Seen) and all(
                _seen(model, results[i], expected[i], probes[i].inputs) for i in failing
            ):
                return mistakes[name, n]
    differ = any(not same(results[i], results[failing[0]]) for i in failing)
    return mistakes[fitting.popitem()] if len(fitting) == 1 and differ else None


def _named_by(exercise: Exercise, probe: Probe, error: BaseException) -> Mistake | None:
    """The mistake that is known by the error."""
    seen = (row for row in exercise.models if isinstance(row[2], Seen) and _seen(row[2], error, None, probe.inputs))
    return next((Mistake(name, exercise.texts.says(name, n)) for name, n, _ in seen), None)


def _seen(seen: Seen, got: Any, expected: Any, inputs: tuple) -> bool:
    """False, too, if the look fails: the result has a form that this mistake does not have."""
    uses_up = hasattr(type(got), "__next__")  # an iterator
    return not uses_up and safely(False, lambda: bool(seen.look(got, expected, *inputs)))


# Mistakes that every exercise knows.
_RETURNS_NONE = Mistake(
    key("returns nothing"),
    key("The result is None: a way through the function has no `return`, or returns None."),
)
_FILLS_MEMORY = Mistake(
    key("fills the memory"),
    key("The call took 500 MB of memory and was stopped. Does your loop move on, while something in it grows?"),
)
_CHANGES_INPUT = Mistake(
    key("changes its input"),
    key(
        "After the call an input is not what it was: the function works in place. Make a new object; the caller "
        "needs the old one."
    ),
)
_SEEDS_ALL = Mistake(
    key("sets the seed of all random numbers"),
    key(
        "The results are right, but `torch.manual_seed` starts the random numbers of the whole program anew, at each "
        "call: whatever else draws then draws the same again. Start a generator of your own."
    ),
)
_KEEPS_RESULTS = Mistake(
    key("keeps results of an earlier call"),
    key(
        "Two calls return the same object, and the second one adds to what the first one put there. Make the list "
        "(set, dictionary) inside the function, not outside and not as a default value of a parameter."
    ),
)
_REMEMBERS = Mistake(
    key("the same call has another result later"),
    key(
        "The first call was made once more after the others, and gave another result. Something is kept from call to "
        "call (a list, a dictionary or a tensor outside of the function, or a default value of a parameter), or it "
        "draws random numbers of its own."
    ),
)


def without_end(exercise: Exercise, limit: float = LIMIT) -> Result:
    """The verdict on an answer that somebody else has stopped."""
    return _mistake(exercise, _no_end(limit))


def _no_end(limit: float) -> Mistake:
    says = key(
        "The call computed that long and was stopped. Does your loop move on? Or does it try out more possibilities "
        "than there is time for?"
    )
    return Mistake(key("no end after # s").replace("#", f"{limit:g}"), says)


def known_mistakes(exercise: Exercise) -> dict[str, str]:
    """The names that `judge` may give, each with a sentence: the exercise's own, and those of all."""
    own = {name: exercise.texts.says(name, 0) for name in exercise.texts.mistakes}
    everywhere = [_RETURNS_NONE, _CHANGES_INPUT, _KEEPS_RESULTS, _FILLS_MEMORY, _SEEDS_ALL, _REMEMBERS, _no_end(LIMIT)]
    everywhere.append(_no_end(10))  # the limit of answers that were kept earlier
    everywhere.append(Mistake(_NO_FUNCTION, "What was handed over is no function, but a result, or something else."))
    everywhere.append(Mistake(_PARAMETERS, "The function takes other parameters than the exercise asks for."))
    everywhere.append(Mistake("the gradient is cut off", "The numbers are right, but something is detached."))
    everywhere.append(Mistake("what the gradient needs is changed in place", "The numbers are right, backward fails."))
    return dict(everywhere) | own


def _no_function(exercise: Exercise, answer: Any) -> Mistake:
    values = {"given": shown.brief(answer), "call": f"check({exercise.id!r}, {exercise.solution.__name__})"}
    says = t("check was given {given}. Hand over the function itself, without calling it: {call}.", **values)
    return Mistake(_NO_FUNCTION, says)


def _other_parameters(exercise: Exercise, answer: Callable) -> Mistake | None:
    try:
        inspect.signature(answer).bind(*exercise.probes[0].inputs)
    except TypeError as error:
        wanted = f"{exercise.solution.__name__}({', '.join(inspect.signature(exercise.solution).parameters)})"
        says = t("The function should be called as {wanted}, and cannot: {error}.", wanted=wanted, error=error)
        return Mistake(_PARAMETERS, says)
    except Exception:  # a built-in function without a signature: let the call decide
        return None
    return None


def _open(exercise: Exercise) -> Result:
    help_ = t("Replace the `...` and run the cell; {call} helps.", call=f'hint("{exercise.id}")')
    says = (f"{exercise.head}. {help_}",)
    return Result(t("Exercise {id}: not attempted yet.", id=exercise.id), says, tone="open", exercise=exercise.id)


def _right(exercise: Exercise, answer: Callable) -> Result:
    says = (t(exercise.texts.why), t("Compare with {call}.", call=f'solution("{exercise.id}")'))
    title = t("Exercise {id}: right.", id=exercise.id)
    if ruled_out := [way for way in exercise.without if way in ways(answer)]:
        title = t("Exercise {id}: right, with a remark.", id=exercise.id)
        by = t("a loop") if ruled_out[0] == "loop" else f"`{ruled_out[0]}`"
        says = (t("The result is right, but made with {way}; the question asks for a way without.", way=by), *says)
    return Result(title, says, tone="right", exercise=exercise.id, state="right")


def _mistake(exercise: Exercise, mistake: Mistake, tried: Tried | None = None) -> Result:
    title = t("Exercise {id}: not yet: {mistake}.", id=exercise.id, mistake=t_label(mistake.name))
    return _not_yet(exercise, title, (t(mistake.says),), "mistake", tried, mistake=mistake.name)


def _error(exercise: Exercise, tried: Tried, error: BaseException, mistake: Mistake | None) -> Result:
    said = safely("", str, error)
    says = [f"{type(error).__name__}: {_cut(said, 300)}" if said else type(error).__name__]
    written = undecorated(tried.answer)
    file = written.__code__.co_filename if isinstance(written, FunctionType) else None
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if frames:
        line = _cut(frames[-1].line or "", 200)
        says.append(t("Line {number} of your cell: {line}", number=frames[-1].lineno, line=line))
    if mistake:
        title = t("Exercise {id}: not yet: {mistake}.", id=exercise.id, mistake=t_label(mistake.name))
        return _not_yet(exercise, title, (t(mistake.says), *says), "mistake", tried, mistake=mistake.name)
    title = t("Exercise {id}: your function stopped with an error.", id=exercise.id)
    return _not_yet(exercise, title, tuple(says), "error", tried)


def _not_yet(
    exercise: Exercise, title: str, says: tuple, state: str, tried: Tried | None, mistake: str = "", end: tuple = ()
) -> Result:
    """A verdict with the call it is about, so that a reader can run it, and with both results."""
    verdict = Result(title, says + end, tone="wrong", exercise=exercise.id, state=state, mistake=mistake)
    if tried is None:
        return verdict
    inputs, got = tried.probe.inputs, tried.got
    name = _called(exercise, tried.answer)
    lines = [f"# {t(tried.probe.shows)}", shown.call(name, inputs)]
    expected = exercise.solution(*tried.probe.inputs)
    results = []
    if got is not ...:
        where, one, other = _narrowed(got, expected)
        results = [(t("your result") + where, one), (t("the right result") + where, other)]
    if tried.left:
        changed = zip(inspect.signature(exercise.solution).parameters, tried.left, inputs, strict=False)
        of_each = ((name, *_narrowed(new, old)) for name, new, old in changed if not same(new, old))
        results = [(t("what {name} is after your call", name=name + where), new) for name, where, new, _ in of_each]
    lines += [line for what, value in results for line in (f"# {what}", shown.result(value))]
    notes = [t("`{call}` runs this call again.", call=f'{name}(*failing("{exercise.id}"))')]
    if names := data_from_outside(tried.answer):
        listed = ", ".join(f"`{name}`" for name in names[:3])
        notes.insert(0, t("Your function reads {names} from outside, not from its parameters.", names=listed))
    fields = {"inputs": inputs, "got": None if got is ... else got, "expected": expected}
    return replace(verdict, paragraphs=(*says, *notes, *end), code="\n".join(lines), **fields)


def _narrowed(got: Any, expected: Any) -> tuple[str, Any, Any]:
    """Of what is too long to be shown the first part that differs: its place, as Python writes it, and both."""
    return safely(("", got, expected), _first_other, got, expected)


def _first_other(got: Any, expected: Any) -> tuple[str, Any, Any]:
    where = ""
    while any(shown.result(value).startswith("<") for value in (got, expected)):
        if isinstance(expected, dict):
            places = [place for place in expected if place in got]
        elif len(got) == len(expected):
            places = range(len(expected))
        else:
            break
        found = next((place for place in places if not same(got[place], expected[place])), None)
        if found is None:
            break
        where, got, expected = f"{where}[{found!r}]", got[found], expected[found]
    return where, got, expected


def _called(exercise: Exercise, answer: Callable) -> str:
    """The name by which a reader can call the answer."""
    known = isinstance(answer, FunctionType) and answer.__globals__.get(answer.__name__) is answer
    return answer.__name__ if known else exercise.solution.__name__


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
