"""The best span, finding units, cutting windows: against all pairs and by law."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.data.windows import word_windows
from course_lib.errors import CourseError
from course_lib.models.heads import SpanExtractor
from course_lib.models.spans import best_span, rows_of, training_rows, units_of
from tests.mistakes import mistakes
from tests.models.small_berts import small_bert
from tests.models.span_samples import ENCODERS, HOLDING_NOTHING, LONG, PASSAGES, WORDS, build, passage

SCORE = st.integers(-5, 5) | st.sampled_from([-0.25, 0.5])  # few values: many ties


@given(st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=11), st.integers(1, 13))
def test_equals_all_pairs(logits, max_answer):
    start, end = np.array(logits, dtype=np.float32).T
    pairs = [(i, j) for i in range(len(start)) for j in range(len(end)) if i <= j < i + max_answer]
    expected = min(((float(start[i] + end[j]), i, j) for i, j in pairs), key=lambda span: (-span[0], *span[1:]))
    assert best_span(start, end, max_answer) == expected


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


# -- Questions and passages to rows: windows and their borders, what is learned of each, mistakes
ASKED = "where is Mina"  # 3 pieces: of 17 places [CLS], 3, [SEP] and [SEP] leave 11


def bert(max_units=17):
    return small_bert(WORDS, max_units=max_units)


def texts(rows):
    return [row.window.text[row.window.spans[0][0] : row.window.spans[-1][1]] for row in rows]


@pytest.mark.parametrize(
    ("n_words", "windows"), [(1, [(0, 1)]), (11, [(0, 11)]), (12, [(0, 11), (6, 12)]), (17, [(0, 11), (6, 17)])]
)
def test_a_passage_as_long_as_a_window_one_longer_and_two_windows(n_words, windows):
    words = ["now", "in", "."] * 6
    text = " ".join(words[:n_words])
    rows = rows_of([(ASKED, text)], bert(), None)[0]
    assert texts(rows) == [" ".join(words[a:b]) for a, b in windows]
    for row in rows:
        places = bert().batch([row.question], [row.window], unit="piece").ids["real"].sum()
        assert places == 17 or row.window.spans[-1][1] == len(text)  # full, or the end
        assert all(text[a:b] == word for word, (a, b) in zip(row.window.words, row.window.spans, strict=True))


def test_long_words_are_counted_in_pieces_and_never_torn():
    text = "서울에서 now rat now 서울은 . in"  # pieces: 2, 1, 3, 1, 2, 1, 1
    assert texts(rows_of([(ASKED, text)], bert(12), 3)[0]) == [
        "서울에서 now rat",  # 6 pieces fit
        "rat now 서울은",
        "now 서울은 . in",  # now and 서울은 are 3 pieces, as many as may be shared
    ]


def test_overlap_is_never_more_than_half_a_window():
    text = " ".join(["now"] * 30)
    assert rows_of([(ASKED, text)], bert(), 99) == rows_of([(ASKED, text)], bert(), None)
    assert len(rows_of([(ASKED, text)], bert(), 0)[0]) == 3  # 11 + 11 + 8
    assert [len(rows) for rows in rows_of([LONG, PASSAGES[0]], ENCODERS["random"](), None)] == [1, 1, 1]  # no limit


def test_an_encoder_that_reads_apart_gives_the_passage_all_its_places():
    encoder = ENCODERS["static"]()
    encoder.max_units = 7
    rows = rows_of([(ASKED, "now . in . now . in . now")], encoder, 2)[0]
    assert texts(rows) == ["now . in . now . in", ". in . now"]
    with pytest.raises(CourseError, match=r"question 0: it has 8 pieces.* encoder reads 7"):
        rows_of([("where " * 8, "now")], encoder, 2)


@pytest.mark.parametrize(
    ("answer", "windows"),
    [
        ((0, 1), [0]),
        ((10, 10), [0, 1]),  # the last word of the first window
        ((6, 6), [0, 1]),  # the first word of the second
        ((6, 10), [0, 1]),  # all that they share
        ((5, 7), [0]),
        ((8, 11), [1]),  # over the end of the first
        ((11, 11), [1]),  # the first word past the first window
        ((15, 15), [1]),
    ],
)
def test_answers_at_the_borders_of_windows(answer, windows):
    first, last = answer
    words = "abcdefghijklmnop"
    asked = passage(" ".join(words), (ASKED, " ".join(words[first : last + 1])))
    rows, touched = rows_of([asked], bert(), None)[0], [range(0, 11), range(6, 16)]
    kept, with_null = (training_rows(rows, no_answer=no_answer) for no_answer in (False, True))
    assert [rows.index(row) for row in kept] == windows
    # a window with nothing of the answer is learned as one without; one that cuts it is left out
    nothing = [number for number in (0, 1) if not {*range(first, last + 1)} & {*touched[number]}]
    assert [row.window for row in with_null] == [rows[number].window for number in sorted([*windows, *nothing])]
    assert [row.answer is None for row in with_null] == [number in nothing for number in sorted([*windows, *nothing])]
    head = build("bert")
    head.encoder = bert()
    batch = head.batch([asked])
    for spans, start, end in zip(batch.spans, batch.labels["start"], batch.labels["end"], strict=True):
        assert (spans[start - 1][0], spans[end - 1][1]) == (2 * first, 2 * last + 1)


def test_questions_without_answers_are_learned_only_with_no_answer():
    rows = rows_of([HOLDING_NOTHING], bert(), None)[0]
    assert training_rows(rows, no_answer=True) == rows
    with pytest.raises(CourseError, match=r"question 'now \.-0' has no answer to learn.*no_answer=True"):
        training_rows(rows, no_answer=False)
    wide = passage("a b c d e f g h i j k l m n o p", (ASKED, "b c d e f g h i j k l m n o"))
    for no_answer in (False, True):
        with pytest.raises(CourseError, match=r"'a b c-0', characters 2 to 29, is in no window.*larger overlap"):
            training_rows(rows_of([wide], bert(), None)[0], no_answer)


test_mistakes_are_named = mistakes(
    ([], "no question"),
    ([("where is Mina", "")], "question 0: it or its passage is empty"),
    ([passage("Mina", ("", None))], "question 'Mina-0': it or its passage is empty"),
    ([("where " * 15, "Paris")], "it has 15 pieces.* encoder reads 15. Shorten"),
    ([("where " * 12, "cat in Paris")], "longest word of its passage 3"),
    ([("where", "Paris", "Rome")], r"after 0 questions comes \('where', 'Paris', 'Rome'\).*pairs"),
    of=lambda asked: SpanExtractor(bert(), seed=1).batch(asked),
)
