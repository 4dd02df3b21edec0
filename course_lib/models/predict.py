"""`course predict TASK FILE`: label a file of texts, one a line, with the best model that ships for the task."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.models.review_words import ReviewWords


class Prediction(NamedTuple):
    """labels: one per line. silent: numbers, from 1, of lines in which the model knows no word."""

    labels: list[str]
    silent: list[int]


def predict_file(task: str, path: str | Path) -> Prediction:
    """Labels for the lines of a UTF-8 file."""
    if task not in TASKS:
        raise CourseError(f"There is no task {task!r}. There are: {', '.join(TASKS)}.")
    return TASKS[task](read_lines(path))


def read_lines(path: str | Path) -> list[str]:
    """The lines of a UTF-8 file, ended by a line feed alone or after a carriage return; the last may have no end."""
    try:
        content = Path(path).read_bytes()
    except FileNotFoundError:
        raise CourseError(f"There is no file {path}. Check the name and the folder.") from None
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Give a text file, one text a line.") from error
    content = content.removeprefix(b"\xef\xbb\xbf")  # the mark some editors put before UTF-8
    if not content:
        raise CourseError(f"{path} is empty. Write one text a line into it.")
    # Not str.splitlines: it would also split at form feeds and other signs that a review may hold.
    lines = content.removesuffix(b"\n").split(b"\n")
    return [_decoded(line, number, path) for number, line in enumerate(lines, 1)]


def _decoded(line: bytes, number: int, path: str | Path) -> str:
    try:
        return line.removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{path}, line {number}, is not UTF-8: byte {line[error.start]:#04x} in column {error.start + 1}. "
            "Save the file as UTF-8."
        ) from None


def _reviews(texts: list[str]) -> Prediction:
    model = ReviewWords.load(data_dir("checkpoints", "reviews-en"))
    return Prediction(model.predict(texts), [number for number, text in enumerate(texts, 1) if not model.votes(text)])


TASKS: dict[str, Callable[[list[str]], Prediction]] = {"imdb": _reviews}
