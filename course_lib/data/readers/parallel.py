"""Sentences and their translations: two files line by line (Multi30k), or one table (Tatoeba)."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

from course_lib.data.readers.lines import numbered_lines
from course_lib.data.records import ParallelPair, Sentence
from course_lib.errors import CourseError


def read_aligned(source: str | Path, target: str | Path) -> list[ParallelPair]:
    """Line i of one file with line i of the other. Raises CourseError at the first line that only one of them has."""
    found = []
    for left, right in zip_longest(numbered_lines(source), numbered_lines(target)):
        if left is None or right is None:
            longer, (number, _) = (source, left) if right is None else (target, right)
            raise CourseError(
                f"{longer}, line {number}: no such line in {target if right is None else source}. "
                "The two files must have the same number of lines, each the translation of the other."
            )
        found.append(_pair(source, left[0], left[1], right[1]))
    return found


def read_translations(path: str | Path, *, source: int = 0, target: int = 1) -> list[ParallelPair]:
    """Rows with tabs between; `source` and `target` are the columns, from 0 (Tatoeba: English, Korean, attribution)."""
    found = []
    for number, line in numbered_lines(path):
        cells = line.split("\t")
        if len(cells) <= max(source, target):
            raise CourseError(
                f"{path}, line {number}: {len(cells)} columns, and column {max(source, target)} was asked for "
                "(from 0). Separate the sentences by single tabs."
            )
        found.append(_pair(path, number, cells[source], cells[target]))
    return found


def _pair(path: str | Path, number: int, source: str, target: str) -> ParallelPair:
    if not source.strip() or not target.strip():
        raise CourseError(f"{path}, line {number}: one side is empty. Drop the line on both sides.")
    return ParallelPair(Sentence.of(source.strip()), Sentence.of(target.strip()))
