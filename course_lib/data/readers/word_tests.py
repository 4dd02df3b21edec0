"""Tests of word vectors: pairs of words that people rated, and analogy questions."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError


class RatedPair(NamedTuple):
    first: str
    second: str
    rating: float  # people's mean


class Question(NamedTuple):
    """`a` is to `b` as `c` is to `d`; `d` is to be found."""

    section: str
    a: str
    b: str
    c: str
    d: str


def load_rated_pairs(path: str | Path) -> list[RatedPair]:
    """Pairs from a file of lines `word, word, rating`: tabs, or commas in a .csv (the Korean WordSim is one).

    Lines that start with # and a first line without a rating (the header) are passed over.
    """
    pairs = []
    delimiter = "," if ".csv" in Path(str(path).lower()).suffixes[-2:] else "\t"
    for number, line in numbered_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            fields = [field.strip() for field in next(csv.reader([line], delimiter=delimiter))]
            first, second, rating = fields[:3]
            if not math.isfinite(float(rating)):
                raise ValueError("a rating is a number")
            pairs.append(RatedPair(first, second, float(rating)))
        except (ValueError, csv.Error):
            if number > 1:
                raise CourseError(
                    f"{path}, line {number}: {line[:60]!r} is not a word, a word and a rating. "
                    "Give a .csv with commas, or any other file with tabs."
                ) from None
    return pairs


def read_analogies(path: str | Path) -> list[Question]:
    """Questions in word2vec's format: `: section` lines, then lines of four words (Mikolov et al. 2013)."""
    questions, section = [], ""
    for number, line in numbered_lines(path):
        if line.startswith(":"):
            section = line[1:].strip()
        elif words := line.split():
            if len(words) != 4:
                raise CourseError(f"{path}, line {number}: {len(words)} words. A question has four: a b c d.")
            questions.append(Question(section, *words))
    return questions
