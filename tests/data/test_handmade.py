"""Readers of the handmade sets: what is there is read, what is wrong is named with its line."""

import pytest

from course_lib.data.handmade import (
    LANGUAGES,
    handmade_names,
    handmade_questions,
    handmade_reviews,
    handmade_senses,
)
from course_lib.data.readers.senses import SPLITS, read_senses
from course_lib.data.readers.tagged import read_columns
from course_lib.errors import CourseError

HEADER = "word\tsense\tsplit\tsentence\tindex\n"


def test_the_shipped_senses_point_at_their_word():
    examples = handmade_senses("en")
    assert len(examples) >= 480
    for example in examples:
        assert example.word[:3] == example.sentence.words[example.position].lower()[:3]
    assert {e.word for e in handmade_senses("en", "test")} == {e.word for e in examples}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("bank\tmoney\ttrain\tthe bank\t2\n", "line 2: index '2'"),
        ("bank\tmoney\ttrain\tthe bank\t-1\n", "line 2: index '-1'"),
        ("bank\tmoney\tsomewhere\tthe bank\t1\n", "line 2: split 'somewhere'"),
        ("bank\tmoney\n", "line 2: 5 columns"),
        ("bank\tmoney\ttrain\tthe bank\t1\textra\n", "line 2: 5 columns"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, words):
    (tmp_path / "senses.tsv").write_text(HEADER + line, encoding="utf-8")
    with pytest.raises(CourseError, match=words):
        read_senses(tmp_path / "senses.tsv")


def test_a_missing_column_or_file_is_named(tmp_path):
    (tmp_path / "senses.tsv").write_text("word\tsense\n", encoding="utf-8")
    with pytest.raises(CourseError, match="no column 'split'"):
        read_senses(tmp_path / "senses.tsv")
    with pytest.raises(CourseError, match="no file"):
        read_senses(tmp_path / "gone.tsv")


def test_the_shipped_names_have_two_layers():
    everything = handmade_names("en")
    assert len(everything) >= 300
    assert sum(len(handmade_names("en", split)) for split in SPLITS) == len(everything)
    assert {tag for e in everything for tag in e.tags["ner"]} >= {"O", "B-PER", "I-PER", "B-LOC", "B-ORG", "B-MISC"}


def test_a_wrong_column_is_named(tmp_path):
    (tmp_path / "names.conll").write_text("Mira\tPROPN\tB-PER\nsings\tVERB\n", encoding="utf-8")
    with pytest.raises(CourseError, match="line 2: 2 columns instead of 3"):
        read_columns(tmp_path / "names.conll", ("upos", "ner"))


@pytest.mark.parametrize(
    ("load", "sizes"),
    [
        (handmade_senses, {"en": 620, "ko": 340}),
        (handmade_names, {"en": 389, "ko": 183}),
        (handmade_reviews, {"en": 400, "ko": 400}),
        (handmade_questions, {"en": 60, "ko": 32}),
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_splits_are_the_whole_set_in_both_languages(load, sizes, language):
    everything = load(language)
    assert len(everything) == sizes[language]
    parts = [load(language, split) for split in SPLITS]
    assert all(parts)
    assert sorted(repr(record) for part in parts for record in part) == sorted(map(repr, everything))


def test_senses_say_where_their_cue_stands():
    assert {example.cue for language in LANGUAGES for example in handmade_senses(language)} == {"left", "right", "both"}


def test_reviews_are_balanced_and_questions_have_answers():
    for language in LANGUAGES:
        labels = [review.label for review in handmade_reviews(language, "test")]
        assert labels.count("pos") == labels.count("neg") == 50
    assert sum(len(passage.questions) for passage in handmade_questions("ko", "test")) == 39


def test_an_unknown_language_or_split_is_named():
    with pytest.raises(CourseError, match=r"no handmade set in 'de'. Choose one of: en, ko"):
        handmade_names("de")
    with pytest.raises(CourseError, match=r"no split 'dv'. Choose one of: train, dev, test"):
        handmade_reviews("en", "dv")
