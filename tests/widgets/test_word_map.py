"""The numbers behind the map of words, its states, and what of it is stored."""

import numpy as np
import pytest

from course.widgets import embedding_map
from course.widgets.word_map import compress, cosines, map_places, nearest
from tests.mistakes import mistakes


def random_map(n=17, dim=11, windows=(1, 2, 5), **state):
    rng = np.random.default_rng(0)
    return embedding_map({w: rng.normal(size=(n, dim)) for w in windows}, [f"w{i}" for i in range(n)], **state)


def test_cosines_survive_the_compression():
    vectors = np.random.default_rng(0).normal(size=(29, 23))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    table = compress(vectors)
    assert table.dtype == np.int8
    for row in range(29):
        np.testing.assert_allclose(cosines(table, table[row]), unit @ unit[row], atol=0.02)


def test_neighbours_are_those_of_a_plain_sort_without_the_word():
    table = compress(np.random.default_rng(1).normal(size=(13, 7)))
    near = nearest(table, 3, 5)
    scores = cosines(table, table[3])
    assert [i for i, _ in near] == [i for i in np.argsort(-scores) if i != 3][:5]
    assert all(score == pytest.approx(scores[i]) for i, score in near)


def test_a_turned_and_mirrored_table_gives_the_same_map():
    """Procrustes: a model that differs by a rotation only must not move a dot."""
    vectors = np.random.default_rng(2).normal(size=(19, 5))
    turn, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(5, 5)))
    first, second = map_places([vectors, vectors @ turn])
    np.testing.assert_allclose(first, second, atol=2)
    assert np.abs(first).max() == 9999


def test_the_finding_says_what_is_shown():
    widget = random_map()
    near = widget.neighbours()
    assert f"Window 1: nearest to “w0” are “w{near[0][0]}” ({near[0][1]:.2f})" in widget.finding()
    stay = len({i for i, _ in near} & {i for i, _ in widget.neighbours(window=2)})
    assert f"{stay} of its 10 neighbours are also there at window 5" in widget.finding()
    widget.window, widget.chosen = 2, 4
    assert widget.finding().startswith("Window 5: nearest to “w4”")
    assert "at window 1." in widget.finding()


def test_one_word_and_one_table():
    widget = embedding_map(np.ones((1, 3)), ["alone"])
    assert widget.finding() == "“alone” is the only word here."
    widget.page()


test_bad_input_is_named = mistakes(
    (lambda: embedding_map({}, ["a"]), "0 tables"),
    (lambda: embedding_map({1: np.ones((0, 3))}, []), "0 words"),
    (lambda: embedding_map({1: np.ones((2, 3))}, ["a"]), "1 words, but vectors of shape"),
    (lambda: embedding_map({1: np.ones((201, 3))}, [str(i) for i in range(201)]), "1 to 200"),
    (lambda: embedding_map({1: [[1, 2.0], [np.nan, 1]]}, ["fine", "broken"]), "'broken' at window 1 holds NaN"),
    (lambda: random_map(word="zz"), "'zz'"),
    (lambda: random_map(window=3), "window 3"),
)
