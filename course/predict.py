"""`course predict TASK FILE`: label a file of texts, one a line, with the best model that ships for the task."""

from __future__ import annotations

import contextlib
import csv
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from course.lab.review_words import ReviewWords
from course_lib.config import data_dir
from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError
from course_lib.language import key

TASKS = {"imdb": "reviews-en"}
_ENDS = re.compile("[\0\v\f\r\x1c-\x1e\x85\u2028\u2029]")  # of lines or texts, elsewhere
_OPENS = re.compile(r'(?:^|[,;\t])"')
_NAMES = {"comment", "content", "document", "post", "review", "reviews", "sentence", "sentences", "text", "texts"}
_TABLE = re.compile(r"\.(?:(csv|tsv)|jsonl?)(?:\.(?:gz|xz|bz2))?$", re.IGNORECASE)
_HAS_ENDS = key(
    "a character inside (such as a carriage return, a form feed, U+0085, U+2028, NUL) that other programs take "
    "for the end of a line. Here it ends none: one label for the whole line."
)
_IS_OPEN = key(
    "a quotation mark opens and is not closed. In a table that is a text with line ends in it, but here each "
    "line got a label of its own."
)
_IS_HEAD = key("the name of a column? It got a label, too.")
_ONLY_RETURNS = key("no line feed in the whole file: each carriage return was taken for the end of a line.")


class Prediction(NamedTuple):
    """labels: one per line. silent: numbers, from 1, of lines in which the model knows no word.

    doubts: what a line may be other than one text, as a key for `t`, with the numbers of the lines that it is said of.
    """

    labels: list[str]
    silent: list[int]
    doubts: dict[str, list[int]]


def predict_file(task: str, path: str | Path) -> Prediction:
    """Labels for the lines of a UTF-8 file. "-" is standard input; pipes and devices are read to their end."""
    if task not in TASKS:
        raise CourseError(f"There is no task {task!r}. There are: {', '.join(TASKS)}.")
    model = ReviewWords.load(data_dir("checkpoints", TASKS[task]))
    name = "standard input" if str(path) == "-" else path
    with _stream(path) as stream:
        texts = [text for _, text in numbered_lines(name, stream)]
    if not texts:
        raise CourseError(f"{name} is empty. Write one text a line into it.")
    doubts = {}
    if len(texts) == 1 and "\r" in texts[0]:  # an old Mac's
        texts = texts[0].split("\r")
        doubts[_ONLY_RETURNS] = [*range(1, len(texts) + 1)]
    _refuse_other_formats(name, texts)
    doubts[_HAS_ENDS] = [n for n, text in enumerate(texts, 1) if _ENDS.search(text)]
    doubts[_IS_OPEN] = [n for n, text in enumerate(texts, 1) if text.count('"') % 2 and _OPENS.search(text)]
    doubts[_IS_HEAD] = [1] if len(texts) > 1 and texts[0].strip('" ').lower() in _NAMES else []
    silent = [n for n, text in enumerate(texts, 1) if not model.votes(text)]
    return Prediction(model.predict(texts), silent, {says: numbers for says, numbers in doubts.items() if numbers})


@contextlib.contextmanager
def _stream(path: str | Path) -> Iterator[BinaryIO | None]:
    """What is no file and can be read all the same; None for a file."""
    if str(path) == "-":
        yield getattr(sys.stdin, "buffer", None)
        return
    try:
        with contextlib.nullcontext() if os.path.isfile(path) or os.path.isdir(path) else open(path, "rb") as stream:
            yield stream
    except FileNotFoundError as error:
        raise CourseError(f"There is no file {path}. Check the path; - is standard input.") from error
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Name a file of texts, or - for a pipe.") from error


def _refuse_other_formats(name: str | Path, texts: list[str]) -> None:
    """Raises CourseError for what does not hold one text a line, whatever a line is taken for."""
    if sum(text.count("\0") for text in texts) > sum(map(len, texts)) / 4:
        raise CourseError(f"{name} is UTF-16, or no text. Save the file as UTF-8.")
    head = [cell.strip('"') for cell in re.split(r"[,;\t]", texts[0])]
    column = next((cell for cell in head if cell.lower() in _NAMES), None)
    table = column and len(head) > 1 and all(re.fullmatch(r"[\w.-]*", cell) for cell in head)
    if not table and (ending := _TABLE.search(str(name))):
        table = ending[1] is None  # JSON
        with contextlib.suppress(csv.Error):
            rows = [*csv.reader((f"{text}\n" for text in texts), delimiter=max(",;\t", key=texts[0].count))]
            columns = {len(row) for row in rows if row}
            table = table or len(rows) < len(texts) or (len(texts) > 1 and len(columns) == 1 and columns != {1})
    if table:
        raise CourseError(
            f"{name} is a table or JSON: each of its lines would get a label, also a head and line ends inside texts. "
            "Write its texts alone into a file that ends in .txt, one a line. For commas between, in Python: for row "
            f"in csv.DictReader(open(NAME, newline='', encoding='utf-8')): print(*row[{column or 'review'!r}].split())"
        )
