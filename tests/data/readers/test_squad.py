"""SQuAD's JSON: answers stand where they should, splits, questions without an answer, and faults."""

import json
import lzma

import pytest

from course_lib.data.readers.squad import read_squad
from course_lib.errors import CourseError


def article(start=2, split="train", answers=None):
    answers = [{"text": "배", "answer_start": start}] if answers is None else answers
    paragraph = {"context": "큰 배다", "qas": [{"id": 7, "question": "무엇?", "answers": answers}]}
    return {"title": "바다", "split": split, "paragraphs": [paragraph]}


def write(path, *articles):
    path.write_bytes(lzma.compress(json.dumps({"data": articles}).encode()))
    return path


def test_passages(tmp_path):
    path = write(tmp_path / "a.json.xz", article(), article(split="test", answers=[]))
    first, second = read_squad(path)
    assert (first.title, first.text, first.questions[0].id) == ("바다", "큰 배다", "7")
    assert first.questions[0].answers == (("배", 2),)
    assert second.questions[0].answers == ()
    assert read_squad(path, "test") == [second]


@pytest.mark.parametrize("start", [1, -2, 99])
def test_an_answer_that_does_not_stand_there(tmp_path, start):
    with pytest.raises(CourseError, match=f"article 2, paragraph 1, question 7: .* at character {start}"):
        read_squad(write(tmp_path / "a.json.xz", article(), article(start)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"[]", "not in SQuAD's format"),
        (b'{"data": [{"paragraphs": [{"context": "a"}]}]}', "not in SQuAD's format: KeyError"),
        (b'{"data": "text"}', "not in SQuAD's format"),
        (b"[" * 100_000, "not in SQuAD's format: RecursionError"),
        (b'{\n"data": [', "line 2: not JSON"),
        (b'{"data": "\xff"}', "damaged or not UTF-8"),
    ],
)
def test_faults_are_named(tmp_path, content, message):
    (tmp_path / "a.json").write_bytes(content)
    with pytest.raises(CourseError, match=message):
        read_squad(tmp_path / "a.json")
