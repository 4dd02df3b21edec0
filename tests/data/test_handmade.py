"""Readers of the handmade sets: what is there is read, what is wrong is named with its line."""

import pytest

from course_lib.data.handmade import SPLITS, handmade_names, handmade_senses, read_columns, read_senses
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
