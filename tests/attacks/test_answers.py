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


def spoilt(chance, document):
    if chance.random() < 0.6:
        what, text = spoil_json(chance, document)
        return what, text.encode()
    return spoil_bytes(chance, json.dumps(document, ensure_ascii=False, indent=1).encode())


def shown() -> bool:
    return all(repr(form) + form._repr_html_() for form in (front.answers(), front.restore("1.2")))


def chosen() -> bool:
    return len(recall_questions.kept_choices(1)) == len(recall_questions.questions(1))


@pytest.mark.parametrize(
    ("name", "document", "used", "is_one"),
    [("1.2", ANSWERS, shown, front.is_version), ("recall-1", CHOICES, chosen, recall_questions.is_choice)],
)
def test_reading_what_was_kept(law, tmp_path, monkeypatch, name, document, used, is_one):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path))
    chance = random.Random(name)

    def read():
        assert used()
        items, note = store.read(name, is_one)
        if note:  # as good as an error
            raise CourseError(note)
        return items

    spoil = lambda number: spoilt(chance, document)  # noqa: E731
    law.attack(45, tmp_path / f"{name}.json", spoil, read, lambda items: all(map(is_one, items)))
