"""Korean particles become words; everything else stays."""

import sys

import pytest

from course_lib.errors import CourseError
from course_lib.text import particles


def test_particles_are_words_and_nothing_is_lost():
    texts = ["바다 멀리 배가 떠 있다.", "과수원의 배는 맛있다.", "", "제주도에서는 말을 탔다", "The bank, 2019."]
    split = list(particles.split_particles(texts))
    assert split[0] == ["바다", "멀리", "배", "가", "떠", "있다", "."]
    assert split[1] == ["과수원", "의", "배", "는", "맛있다", "."]
    assert split[2] == []
    assert split[3] == ["제주도", "에서", "는", "말", "을", "탔다"]
    assert ["".join(words) for words in split] == [text.replace(" ", "") for text in texts]


def test_without_the_analyser_the_remedy_is_said(monkeypatch):
    particles._analyser.cache_clear()
    monkeypatch.setitem(sys.modules, "kiwipiepy", None)
    with pytest.raises(CourseError, match="pip install kiwipiepy"):
        list(particles.split_particles(["배가"]))
    particles._analyser.cache_clear()
