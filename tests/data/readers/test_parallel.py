"""Parallel text: two files or one table; sides that do not match are named."""

import pytest

from course_lib.data.readers.parallel import read_aligned, read_translations
from course_lib.errors import CourseError


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


def test_a_table(tmp_path):
    (tmp_path / "kor.txt").write_text("Go.\t가.\tCC-BY\nHi.\t안녕.\tCC-BY\n", encoding="utf-8")
    assert read_translations(tmp_path / "kor.txt")[1].target.text == "안녕."
    assert read_translations(tmp_path / "kor.txt", source=1, target=0)[0].source.text == "가."


@pytest.mark.parametrize(("line", "message"), [("Go.", "line 2: 1 columns"), ("Go.\t ", "line 2: one side is empty")])
def test_faults_are_named(tmp_path, line, message):
    (tmp_path / "kor.txt").write_text(f"Go.\t가.\n{line}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=message):
        read_translations(tmp_path / "kor.txt")
