"""What a reader types: check, failing, hint, solution, recall, answers, restore."""

from __future__ import annotations

import contextlib
import copy
import datetime
import inspect
import linecache
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

from course.check import registry, store
from course.check.judge import judge
from course.check.messages import Message, Result
from course.check.written import undecorated
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

HINTS, SOLUTION = "hints", 4  # the file of what was looked at; the solution stands above the three levels of hints
VERSION = ("source", "state", "mistake", "time")  # what is kept of an answer
_LONGEST_SOURCE = 100_000  # characters of one cell
_NO_ANSWER = object()
_LAST: dict[str, Result] = {}  # the last verdict of each exercise in this kernel
_STATES = {"right": key("state|right"), "wrong": key("state|wrong"), "error": key("state|error")}


def check(exercise_id: str, answer: Any = _NO_ANSWER, *, text: str = "") -> Result:
    """Try `answer` (your function) on the exercise's probes; names the mistake if it is a known one.

    Does not raise for a wrong answer, so that Run All goes on.
    A call that computes for more than 6 seconds or takes 500 MB is stopped (on Windows it is not: interrupt the
    kernel). `os._exit` in an answer cannot be stopped: it ends the kernel.
    Keeps the cell under answers/, see `restore`. Raises CourseError for an unknown exercise.

    check("7.B") runs the build of chapter 7: a machine of your own parts, as far as you have them;
    check("7.B", text="NAME") on a text of your own, made by `course text`.
    """
    if build := _build(exercise_id):
        if answer is _NO_ANSWER:
            return builds().run(build, text)
        says = key("{id} is a build: it takes its parts from your answers. Run {call}, without a function.")
        raise CourseError(t(says, id=build.id, call=build.starter))
    exercise = registry.find(exercise_id)
    if answer is _NO_ANSWER:
        call = f'check("{exercise_id}", {exercise.solution.__name__})'
        raise CourseError(t("check needs your function as well: {call}.", call=call))
    with without_exit():
        result = _LAST[exercise_id] = judge(exercise, answer)
    notes = [_elsewhere(result, answer, sys._getframe(1).f_code.co_filename)]
    if result.state != "not attempted":
        notes.append(_keep(result, answer))
    if result.right and _shell():
        notes.append(_lacks(exercise, answer))
    return replace(result, paragraphs=(*result.paragraphs, *filter(None, notes)))


def failing(exercise_id: str) -> tuple:
    """The inputs of the call that the last `check` of this exercise found wrong, to run it again yourself:
    `viterbi(*failing("3.4"))`. Fresh copies each time. Raises CourseError if there is no such call."""
    exercise, last = registry.find(exercise_id), _LAST.get(exercise_id)
    if last is None:
        says = key("{call}: nothing was checked since this kernel started. First run {first}.")
    elif not last.inputs:
        says = key("{call}: the last check found no input that fails. It said: {title}")
    else:
        return copy.deepcopy(last.inputs)
    first = f'check("{exercise_id}", {exercise.solution.__name__})'
    raise CourseError(t(says, call=f'failing("{exercise_id}")', first=first, title=last.title if last else ""))


def hint(exercise_id: str, level: int = 1) -> Message:
    """Hint 1 says where to look, 2 what to do, 3 nearly how. That you looked is kept beside your answers."""
    exercise = registry.find(exercise_id)
    if level not in (1, 2, 3):
        call = f'hint("{exercise_id}", level={level!r})'
        raise CourseError(t("{call}: there are three levels. Use 1, 2 or 3.", call=call))
    _keep_look(exercise_id, level)
    call = f'hint("{exercise_id}", level={level + 1})' if level < 3 else f'solution("{exercise_id}")'
    title = t("Exercise {id}: hint {level} of 3", id=exercise_id, level=level)
    return Message(title, (t(exercise.texts.hints[int(level) - 1]), t("Next: {call}", call=call)))


def solution(exercise_id: str) -> Message:
    """The reference solution and why it is so. That you looked is kept beside your answers.

    solution("7.B") runs the build of chapter 7 with the course's parts.
    """
    if build := _build(exercise_id):
        return builds().solution(build)
    exercise = registry.find(exercise_id)
    _keep_look(exercise_id, SOLUTION)
    code = exercise.worded(inspect.getsource(exercise.solution))
    return Message(t("Exercise {id}: a solution", id=exercise_id), (t(exercise.texts.why),), code=code)


def play(build_id: str, *given: Any, text: str = "") -> Any:
    """Play with what `check("7.B")` has made: play("7.B"), or with sentences of your own.

    text: the name of a text of your own, as in `check`.
    """
    return builds().play(build_id, *given, text=text)


def recall(chapter: int):
    """The chapter's recall questions, to be answered in the page. Raises CourseError if it has none."""
    from course.check.recall_questions import Recall  # exercises are also checked where no anywidget is installed

    return Recall(chapter)


def answers() -> Message:
    """What is kept of your answers, exercise by exercise."""
    lines, notes = [], []
    looks, _ = store.read(HINTS, is_look)
    for name in store.names():
        if name.startswith("recall-") or name == HINTS:
            continue
        items, note = store.read(name, is_version)
        notes += [note] if note else []
        if items and name.endswith(".B"):
            lines.append(_built_line(name, items))
        elif items:
            last, levels = items[-1], sorted(levels_seen(look for look in looks if look["exercise"] == name))
            values = {"name": name, "n": len(items), "date": last["time"][:10], "state": _state(last)}
            line = t("{name}: {n} version(s), the last of {date}: {state}", **values)
            names = {SOLUTION: t("the solution")}
            seen = ", ".join(names.get(level) or t("hint {level}", level=level) for level in levels)
            lines.append(line + (t("; looked at: {seen}", seen=seen) if seen else ""))
    if not lines and not notes:
        says = key(
            "`check` keeps a cell when it has been filled. If yours are elsewhere, COURSE_ANSWERS_DIR names the folder."
        )
        return Message(t("No answers are kept yet in {folder}/", folder=store.folder().name), (t(says),))
    says = t(
        "{call} puts the last version of an exercise into a new cell. The files are in {folder}/ and no update of the "
        "course touches them; take that folder along to a new copy.",
        call='restore("1.2")',
        folder=store.folder().name,
    )
    return Message(t("Your answers"), ("\n".join(lines), *notes, says))


def restore(exercise_id: str, version: int | None = None) -> Message:
    """Show a kept version of your answer (1: the first; the last if you name none) and put it into a new cell below."""
    registry.find(exercise_id)
    items, note = store.read(exercise_id, is_version)
    if note:
        raise CourseError(f'restore("{exercise_id}"): {note}')
    if not items:
        return Message(t("Exercise {id}: no answer is kept yet", id=exercise_id), tone="open")
    version = len(items) if version is None else version
    if version not in range(1, len(items) + 1):
        raise CourseError(f"Exercise {exercise_id} has {len(items)} kept version(s), and {version!r} is none of them.")
    item = items[int(version) - 1]
    if shell := _shell():
        shell.set_next_input(item["source"], replace=False)
    values = {"version": version, "n": len(items), "date": item["time"][:10], "state": _state(item)}
    says = t("Version {version} of {n}, {date}: {state}", **values)
    return Message(t("Exercise {id}: your answer", id=exercise_id), (says,), code=item["source"])


def builds():
    """The module of builds, which needs torch."""
    from course.check import build

    return build


def _build(exercise_id: Any) -> Any:
    return builds().find(exercise_id) if isinstance(exercise_id, str) and exercise_id.endswith(".B") else None


def _built_line(name: str, items: list) -> str:
    last = items[-1]
    values = {"name": name, "date": last["time"][:10], "state": _state(last), "parts": last.get("yours", "")}
    return t("{name}: built, the last time on {date}: {state}; parts of yours in it: {parts}", **values)


def _keep(result: Result, answer: Any) -> str:
    source = _source(answer)
    if not source or len(source) > _LONGEST_SOURCE:
        return t("The text of this answer could not be found, so it is not kept.")
    version = {"source": source, "state": result.state, "mistake": result.mistake}

    def append(items: list) -> list:
        if items and all(items[-1][key] == value for key, value in version.items()):
            return items
        return [*items, {**version, "time": now()}]

    return store.update(result.exercise, is_version, append)


def _lacks(exercise: Any, answer: Any) -> str:
    """A note if the chapter's build, which runs each part's cell alone, cannot use this one."""
    source = _source(answer)
    error = source and builds().lacks(exercise, source)
    if not error:
        return ""
    says = key(
        "Not yet for build {id}, where this cell runs alone and stops: {error}. Put its helpers and imports into this "
        "cell and run it again."
    )
    return t(says, id=f"{exercise.id.partition('.')[0]}.B", error=error.rstrip("."))


def _keep_look(exercise_id: str, level: int) -> None:
    """With the look it is kept whether a right version was there, since a clock may be set back."""
    look = {"exercise": exercise_id, "level": level}
    versions, _ = store.read(exercise_id, is_version)
    after = {"solved": any(version["state"] == "right" for version in versions), "time": now()}

    def append(items: list) -> list:
        return items if any(item.items() >= look.items() for item in items) else [*items, look | after]

    store.update(HINTS, is_look, append)


def levels_seen(looks: Iterable[dict]) -> set[int]:
    """Of the looks at one exercise the levels that may have helped: those before its first right version."""
    return {int(look["level"]) for look in looks if not look["solved"]}


def now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="microseconds")


def _elsewhere(result: Result, answer: Any, cell: str) -> str:
    """A note if the answer was defined in another cell than the one that called `check`. cell: its file name."""
    if not (_shell() and isinstance(answer, FunctionType) and answer.__module__ == "__main__"):
        return ""
    own = re.findall(r"^def (\w+)", "".join(linecache.getlines(cell)), re.MULTILINE)
    written = getattr(undecorated(answer), "__code__", answer.__code__)
    if written.co_filename == cell or answer.__name__ in own:  # by its name: a decorator may hide it
        return ""
    if own:
        values = {"name": answer.__name__, "own": own[-1], "call": f'check("{result.exercise}", {own[-1]})'}
        return t("This cell defines `{own}`, but `{name}` of another cell was judged. Run `{call}`.", **values)
    return "" if result.right else t("What was judged is `{name}` as another cell defines it.", name=answer.__name__)


@contextlib.contextmanager
def without_exit() -> Iterator[None]:
    """In a notebook `exit` and `quit` end the kernel when the cell is done; in the block they raise SystemExit."""
    shell = _shell()
    if shell is not None:
        shell.ask_exit = sys.exit
    try:
        yield
    finally:
        if shell is not None:
            del shell.ask_exit


def _source(answer: Any) -> str:
    """The whole cell an answer was written in (helpers included); outside a notebook its own lines; "" if unknown."""
    answer = undecorated(answer)
    if _shell() and isinstance(answer, FunctionType) and answer.__module__ == "__main__":
        return "".join(linecache.getlines(answer.__code__.co_filename)).rstrip("\n")
    try:
        return inspect.getsource(answer).rstrip("\n")
    except (OSError, TypeError):
        return ""


def _shell():
    """The running IPython, or None. IPython is never imported for its own sake."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython else None


def _state(item: dict) -> str:
    if item["mistake"]:  # kept in English, whatever the reader's language
        return t("mistake: {name}", name=t_label(item["mistake"]))
    return t(_STATES.get(item["state"], item["state"]))


def is_version(item: Any) -> bool:
    return isinstance(item, dict) and all(isinstance(item.get(key), str) for key in VERSION)


def is_look(item: Any) -> bool:
    if not isinstance(item, dict) or item.get("level") not in (1, 2, 3, SOLUTION):
        return False
    words = item.get("exercise"), item.get("time")
    return all(isinstance(word, str) for word in words) and isinstance(item.get("solved"), bool)
