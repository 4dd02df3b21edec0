"""The small sets written by hand for this course, in `data/handmade/{en,ko}/` (formats: its README.md)."""

from __future__ import annotations

from course_lib.config import data_dir
from course_lib.data.readers.senses import read_senses
from course_lib.data.readers.squad import read_squad
from course_lib.data.readers.tagged import read_columns
from course_lib.data.readers.texts import read_labelled, read_table
from course_lib.data.records import LabelledText, Passage, SenseExample, TaggedSentence
from course_lib.errors import CourseError

LANGUAGES = ("en", "ko")
SPLITS = ("train", "dev", "test")


def handmade_senses(language: str = "en", split: str | None = None) -> list[SenseExample]:
    """Ambiguous words in sentences, with the side on which their cue stands. split: train, dev, test; None: all."""
    return read_senses(_file(language, "senses.tsv", split), split)


def handmade_clue_sides() -> list[SenseExample]:
    """More English occurrences, all to test on: what stands on the clueless side is the same for both senses."""
    return read_senses(_file("en", "clue_side.tsv", None))


def handmade_second_senses(language: str = "en") -> list[SenseExample]:
    """More occurrences, all to test on, by which nothing was or may be chosen."""
    return read_senses(_file(language, "second_senses.tsv", None))


def handmade_names(language: str = "en", split: str | None = None) -> list[TaggedSentence]:
    """Tagged sentences: layers "upos" (universal parts of speech) and "ner" (BIO: PER, LOC, ORG, MISC)."""
    return read_columns(_file(language, "names.conll", split), ("upos", "ner"), split)


def handmade_reviews(language: str = "en", split: str | None = None) -> list[LabelledText]:
    """Reviews labelled "pos" or "neg", raw text."""
    return read_labelled(_file(language, "reviews.tsv", split), split=split, names={"pos": "pos", "neg": "neg"})


def handmade_questions(language: str = "en", split: str | None = None) -> list[Passage]:
    """Passages with questions whose answers stand in them."""
    return read_squad(_file(language, "questions.json", split), split)


def handmade_gaps(language: str = "en", *, second: bool = False) -> list[tuple[str, frozenset[str]]]:
    """Everyday sentences with one [MASK], each with the words that make sense there.

    second: forty others, by which nothing was or may be chosen.
    """
    file = _file(language, "second_gaps.tsv" if second else "gaps.tsv", None)
    rows = (row for _, row in read_table(file, ("sentence", "answers")))
    return [(row["sentence"], frozenset(row["answers"].split())) for row in rows]


def _file(language: str, name: str, split: str | None):
    if language not in LANGUAGES:
        raise CourseError(f"There is no handmade set in {language!r}. Choose one of: {', '.join(LANGUAGES)}.")
    if split not in (None, *SPLITS):
        raise CourseError(f"There is no split {split!r}. Choose one of: {', '.join(SPLITS)}, or None for all.")
    return data_dir("handmade", language, name)
