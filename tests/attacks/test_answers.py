"""Spoilt answers of a reader are read or named, and stay as they are."""

import json
import random

import pytest

from course.check import front, recall_questions, store
from course_lib.errors import CourseError
from tests.attacks.spoilers import spoil_bytes, spoil_json

pytestmark = pytest.mark.slow

VERSION = {"source": "def f(x):\n    return '배'", "state": "right", "mistake": "", "time": "2026-01-02T03:04:05"}
ANSWERS = {"format": 1, "items": [VERSION, {**VERSION, "source": "def f(x): ...", "mistake": "off by one"}]}
CHOICES = {"format": 1, "items": [{"question": "one", "option": "a"}, {"question": "둘", "option": "b"}]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path))
    return tmp_path


def noted(found, note):
    """The items; a note in place of an error is as good as one."""
    if note:
        raise CourseError(note)
    return found


def spoilt(chance, document):
    if chance.random() < 0.6:
        what, text = spoil_json(chance, document)
        return what, text.encode()
    return spoil_bytes(chance, json.dumps(document, ensure_ascii=False, indent=1).encode())


def test_reading_answers(law, folder):
    chance = random.Random("answers")

    def shown():
        for form in (front.answers(), front.restore("1.2")):
            assert repr(form) + form._repr_html_()
        return noted(*store.read("1.2", front.is_version))

    right = lambda items: all(map(front.is_version, items))  # noqa: E731
    law.attack(60, folder / "1.2.json", lambda number: spoilt(chance, ANSWERS), shown, right)


def test_reading_choices(law, folder):
    chance = random.Random("choices")

    def chosen():
        assert len(recall_questions.kept_choices(1)) == len(recall_questions.questions(1))
        return noted(*store.read("recall-1", recall_questions.is_choice))

    right = lambda items: all(map(recall_questions.is_choice, items))  # noqa: E731
    law.attack(30, folder / "recall-1.json", lambda number: spoilt(chance, CHOICES), chosen, right)
