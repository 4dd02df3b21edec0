"""Builds: a chapter's machine out of the reader's own parts. `check("7.B")` runs it.

A build is one file `course/chapters/chNN/build.py` with one `BUILD`; its words stand under its id in `texts.toml`.
Its parts are exercises, also its joints: what a machine can do wrong between two parts is an exercise with probes.
"""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course import kept
from course.check import registry, store
from course.check.exercise import Exercise, head
from course.check.front import is_version, now
from course.check.messages import Result
from course.check.parts import Part, alone, blame, guarded, parts
from course.settings import seed
from course_lib.errors import CourseError
from course_lib.language import key, language, t

_LAST: dict[tuple[str, str], Ran] = {}  # what each build made in this kernel, by its text


@dataclass
class Ran:
    """What a run of a machine made.

    networks  by the name under which they are kept
    play      play(...): something to play with, a widget or a Message
    proofs    rows (name of a sentence of the build, does it hold?, its values), see `prove`
    shows     a short text, such as a table of answers
    words     the vocabulary of the networks, where each is a BERT that `course ask` can open
    """

    networks: dict[str, nn.Module]
    play: Callable[..., Any]
    proofs: list[tuple[str, bool, dict]] = field(default_factory=list)
    shows: str = ""
    words: Sequence[str] | None = None

    def prove(self, name: str, holds: bool, **values: object) -> None:
        """A result beside its bar. name: that of its sentence in texts.toml, whose {values} these are."""
        self.proofs.append((name, bool(holds), values))


@dataclass(frozen=True)
class Build:
    """run(train, **functions by the names of the solutions) -> Ran. With train=False it puts the parts together and
    neither trains nor proves: what was kept is filled in, and played with."""

    id: str  # chapter and B: "7.B"
    parts: tuple[str, ...]  # exercises, in an order in which a cell may call the functions of those before
    run: Callable[..., Ran]
    importance: int
    minutes: int
    difficulty: int = 5
    any_text: bool = False  # its run reads `course.lab.roles.thread()`: check(id, text=NAME) gives it another text

    @property
    def texts(self) -> Mapping[str, Any]:
        """title, question (Markdown), says: a sentence for each proof."""
        file = Path(inspect.getfile(self.run)).with_name("texts.toml")
        return tomllib.loads(file.read_text(encoding="utf-8"))[self.id]

    @property
    def exercises(self) -> list[Exercise]:
        return [registry.find(part) for part in self.parts]

    @property
    def markdown(self) -> str:
        """Title, head, goal and parts, as they stand in the notebook's text."""
        title = t("Build {id} · {title}", id=self.id, title=t(self.texts["title"]))
        line = head(self.difficulty, self.importance, self.minutes)
        named = " · ".join(f"**{exercise.id}** {t(exercise.texts.title)}" for exercise in self.exercises)
        listed = t("*Its parts:* {parts}. Each cell runs alone, with helpers and imports of its own.", parts=named)
        return f"### {title}\n{t('*{head}*', head=line)}\n\n{t(self.texts['question'].strip())}\n\n{listed}"

    @property
    def starter(self) -> str:
        return f'check("{self.id}")'


def of_chapter(chapter: int) -> list[Build]:
    """A chapter's build, if it has one."""
    if chapter not in registry.chapters_with("build.py"):
        return []
    return [importlib.import_module(f"course.chapters.ch{chapter:02}.build").BUILD]


def find(build_id: Any) -> Build | None:
    """The build of this id; None for an exercise's or for what is none."""
    form = re.fullmatch(r"(\d{1,3})\.B", build_id) if isinstance(build_id, str) else None
    return next(iter(of_chapter(int(form[1]))), None) if form else None


def run(build: Build, text: str = "") -> Result:
    """With the reader's parts; with none of them nothing runs. text: the name of one of the reader's own."""
    with _reading(build, text):
        found = parts(build.exercises)
        listed = "\n".join(part.line for part in found)
        if not any(part.own for part in found):
            call = f'`solution("{build.id}")`'
            help_ = t("One part of yours is enough to run it. {call} runs it with the course's.", call=call)
            title = t("Build {id}: no part of it is yours yet.", id=build.id)
            return Result(title, (listed, help_), tone="open", exercise=build.id)
        result = _result(build, found, listed)
    yours = " ".join(part.exercise.id for part in found if part.own)
    version = {"source": "", "state": result.state, "mistake": "", "time": now(), "yours": yours}
    note = store.update(build.id, is_version, lambda items: [*items, version])
    return replace(result, paragraphs=(*result.paragraphs, *filter(None, [note])))


def lacks(exercise: Exercise, source: str) -> str:
    """Why the cell of a right answer is none for its chapter's build, which runs it alone; "" if nothing is missing."""
    build = find(f"{exercise.id.partition('.')[0]}.B")
    if build is None or exercise.id not in build.parts:
        return ""
    before = build.exercises[: build.parts.index(exercise.id)]
    return alone(exercise, source, {one.solution.__name__: one.solution for one in before})[1]


def solution(build: Build) -> Result:
    """With the course's parts; nothing is kept."""
    return _result(build, [Part(exercise, exercise.solution) for exercise in build.exercises], "")


def play(build_id: str, *given: Any, text: str = "") -> Any:
    """Play with what a build has made: a sentence, or what its chapter says. Tomorrow, too: it is kept.

    text: on which it was made, as in `run`.

    Raises CourseError if it has made nothing yet.
    """
    build = find(build_id)
    if build is None:
        known = ", ".join(one.id for chapter in registry.chapters() for one in of_chapter(chapter))
        raise CourseError(t("There is no build {id}. There are: {all}.", id=f"{build_id!r:.40}", all=known))
    with _reading(build, text):
        if (build.id, text) not in _LAST:
            ran = _machine(build, parts(build.exercises), [""], [], train=False)
            if not all(kept.restore(name, network.eval()) for name, network in ran.networks.items()):
                call = _call("check", build, text)
                raise CourseError(t("{id}: nothing is kept yet. First run {call}.", id=build.id, call=call))
            _LAST[build.id, text] = ran
        player = _LAST[build.id, text].play
        _refuse_what_cannot_be_played(build, player, given)
        return player(*given)


def _refuse_what_cannot_be_played(build: Build, player: Callable, given: Sequence) -> None:
    wanted = inspect.signature(player)
    try:
        wanted.bind(*given)
        if all(isinstance(one, str) and one.strip() for one in given):
            return
    except TypeError:
        pass
    more = ", ".join([f'"{build.id}"', *(name.rstrip("s") for name in wanted.parameters)])
    calls = dict.fromkeys([f'play("{build.id}")', f"play({more})"])
    says = key("What was given to {id} cannot be played. These calls can: {calls}, each text in quotation marks.")
    raise CourseError(t(says, id=build.id, calls=", ".join(calls)))


def _call(function: str, build: Build, text: str) -> str:
    return f'{function}("{build.id}", text="{text}")' if text else f'{function}("{build.id}")'


@contextmanager
def _reading(build: Build, text: str) -> Iterator[None]:
    if text and not build.any_text:
        able = ", ".join(one.id for chapter in registry.chapters() for one in of_chapter(chapter) if one.any_text)
        raise CourseError(t("Build {id} reads no text of your own. These do: {able}.", id=build.id, able=able))
    with kept.of_text(text):
        yield


def _machine(build: Build, found: list[Part], calls: list[str], replaced: list[str], train: bool) -> Ran:
    functions = {part.exercise.solution.__name__: guarded(part, calls, replaced) for part in found}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed())
        return build.run(train, **functions)


def _result(build: Build, found: list[Part], listed: str) -> Result:
    own, calls, replaced = sum(part.own for part in found), [""], []
    try:
        ran = _machine(build, found, calls, replaced, train=True)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # NoEnd and sys.exit, too
        part, says = blame(error, calls[0])
        if not part and (not own or isinstance(error, CourseError)):
            raise  # the course's own fault, or it says itself what to do
        title = t("Build {id}: the machine stopped.", id=build.id)
        if part:
            title = t("Build {id}: it stopped in your part {part}.", id=build.id, part=part)
            says += [t("{call} brings its cell back; mend it and check it again.", call=f'`restore("{part}")`')]
        return Result(title, (*says, listed), tone="wrong", exercise=build.id, state="error")
    _LAST[build.id, kept.text()] = ran
    right = all(holds for _, holds, _ in ran.proofs)
    proofs = (("✓ " if holds else "✗ ") + t(build.texts["says"][name], **said) for name, holds, said in ran.proofs)
    notes = [listed, "\n".join(proofs)]
    title = key("Build {id}: it runs, with the course's parts.")
    if own:
        title = key("Build {id}: it runs, and all of it is yours.")
        title = title if own == len(found) else key("Build {id}: it runs. Yours: {n} of its {all} parts.")
    if replaced:
        title = key("Build {id}: it runs. Yours: {n} of its {all} parts; the course's did the rest of {slow}.")
    if own and right and ran.networks:
        notes += _kept(ran)
    if not right:
        title = key("Build {id}: it runs, but not every proof holds.")
    notes.append(t("Play with it: {call}.", call=f"`{_call('play', build, kept.text())}`"))
    look = {"tone": "right" if right else "wrong", "state": "right" if right else "wrong"}
    values = {"id": build.id, "n": own, "all": len(found), "slow": ", ".join(replaced)}
    return Result(t(title, **values), tuple(filter(None, notes)), ran.shows, exercise=build.id, **look)


def _kept(ran: Ran) -> Iterator[str]:
    """Keeps the networks, and says so; a full disk takes nothing away from what was proved."""
    try:
        for name, network in ran.networks.items():
            kept.keep(name, network, ran.words)
    except CourseError as error:
        yield str(error)
        return
    names = ", ".join(f"`{name}`" for name in ran.networks)
    yield t("Kept as {names}, also for tomorrow.", names=names)
    if ran.words:
        asked = "/".join(filter(None, (kept.text(), next(iter(ran.networks)))))
        call = f"`course --language {language()} ask {asked}`"
        yield t("{call}, in a terminal, opens it in the page *Ask BERT*.", call=call)
