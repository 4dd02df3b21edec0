"""`course predict TASK FILE`: label a file of texts, one a line, with the best model that ships for the task."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from course_lib.config import data_dir
from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError
from course_lib.models.review_words import ReviewWords

TASKS = {"imdb": "reviews-en"}


class Prediction(NamedTuple):
    """labels: one per line. silent: numbers, from 1, of lines in which the model knows no word."""

    labels: list[str]
    silent: list[int]


def predict_file(task: str, path: str | Path) -> Prediction:
    """Labels for the lines of a UTF-8 file."""
    if task not in TASKS:
        raise CourseError(f"There is no task {task!r}. There are: {', '.join(TASKS)}.")
    model, texts = ReviewWords.load(data_dir("checkpoints", TASKS[task])), dict(numbered_lines(path))
    if not texts:
        raise CourseError(f"{path} is empty. Write one text a line into it.")
    return Prediction(model.predict([*texts.values()]), [n for n, text in texts.items() if not model.votes(text)])
