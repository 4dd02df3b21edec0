"""Which exercises there are. Each is a module with one `EXERCISE` in its chapter's folder: `chapterN/ex_N_M_topic.py`.
A new file is found by itself; nothing is listed twice."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.exercises.exercise import Exercise

_FOLDER = Path(__file__).parent


def chapters() -> list[int]:
    """Chapters that have exercises."""
    return _chapters_with("__init__.py")


def of_chapter(chapter: int) -> list[Exercise]:
    """A chapter's exercises in their order; an empty list if it has none. Imports that chapter's files only."""
    package = f"chapter{chapter}"
    modules = (module.name for module in pkgutil.iter_modules([str(_FOLDER / package)]))
    found = [importlib.import_module(f"course_lib.exercises.{package}.{name}").EXERCISE for name in modules]
    return sorted(found, key=lambda exercise: [int(part) for part in exercise.id.split(".")])


def find(exercise_id: str) -> Exercise:
    """The exercise called `exercise_id`. Raises CourseError if there is none."""
    form = re.fullmatch(r"(\d+)\.\d+", str(exercise_id))
    known = {exercise.id: exercise for exercise in of_chapter(int(form[1]))} if form else {}
    if exercise_id not in known:
        places = f"Chapter {form[1]} has {', '.join(known)}" if known else f"Chapters with exercises: {chapters()}"
        raise CourseError(f'There is no exercise {exercise_id!r}. {places}. Write its number as text: "1.2".')
    return known[exercise_id]


def recall_file(chapter: int) -> Path:
    """Where a chapter's recall questions are written. Raises CourseError if it has none."""
    path = _FOLDER / f"chapter{chapter}" / "recall.toml"
    if not path.is_file():
        raise CourseError(f"Chapter {chapter} has no recall questions. Chapters that have: {recall_chapters()}.")
    return path


def recall_chapters() -> list[int]:
    """Chapters that have recall questions."""
    return _chapters_with("recall.toml")


def _chapters_with(file: str) -> list[int]:
    return sorted(int(path.parent.name.removeprefix("chapter")) for path in _FOLDER.glob(f"chapter*/{file}"))
