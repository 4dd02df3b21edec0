"""Many learners' answers, from their folders or zipped folders. What cannot be read is named and skipped; no code runs.

A folder is one learner's if answer files (1.2.json, recall-1.json, hints.json) stand in it; else each folder and zip
file in it is a learner, with the answers up to three folders below and in zip files in there. Where such a folder or
zip file holds several people's folders or zip files, as what a learning platform hands out does, each is a learner.
A learner is called as that folder or file is, unless its name says nothing ("answers", "week 2"): then as the nearest
one whose name does.
"""

from __future__ import annotations

import contextlib
import io
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, NamedTuple
from unicodedata import normalize

from course.check import registry, store
from course.check.build import of_chapter
from course.check.front import HINTS, VERSION, is_look, is_version, levels_seen
from course.check.recall_questions import is_choice
from course_lib.data.readers.lines import hidden, zip_members
from course_lib.errors import CourseError
from course_lib.language import t

# group 1: what is answered; 2: what browsers and Canvas put behind it, "1.2 (1).json", "1.2-1.json"
_ANSWER = re.compile(r"(\d{1,3}\.(?:\d{1,3}|B)|recall-\d{1,3}|hints)( ?\(\d+\)|-\d+)?\.json")
_KIT = ("answers", "course-answers")  # a folder's name that does not say whose it is
_WORDS = "course answers? submissions? submitted attempt version part week exercises? assignments? homework chapter old"
_WORDS += " older final backup copy of 답안? 제출 과제 숙제 연습 문제 버전 주차 사본"
_NAMELESS = re.compile(rf"(?=.*[^\W\d_])(?:{'|'.join(_WORDS.split())}|[\W\d_])+", re.IGNORECASE)  # so do "week 2" ...
_MOODLE = "_assignsubmission_"  # in a name: of one person, whatever is below
# files of one person side by side: Moodle's Kim_1_assignsubmission_file_a.zip, Canvas' kim_1001_2001_a.zip (no dates)
_FLAT = re.compile(rf"(.+?_\d+){_MOODLE}file_(.+)|(.+?_(?!20\d\d_)\d{{3,}})_\d{{3,}}_(.+)")
_DEPTH, _MOST_ENTRIES, _MOST_BYTES = 3, 100_000, 60_000_000  # entries of all in a place, bytes of one learner
_ZIPS, _LEVELS, _PEOPLE = 3, 9, 10  # zip files in each other; folders looked at; times the bytes of one in a place
# RuntimeError: encrypted
_UNREADABLE = (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass
class Learner:
    """tries: exercise -> the versions kept, in order; looks: exercise -> levels of hints looked at before it was
    right (4: the solution); choices: chapter -> question's key -> text of the option chosen; builds: build -> its
    runs, with the parts of the learner's own under "yours"."""

    name: str
    tries: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    looks: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    choices: dict[int, dict[str, str]] = field(default_factory=dict)
    builds: dict[str, list[dict[str, str]]] = field(default_factory=dict)


def read_class(folders: Sequence[Path]) -> tuple[list[Learner], list[str]]:
    """The learners by name, and a sentence for each thing that was skipped."""
    known = {one.id for chapter in registry.chapters() for one in (*registry.of_chapter(chapter), *of_chapter(chapter))}
    learners, skipped = {}, []
    for place in (place for folder in folders for place in _places(folder, skipped)):
        own = Path(os.path.abspath(place))  # of .. too the name
        name = _shown(own.parent.name if own.name in _KIT else own.name)
        with contextlib.ExitStack() as opened:
            try:
                people = _people(name, [*_Place(name, skipped, opened).files(place)])
            except _UNREADABLE as error:
                skipped.append(f"{name}: {_why(error)}.")
                continue
            for found, files in people:
                name = _shown(found)
                if name in learners:
                    name = next(
                        other for n in range(2, len(learners) + 3) if (other := f"{name} ({n})") not in learners
                    )
                try:
                    answers = sorted(
                        (file for file in files if file.read), key=lambda file: _answer(file.path)[2] or ""
                    )
                    learner = _learner(name, ((file.path, file.read()) for file in answers), known, skipped)
                    if not (learner.tries or learner.looks or learner.choices or learner.builds):
                        raise ValueError(t("holds no answers of this course"))
                    learners[name] = learner
                except _UNREADABLE as error:
                    skipped.append(f"{name}: {_why(error)}.")
    skipped = [*map(_printable, skipped)]  # a file's name may steer a terminal
    if not learners:
        told = f"No answers in {', '.join(map(str, folders))}. {' '.join(skipped[:3])}"
        raise CourseError(f"{told} docs/classroom.md says how to collect them.")
    return sorted(learners.values(), key=lambda learner: learner.name.casefold()), skipped


def _shown(name: str) -> str:
    name = re.sub(r"\.zip$", "", normalize("NFC", name), flags=re.IGNORECASE)
    return _printable(name)


def _printable(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _why(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _places(folder: Path, skipped: list[str]) -> Iterator[Path]:
    """The folders and files in which the learners' answers are that `folder` stands for."""
    try:
        names = sorted(os.listdir(folder)) if folder.is_dir() else folder.stat() and []
    except OSError as error:
        raise CourseError(f"{folder}: {error.strerror}. Name folders of answers, or one that holds them.") from error
    if not names or any(name in _KIT or _ANSWER.fullmatch(name) for name in names):
        yield folder
        return
    for place in (folder / name for name in names if not hidden(PurePath(name))):
        if _is_zip(place.name) and place.with_suffix("").is_dir():  # it was unpacked here
            beside = t("is left out, because the folder {name} is beside it", name=_shown(place.name))
            skipped.append(f"{_shown(place.name)}.zip: {beside}.")
        else:
            yield place


class _File(NamedTuple):
    """parts: its folders and zip files below a place, then its name. read: gives its bytes; None if it is no answer."""

    parts: tuple[str, ...]
    path: PurePosixPath
    read: Callable[[], bytes] | None


class _Place:
    """The files in one folder or zip file, also those in the zip files in it, and how much may still be read of them.

    opened: where the zip files are closed in the end.
    """

    def __init__(self, name: str, skipped: list[str], opened: contextlib.ExitStack) -> None:
        self.name, self.skipped, self.opened = name, skipped, opened
        self.n_entries, self.n_bytes = 0, _PEOPLE * _MOST_BYTES
        self.people: set[str] = set()  # whose files stand side by side

    def files(self, place: Path) -> Iterator[_File]:
        """Raises one of _UNREADABLE if the whole is none or too much."""
        if place.is_dir() and not place.is_symlink():
            for parent, folders, names in os.walk(place, onerror=_stop):
                below = PurePosixPath(Path(parent).relative_to(place).as_posix())
                most = t("has over {n} files: name the folder of answers in it", n=f"{_MOST_ENTRIES:,}")
                self._count(len(folders) + len(names), most)
                folders[:] = sorted(folders) if len(below.parts) < _DEPTH else []
                folders[:] = [name for name in folders if not hidden(PurePath(name))]
                is_home = below == PurePosixPath() and any(name in _KIT for name in folders)  # its zip files: anything
                for path in (Path(parent, name) for name in sorted(names) if not hidden(PurePath(name))):
                    if stat.S_ISREG(path.lstat().st_mode) and not (is_home and _is_zip(path.name)):  # a pipe would wait
                        yield from self._file(below / path.name, partial(open, path, "rb"), path.stat().st_size)
        elif _is_zip(place.name) and stat.S_ISREG(place.lstat().st_mode):
            yield from self._zipped(place, PurePosixPath())
        else:
            raise ValueError(t("is neither a folder nor a zip file"))

    def _file(self, path: PurePosixPath, open_: Callable[[], IO[bytes]], size: int, depth: int = 0) -> Iterator[_File]:
        """One file, or what is in it if it is a zip file: trouble with that is told, and the others are read."""
        above, name = path.parts[:-1], path.name
        if flat := _FLAT.fullmatch(name[:255]):
            person, inner = filter(None, flat.groups())
            if not _says_nothing(person):
                self.people.add(person)
                above, name = (*above, person), inner
        path = PurePosixPath(*above, name)
        ends = (i for i, part in enumerate(above, 1) if part in self.people)
        parts = (*above[: next(ends, _LEVELS)], name)
        if _ANSWER.fullmatch(name):
            yield _File(parts, path, partial(self._bytes, open_, store.MOST_BYTES))
            return
        yield _File(parts, path, None)
        if _is_zip(name):
            try:
                if depth >= _ZIPS:
                    raise ValueError(t("is too deep in other zip files: unpack those"))
                if size > _MOST_BYTES:
                    raise ValueError(t("has over {n} MB: zip the folder of answers alone", n=f"{_MOST_BYTES / 1e6:g}"))
                raw = io.BytesIO(self._bytes(open_, _MOST_BYTES))
                yield from self._zipped(raw, path, depth + 1)
            except _UNREADABLE as error:
                self.skipped.append(f"{self.name}, {path}: {_why(error)}.")

    def _zipped(self, source: Path | IO[bytes], above: PurePosixPath, depth: int = 1) -> Iterator[_File]:
        archive = self.opened.enter_context(zipfile.ZipFile(source))
        most = t("has over {n} files: zip the folder of answers alone", n=f"{_MOST_ENTRIES:,}")
        self._count(len(archive.infolist()), most)
        for path, member in zip_members(archive):
            yield from self._file(above / path, partial(archive.open, member), member.file_size, depth)

    def _count(self, n: int, too_many: str) -> None:
        if self.n_entries + n > _MOST_ENTRIES:
            raise ValueError(too_many)
        self.n_entries += n

    def _bytes(self, open_: Callable[[], IO[bytes]], most: int) -> bytes:
        """At most one more than `most`: a sign of a file that is too large."""
        with open_() as file:
            raw = file.read(min(most, self.n_bytes) + 1)
        self.n_bytes -= len(raw)
        if self.n_bytes < 0:
            most = f"{_PEOPLE * _MOST_BYTES / 1e6:g}"
            raise ValueError(t("is in a place of over {n} MB: unpack it, and name the folder", n=most))
        return raw


def _people(name: str, files: list[_File]) -> list[tuple[str, list[_File]]]:
    """The people among `files`, all of a place or folder called `name`: each one's name and files (none, if only others
    below handed in answers)."""
    below: dict[str, list[_File]] = defaultdict(list)
    for file in files:
        if len(file.parts) > 1:
            below[file.parts[0]].append(file._replace(parts=file.parts[1:]))
    if _MOODLE in name or any(file.read for file in files if len(file.parts) == 1):
        return [(name, files)]
    found = {part: _people(part, inner) for part, inner in below.items() if any(file.read for file in inner)}
    single = [part for part, people in found.items() if len(people) == 1]
    if any(part in _KIT for part in single) or all(part in single and _says_nothing(part) for part in found):
        return [(name, files)]
    people = [person for part in found.values() for person in part]
    if len(people) == 1:
        return [(people[0][0] if _says_nothing(name) else name, files)]
    return people + [(part, []) for part in below if part not in found]


def _says_nothing(name: str) -> bool:
    return _NAMELESS.fullmatch(_shown(name)) is not None


def _answer(path: PurePosixPath) -> re.Match:
    return _ANSWER.fullmatch(path.name)


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _stop(error: OSError) -> None:
    raise error


def _learner(name: str, files: Iterator[tuple[PurePosixPath, bytes]], known: set[str], skipped: list[str]) -> Learner:
    learner, looks, read, n_bytes = Learner(name), {}, {}, 0
    for path, raw in files:
        if (n_bytes := n_bytes + len(raw)) > _MOST_BYTES:
            raise ValueError(t("holds over {n} MB of answers", n=f"{_MOST_BYTES / 1e6:g}"))
        answered = _answer(path)[1]
        try:
            if read.setdefault(answered, path) != path:
                raise ValueError(t("a second one, beside {other}", other=read[answered]))
            if len(raw) > store.MOST_BYTES:
                raise ValueError(t("too large"))
            if answered == HINTS:
                for look in store.items_of(raw, is_look):
                    looks.setdefault(look["exercise"], []).append(look)
            elif answered.startswith("recall-"):
                chosen = {item["question"]: item["option"] for item in store.items_of(raw, is_choice)}
                learner.choices[int(answered.removeprefix("recall-"))] = chosen
            elif answered not in known:
                raise ValueError(t("this course has no such exercise"))
            elif items := store.items_of(raw, is_version):
                if answered.endswith(".B"):
                    runs = [{"state": item["state"], "yours": str(item.get("yours", ""))} for item in items]
                    learner.builds[answered] = runs
                else:
                    learner.tries[answered] = [{part: item[part] for part in VERSION} for item in items]
        except ValueError as error:
            skipped.append(f"{name}, {path}: {t(str(error))}.")
    for exercise, seen in looks.items():
        learner.looks[exercise] |= levels_seen(seen)
    return learner
