"""Ranking spans, finding units, cutting windows: against all pairs and by law."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from course_lib.models.spans import distinct, spans_by_score, units_of, word_windows

SCORE = st.integers(-5, 5) | st.sampled_from([-0.25, 0.5])  # few values: many ties


@given(st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=11), st.integers(1, 13))
def test_equals_all_pairs(logits, max_answer):
    start, end = np.array(logits, dtype=np.float32).T
    pairs = [(i, j) for i in range(len(start)) for j in range(len(end)) if i <= j < i + max_answer]
    expected = sorted(((float(start[i] + end[j]), i, j) for i, j in pairs), key=lambda span: (-span[0], *span[1:]))
    assert list(spans_by_score(start, end, max_answer)) == expected


def test_the_best_start_and_the_best_end_need_not_be_the_best_span():
    start, end = np.array([0.0, 1.0, 5.0]), np.array([4.0, 0.0, 0.5])
    assert (start.argmax(), end.argmax()) == (2, 0)  # apart they end before they start
    assert next(spans_by_score(start, end, 3)) == (5.5, 2, 2)
    assert next(spans_by_score(start, np.array([4.0, 5.0, 0.5]), 3)) == (6.0, 1, 1)


def test_distinct_keeps_the_first_of_a_place_and_reads_no_further_than_it_must():
    found = iter([(5.0, 0, 2), (4.0, 0, 2), (3.0, 1, 2), (2.0, 7, 9)])
    assert distinct(found, 2) == [(5.0, 0, 2), (3.0, 1, 2)]
    assert next(found) == (2.0, 7, 9)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=7), st.integers(0, 30), st.integers(1, 9))
def test_units_of_equals_looking_at_every_character(gaps, start, length):
    edges = [0, *itertools.accumulate(gaps)]
    spans = [(a, b - 1) if b - a > 2 else (a, b) for a, b in itertools.pairwise(edges)]  # some with a space between
    wanted = set(range(start, start + length))
    touched = [number for number, (a, b) in enumerate(spans) if wanted & set(range(a, b))]
    assert units_of(spans, start, start + length) == ((touched[0], touched[-1]) if touched else None)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=23), st.integers(5, 13), st.integers(0, 13))
def test_windows_cover_all_fit_and_are_as_long_as_they_can_be(sizes, room, overlap):
    cut = word_windows(sizes, room, overlap)
    assert (cut[0][0], cut[-1][1]) == (0, len(sizes))
    for first, stop in cut:
        assert sum(sizes[first:stop]) <= room
        assert stop == len(sizes) or sum(sizes[first : stop + 1]) > room
    for (a, b), (c, d) in itertools.pairwise(cut):
        assert a < c <= b < d  # nothing between them is lost, and each window brings a new word
        assert sum(sizes[c:b]) <= overlap
        shared_more = sum(sizes[c - 1 : b])
        assert shared_more > overlap or shared_more + sizes[b] > room  # no more could be shared


def test_windows_by_hand():
    assert word_windows([1] * 7, 7, 3) == [(0, 7)]
    assert word_windows([1] * 8, 7, 3) == [(0, 7), (4, 8)]
    assert word_windows([2, 3, 1, 4], 5, 2) == [(0, 2), (2, 4)]  # sharing the 3 would pass the overlap
    assert word_windows([5, 5], 5, 5) == [(0, 1), (1, 2)]
