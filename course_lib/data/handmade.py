"""The small sets written by hand for this course, in `data/handmade/`: read from their files, checked line by line."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from course_lib.config import data_dir
from course_lib.data.records import SenseExample, Sentence, TaggedSentence
from course_lib.errors import CourseError

SPLITS = ("train", "dev", "test")


def read_senses(path: str | Path, split: str | None = None) -> list[SenseExample]:
    """Occurrences of ambiguous words from a table with the columns word, sense, split, sentence, index.

    The sentence is words between spaces; index counts them from 0. Raises CourseError naming file, line and remedy.
    """
    examples = []
    for number, row in _rows(path, ("word", "sense", "split", "sentence", "index")):
        words = row["sentence"].split()
        if not row["index"].isdecimal() or int(row["index"]) >= len(words):
            raise CourseError(
                f"{path}, line {number}: index {row['index']!r} does not point at one of the {len(words)} words. "
                "Count the words from 0."
            )
        if row["split"] not in SPLITS:
            raise CourseError(f"{path}, line {number}: split {row['split']!r}. Use one of: {', '.join(SPLITS)}.")
        if split in (None, row["split"]):
            examples.append(SenseExample(Sentence.of(words), int(row["index"]), row["word"], row["sense"]))
    return examples


def handmade_senses(language: str = "en", split: str | None = None) -> list[SenseExample]:
    """The course's own sense set: `split` train, dev, test, or None for all."""
    return read_senses(data_dir("handmade", language, "senses.tsv"), split)


def handmade_names(language: str = "en", split: str | None = None) -> list[TaggedSentence]:
    """The course's own tagged sentences: layers "upos" (universal parts of speech) and "ner" (BIO)."""
    return read_columns(data_dir("handmade", language, "names.conll"), ("upos", "ner"), split)


def read_columns(path: str | Path, layers: tuple[str, ...], split: str | None = None) -> list[TaggedSentence]:
    """Sentences from CoNLL columns: a word and its tags a line, split by tabs; an empty line ends the sentence.

    A line `# split = train` says where the sentences after it belong. CourseError names file, line and remedy.
    """
    path = Path(path)
    if not path.is_file():
        raise CourseError(f"There is no file {path}. Check the path.")
    found, rows, current = [], [], None
    for number, line in enumerate([*path.read_text(encoding="utf-8").split("\n"), ""], 1):
        if line.startswith("# split ="):
            current = line.partition("=")[2].strip()
        elif line.strip():
            cells = line.split("\t")
            if len(cells) != 1 + len(layers) or not all(cells):
                raise CourseError(
                    f"{path}, line {number}: {len(cells)} columns instead of {1 + len(layers)}. "
                    f"Write the word and its tags ({', '.join(layers)}), with single tabs between."
                )
            rows.append(cells)
        elif rows:
            words, *tags = zip(*rows, strict=True)
            if split in (None, current):
                found.append(TaggedSentence(Sentence.of(words), dict(zip(layers, tags, strict=True))))
            rows = []
    return found


def _rows(path: str | Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    """(line number, row) of a tab-separated table whose header holds at least these columns."""
    path = Path(path)
    if not path.is_file():
        raise CourseError(f"There is no file {path}. Check the path.")
    with open(path, encoding="utf-8", newline="") as file:
        table = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        if missing := [name for name in columns if name not in (table.fieldnames or ())]:
            raise CourseError(f"{path} has no column {missing[0]!r}. Its first line must name: {', '.join(columns)}.")
        for row in table:
            if None in row or None in row.values():
                raise CourseError(
                    f"{path}, line {table.line_num}: {len(table.fieldnames)} columns are named, but this line has "
                    "another number. Separate them by single tabs."
                )
            yield table.line_num, row
