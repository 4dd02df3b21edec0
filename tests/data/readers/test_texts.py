"""Tables: columns by name, quotes are characters. Parallel text in two files or one. Wrong rows are named."""

import pytest

from course_lib.data.readers.texts import (
    read_aligned,
    read_labelled,
    read_pairs,
    read_questions_by_class,
    read_translations,
)
from course_lib.data.records import LabelledText, SentencePair
from course_lib.errors import CourseError


@pytest.fixture
def write(tmp_path):
    def write(text):
        (tmp_path / "table.tsv").write_text(text, encoding="utf-8")
        return tmp_path / "table.tsv"

    return write


def test_labelled_texts_by_column_name_and_split(write):
    path = write('id\tlabel\tsplit\tdocument\n3\t1\ttrain\t"굳 ㅋ\n5\t0\ttest\t\n\n7\t0\ttrain\tsay "no"\n')
    names = {"0": "neg", "1": "pos"}
    all_rows = [LabelledText('"굳 ㅋ', "pos"), LabelledText("", "neg"), LabelledText('say "no"', "neg")]
    assert read_labelled(path, text="document", names=names) == all_rows
    assert read_labelled(path, text="document", names=names, split="train") == [all_rows[0], all_rows[2]]
    assert read_labelled(path, text="document")[0].label == "1"


def test_pairs(write):
    path = write("index\tsentence1\tsentence2\tscore\n0\tA man sings.\tHe sings.\t4.500\n")
    assert read_pairs(path, label="score") == [SentencePair("A man sings.", "He sings.", "4.500")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("text\n", "no column 'label'"),
        ("text\tlabel\na\t1\nb\n", "line 3: 2 columns are named, but this line has 1"),
        ("text\tlabel\na\t1\tmore\n", "line 2: 2 columns are named, but this line has 3"),
        ("text\tlabel\na\t2\n", "line 2: label '2'. Use one of: 0, 1"),
        ("text\tlabel\na\t\n", "line 2: label ''"),
    ],
)
def test_faults_are_named(write, text, message):
    with pytest.raises(CourseError, match=message):
        read_labelled(write(text), names={"0": "neg", "1": "pos"})


def test_questions_by_class(write):
    path = write("DESC:def What is an atom ?\nNUM:date When : now ?\n")
    assert read_questions_by_class(path)[1] == LabelledText("When : now ?", "NUM")
    for line in ("DESC What ?", "DESC:def", ":def What ?", "DESC: What ?", ""):
        with pytest.raises(CourseError, match=r"line 2: .* is not `CLASS:kind question`"):
            read_questions_by_class(write(f"DESC:def What ?\n{line}\n"))


def test_two_files_line_by_line(tmp_path):
    (tmp_path / "a.en").write_text("A man sleeps.\nTwo dogs.\n", encoding="utf-8")
    (tmp_path / "a.de").write_text("Ein Mann schläft.\n Zwei Hunde.", encoding="utf-8")
    pairs = read_aligned(tmp_path / "a.en", tmp_path / "a.de")
    assert [p.source.words for p in pairs] == [("A", "man", "sleeps", "."), ("Two", "dogs", ".")]
    assert pairs[1].target.text == "Zwei Hunde."


@pytest.mark.parametrize(("left", "right", "longer"), [("a\nb\nc\n", "x\n", "a.en"), ("a\n", "x\ny\n", "a.de")])
def test_files_of_unequal_length(tmp_path, left, right, longer):
    (tmp_path / "a.en").write_text(left)
    (tmp_path / "a.de").write_text(right)
    with pytest.raises(CourseError, match=rf"{longer}, line 2: no such line in"):
        read_aligned(tmp_path / "a.en", tmp_path / "a.de")


def test_a_table_of_translations(write):
    path = write("Go.\t가.\tCC-BY\nHi.\t안녕.\tCC-BY\n")
    assert read_translations(path)[1].target.text == "안녕."
    assert read_translations(path, source=1, target=0)[0].source.text == "가."


@pytest.mark.parametrize(("line", "message"), [("Go.", "line 2: 1 columns"), ("Go.\t ", "line 2: one side is empty")])
def test_faults_in_translations_are_named(write, line, message):
    with pytest.raises(CourseError, match=message):
        read_translations(write(f"Go.\t가.\n{line}\n"))
