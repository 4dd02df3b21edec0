"""Words with joiners: nothing is lost but the width of spaces."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.errors import CourseError
from course_lib.text.joiners import JOINER, joined_words, written
from course_lib.text.words import split_words

TEXTS = st.text(alphabet="aß9가 -,.'\"(\t!ée\u0301", max_size=40)


def test_by_hand():
    assert joined_words("A T-shirt, red.") == ["A", "T", "￭-￭", "shirt", "￭,", "red", "￭."]
    assert joined_words('She\'s (not) "in".') == ["She", "￭'s", "(￭", "not", "￭)", '"￭', "in", '￭"', "￭."]


@given(TEXTS)
def test_the_way_back(text):
    assert written(" ".join(joined_words(text))) == " ".join(text.split())


@given(TEXTS)
def test_without_joiners_they_are_the_words_of_the_course(text):
    assert [word.replace(JOINER, "") for word in joined_words(text)] == split_words(text)


def test_a_joiner_in_the_text_is_refused():
    with pytest.raises(CourseError, match=r"U\+FFED.*Remove it first"):
        joined_words("a ￭ b")
