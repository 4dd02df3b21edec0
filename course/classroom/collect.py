"""Many learners' answers, from their folders or zipped folders. What cannot be read is named and skipped; no code runs.

A folder is one learner's if answer files (1.2.json, recall-1.json, hints.json) stand in it; else each folder and zip
file in it is a learner, with the answers up to three folders below. A learner is called as that folder or file is; a
folder called "answers" or "course-answers" that is named itself lends its parent's name.
"""

from __future__ import annotations

import lzma
import os
import re
import stat
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from course.check import registry, store
from course.check.front import HINTS, VERSION, is_look, is_version, levels_seen
from course.check.recall_questions import is_choice
from course_lib.errors import CourseError
from course_lib.language import t

_ANSWER = re.compile(r"(\d{1,3}\.\d{1,3}|recall-\d{1,3}|hints)\.json")
_KIT = ("answers", "course-answers")  # a folder's name that does not say whose it is
_DEPTH, _MOST_ENTRIES, _MOST_BYTES = 3, 20_000, 60_000_000  # of one learner
# RuntimeError: encrypted
_UNREADABLE = (OSError, ValueError, RuntimeError, EOFError, zipfile.BadZipFile, zlib.error, lzma.LZMAError)


@dataclass
class Learner:
    """tries: exercise -> the versions kept, in order; looks: exercise -> levels of hints looked at before it was
    right (4: the solution); choices: chapter -> question's key -> text of the option chosen."""

    name: str
    tries: dict[str, list[dict[str, str]]] = field(default_factory=dict)
    looks: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    choices: dict[int, dict[str, str]] = field(default_factory=dict)


def read_class(folders: Sequence[Path]) -> tuple[list[Learner], list[str]]:
    """The learners by name, and a sentence for each thing that was skipped."""
    known = {exercise.id for chapter in registry.chapters() for exercise in registry.of_chapter(chapter)}
    learners, skipped = {}, []
    for place in (place for folder in folders for place in _places(folder)):
        own = Path(os.path.abspath(place))  # of .. too the name
        name = own.parent.name if own.name in _KIT else re.sub(r"\.zip$", "", own.name, flags=re.I)
        name = "".join(letter if letter.isprintable() else "?" for letter in normalize("NFC", name))
        if name in learners:
            name = next(other for n in range(2, len(learners) + 3) if (other := f"{name} ({n})") not in learners)
        try:
            learner = _learner(name, _answers(place), known, skipped)
            if not (learner.tries or learner.looks or learner.choices):
                raise ValueError(t("holds no answers of this course"))
            learners[name] = learner
        except _UNREADABLE as error:
            skipped.append(f"{name}: {getattr(error, 'strerror', None) or str(error) or type(error).__name__}.")
    if not learners:
        told = f"No answers in {', '.join(map(str, folders))}. {' '.join(skipped[:3])}"
        raise CourseError(f"{told} docs/classroom.md says how to collect them.")
    return sorted(learners.values(), key=lambda learner: learner.name.casefold()), skipped


def _places(folder: Path) -> Iterator[Path]:
    """The learners' folders and files that `folder` stands for."""
    try:
        names = sorted(os.listdir(folder)) if folder.is_dir() else folder.stat() and []
    except OSError as error:
        raise CourseError(f"{folder}: {error.strerror}. Name folders of answers, or one that holds them.") from error
    if not names or any(name in _KIT or _ANSWER.fullmatch(name) for name in names):
        yield folder
    else:
        yield from (folder / name for name in names if not name.startswith("."))


def _answers(place: Path) -> Iterator[tuple[PurePosixPath, bytes | ValueError]]:
    """Answer files by their place, with what is in them. Raises one of _UNREADABLE if the whole is none or too much."""
    if place.is_dir() and not place.is_symlink():
        n_entries = 0
        for parent, folders, names in os.walk(place, onerror=_stop):
            below = Path(parent).relative_to(place)
            n_entries += len(folders) + len(names)
            if n_entries > _MOST_ENTRIES:
                raise ValueError(t("has over {n} files: name the folder of answers in it", n=f"{_MOST_ENTRIES:,}"))
            folders[:] = sorted(f for f in folders if not f.startswith(".")) if len(below.parts) < _DEPTH else []
            for path in (Path(parent, name) for name in names if _ANSWER.fullmatch(name)):
                if stat.S_ISREG(path.lstat().st_mode):  # a pipe would be waited for
                    with open(path, "rb") as file:
                        yield PurePosixPath(below / path.name), file.read(store.MOST_BYTES + 1)
    elif place.suffix.lower() == ".zip" and stat.S_ISREG(place.lstat().st_mode):
        with zipfile.ZipFile(place) as archive:
            members = archive.infolist()
            if len(members) > _MOST_ENTRIES:
                raise ValueError(t("has over {n} files: zip the folder of answers alone", n=f"{_MOST_ENTRIES:,}"))
            for member in members:
                path = PurePosixPath(member.filename.replace("\\", "/"))
                if _ANSWER.fullmatch(path.name) and "__MACOSX" not in path.parts:
                    with archive.open(member) as file:
                        yield path, file.read(store.MOST_BYTES + 1)
    else:
        raise ValueError(t("is neither a folder nor a zip file"))


def _stop(error: OSError) -> None:
    raise error


def _learner(name: str, files: Iterator[tuple[PurePosixPath, bytes]], known: set[str], skipped: list[str]) -> Learner:
    learner, looks, read, n_bytes = Learner(name), {}, {}, 0
    for path, raw in files:
        if (n_bytes := n_bytes + len(raw)) > _MOST_BYTES:
            raise ValueError(t("holds over {n} MB of answers", n=f"{_MOST_BYTES / 1e6:g}"))
        try:
            if read.setdefault(path.stem, path) != path:
                raise ValueError(t("a second one, beside {other}", other=read[path.stem]))
            if len(raw) > store.MOST_BYTES:
                raise ValueError(t("too large"))
            if path.stem == HINTS:
                for look in store.items_of(raw, is_look):
                    looks.setdefault(look["exercise"], []).append(look)
            elif path.stem.startswith("recall-"):
                chosen = {item["question"]: item["option"] for item in store.items_of(raw, is_choice)}
                learner.choices[int(path.stem.removeprefix("recall-"))] = chosen
            elif path.stem not in known:
                raise ValueError(t("this course has no such exercise"))
            elif versions := [{part: item[part] for part in VERSION} for item in store.items_of(raw, is_version)]:
                learner.tries[path.stem] = versions
        except ValueError as error:
            skipped.append(f"{name}, {path}: {t(str(error))}.")
    for exercise, seen in looks.items():
        learner.looks[exercise] |= levels_seen(seen, learner.tries.get(exercise, ()))
    return learner
