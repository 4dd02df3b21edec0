"""Which exercises there are: each a module with one `EXERCISE`, `course/chapters/chNN/ex_N_M_topic.py`.
A new file is found by itself; nothing is listed twice."""

from __future__ import annotations

import importlib
import pkgutil
import re

from course.chapters import FOLDER
from course.check.exercise import Exercise
from course_lib.errors import CourseError
from course_lib.language import key, t


def chapters() -> list[int]:
    """Chapters that have exercises."""
    return chapters_with("ex_*.py")


def of_chapter(chapter: int) -> list[Exercise]:
    """A chapter's exercises in their order; an empty list if it has none. Imports that chapter's files only."""
    folder = FOLDER / f"ch{chapter:02}"
    modules = (module.name for module in pkgutil.iter_modules([str(folder)]) if module.name.startswith("ex_"))
    found = [importlib.import_module(f"course.chapters.{folder.name}.{name}").EXERCISE for name in modules]
    return sorted(found, key=lambda exercise: [int(part) for part in exercise.id.split(".")])


def find(exercise_id: str) -> Exercise:
    """The exercise called `exercise_id`. Raises CourseError if there is none."""
    if (form := re.fullmatch(r"(\d{1,3})\.B", str(exercise_id))) and int(form[1]) in chapters_with("build.py"):
        says = key("{id} is a build: run {call}. Hints and kept answers are those of its parts.")
        raise CourseError(t(says, id=exercise_id, call=f'check("{exercise_id}")'))
    form = re.fullmatch(r"(\d{1,3})\.\d+", str(exercise_id))
    known = {exercise.id: exercise for exercise in of_chapter(int(form[1]))} if form else {}
    if not isinstance(exercise_id, str) or exercise_id not in known:
        if known:
            places = t("Chapter {chapter} has {exercises}.", chapter=form[1], exercises=", ".join(known))
        else:
            places = t("Chapters with exercises: {chapters}.", chapters=", ".join(map(str, chapters())))
        says = t(
            'There is no exercise {id}. {places} Write its number as text: "1.2".', id=f"{exercise_id!r}", places=places
        )
        raise CourseError(says)
    return known[exercise_id]


def chapters_with(file: str) -> list[int]:
    """Chapters that have a file of this name or pattern."""
    return sorted(int(path.name.removeprefix("ch")) for path in FOLDER.glob("ch*") if any(path.glob(file)))
