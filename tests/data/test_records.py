"""Sentence, the records and windows: offsets are exact, wrong input is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.records import Sentence, TaggedSentence
from course_lib.data.windows import windows
from course_lib.errors import CourseError

words = st.lists(st.text(min_size=1, max_size=11), min_size=1, max_size=13)


@given(words)
def test_a_list_of_words_is_kept_as_it_is(items):
    sentence = Sentence.of(items)
    assert list(sentence.words) == items
    assert [sentence.text[a:b] for a, b in sentence.spans] == items


@given(st.text(max_size=60))
def test_spans_of_raw_text_point_at_the_words(text):
    sentence = Sentence.of(text)
    assert [sentence.text[a:b] for a, b in sentence.spans] == list(sentence.words)
    assert Sentence.of(sentence) is sentence


@pytest.mark.parametrize("item", [["a", ""], ["a", 3], [None]])
def test_words_that_are_none_are_named(item):
    with pytest.raises(CourseError, match=f"item {len(item) - 1}"):
        Sentence.of(item)


def test_unequal_numbers_of_words_and_tags_are_named():
    with pytest.raises(CourseError, match="1 ner tags for 2 words"):
        TaggedSentence(Sentence.of(["a", "b"]), {"ner": ("O",)})


@given(words, st.integers(1, 7), st.integers(0, 6))
def test_windows_hold_every_word_and_share_the_overlap(items, size, overlap):
    if overlap >= size:
        with pytest.raises(CourseError, match=f"size={size}"):
            windows(items, size, overlap=overlap)
        return
    cut = windows(items, size, overlap=overlap)
    assert all(0 < len(part) <= size for part in cut)
    assert [word for i, part in enumerate(cut) for word in part.words[overlap if i else 0 :]] == items
    assert all(part.text[a:b] == word for part in cut for word, (a, b) in zip(part.words, part.spans, strict=True))
