"""Recall questions: every chapter's file is complete; choices survive a change of the questions."""

import pytest

from course.check import registry, store
from course.check.questions import keep_choices, kept_choices, questions

CHAPTERS = registry.recall_chapters()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_ten_questions_with_feedback_for_each_option(chapter):
    """Chapter 0, which teaches no model, has fewer."""
    asked = questions(chapter)
    assert len(asked) == 10 or (chapter == 0 and len(asked) >= 5)
    assert len({question.key for question in asked}) == len(asked)
    for question in asked:
        assert question.chapter <= chapter
        assert 3 <= len(question.options) <= 4
        assert [option.right for option in question.options].count(True) == 1
        assert len({option.text for option in question.options}) == len(question.options)
        assert all(len(option.because.split()) >= 5 for option in question.options)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_right_option_cannot_be_guessed_from_place_or_length(chapter):
    asked = questions(chapter)
    places = [[option.right for option in question.options].index(True) for question in asked]
    longest = [max(question.options, key=lambda option: len(option.text)).right for question in asked]
    assert max(map(places.count, places)) <= 0.6 * len(asked)
    assert sum(longest) <= 0.6 * len(asked)


OLD = """
[[question]]
key = "one"
chapter = 0
text = "?"
option = [{ text = "a", because = "" }, { text = "b", because = "" }]
[[question]]
key = "two"
chapter = 0
text = "?"
option = [{ text = "c", because = "" }, { text = "d", because = "" }]
"""
NEW = """
[[question]]
key = "two"
chapter = 0
text = "? (reworded)"
option = [{ text = "x", because = "" }, { text = "c", because = "" }, { text = "d", because = "" }]
[[question]]
key = "three"
chapter = 0
text = "?"
option = [{ text = "a", because = "" }]
[[question]]
key = "one"
chapter = 0
text = "?"
option = [{ text = "a (reworded)", because = "" }, { text = "b", because = "" }]
"""


@pytest.fixture
def file(tmp_path, monkeypatch):
    file = tmp_path / "recall.toml"
    file.write_text(OLD, encoding="utf-8")
    monkeypatch.setattr(registry, "recall_file", lambda chapter: file)
    return file


def test_choices_survive_an_update_of_the_questions(file):
    assert kept_choices(0) == [-1, -1]
    assert keep_choices(0, [-1, -1], [0, 1]) == ""
    assert kept_choices(0) == [0, 1]
    file.write_text(NEW, encoding="utf-8")
    assert kept_choices(0) == [2, -1, -1]  # "two" moved, "three" is new, the chosen option of "one" is gone


def test_two_kernels_add_to_each_other(file):
    keep_choices(0, [-1, -1], [1, -1])
    keep_choices(0, [-1, -1], [-1, 0])  # this kernel never saw the first choice
    assert kept_choices(0) == [1, 0]


def test_reset_forgets(file):
    keep_choices(0, [-1, -1], [1, 1])
    keep_choices(0, [1, 1], [-1, -1])
    assert kept_choices(0) == [-1, -1]


def test_a_damaged_file_leaves_all_open(file, answers_folder):
    answers_folder.mkdir()
    (answers_folder / "recall-0.json").write_text("{")
    assert kept_choices(0) == [-1, -1]
    assert "recall-0.damaged1.json" in keep_choices(0, [-1, -1], [1, -1])
    assert kept_choices(0) == [1, -1]
    assert store.names() == ["recall-0"]
