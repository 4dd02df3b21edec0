"""The dots of a word at each system: their places, who is nearest, what is said, what is stored."""

import numpy as np
import pytest

from course.widgets.word_stories import SCALE, Stop, Story, nearest_other, views, word_generations
from course_lib.errors import CourseError
from tests.mistakes import mistakes

N = 11
HOSTILE = "</script><img src=x onerror=alert(1)>"


def random_story(word="spring", dims=(5, 7, 13), **changed):
    rng = np.random.default_rng(3)
    told = [(["a", word, HOSTILE], 1, "coil" if i % 2 else "season") for i in range(N)]
    stops = [Stop(f"system {dim}", rng.normal(size=(N, dim)), rng.integers(0, 2, N)) for dim in dims]
    return Story(**{"word": word, "occurrences": told, "stops": stops, "baselines": {"chance": N / 2}} | changed)


def test_places_are_the_two_main_directions_up_to_a_turn():
    """PCA by the covariance's eigenvectors: distances on the map are those of its two largest, up to one scale."""
    rows = np.random.default_rng(0).normal(size=(N, 7)) * np.arange(1, 8)
    centred = rows - rows.mean(0)
    values, directions = np.linalg.eigh(centred.T @ centred)
    for view in views([np.random.default_rng(1).normal(size=(N, 5)), rows])[1:]:
        places, wanted = view.places(rows), centred @ directions[:, -2:]
        assert np.linalg.norm(places, axis=1).max() == pytest.approx(1)
        ratio = np.linalg.norm(places[0] - places[1]) / np.linalg.norm(wanted[0] - wanted[1])
        for i, j in ((2, 3), (4, 9)):
            assert np.linalg.norm(places[i] - places[j]) == pytest.approx(ratio * np.linalg.norm(wanted[i] - wanted[j]))
        assert view.held == pytest.approx(values[-2:].sum() / values.sum())


def test_no_turn_brings_a_stop_nearer_to_the_one_before():
    first, second = (np.random.default_rng(seed).normal(size=(N, 6)) for seed in (0, 1))
    before, view = views([first, second])
    target, places = before.places(first), view.places(second)
    best = np.linalg.norm(places - target)
    for angle in np.linspace(0, 2 * np.pi, 37):
        turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        for flip in (1, -1):
            assert np.linalg.norm(places * [flip, 1] @ turn - target) >= best - 1e-9


def test_one_row_for_all_is_one_dot_in_the_middle_and_turns_nothing():
    rows = np.random.default_rng(0).normal(size=(N, 6))
    alone, between = views([rows]), views([rows, np.ones((N, 4)), rows])
    assert (between[1].places(np.ones((N, 4))) == 0).all()
    np.testing.assert_allclose(between[2].places(rows), alone[0].places(rows), atol=1e-12)
    widget = word_generations([random_story(stops=[Stop("table", np.ones((N, 3)), np.full(N, 0.5))])])
    assert widget.finding() == f"table: {N} times “spring”, one dot. It cannot tell season and coil apart."


def test_the_nearest_is_the_one_with_the_largest_cosine():
    assert nearest_other(np.array([[1.0, 0], [9, 1], [0, 1], [-1, 2]])) == [1, 0, 3, 2]


def test_the_finding_says_the_count_and_the_best_without_a_network():
    widget = word_generations([random_story(baselines={"chance": 5.5, "counting": 7.0})], stop=2)
    right = int(widget._stories[0].stops[2].right.sum())
    assert widget.finding() == (
        f"system 13: {right} of {N} “spring” lie with their own kind. Without a network, counting: 7."
    )


@pytest.mark.parametrize(
    ("baselines", "says"),
    [
        ({"chance": 5.5, "counting": 11.0}, "For this word counting its neighbours is enough: counting, 11."),
        ({"chance": 5.5, "counting": 7.0}, "Without a network, counting: 7."),  # one system does better
        ({"chance": 11.0, "counting": 11.0}, "Without a network, chance: 11."),  # no better than chance
    ],
)
def test_a_word_for_which_no_network_is_needed_is_called_so_at_each_stop(baselines, says):
    story = random_story(baselines=baselines)
    story.stops[1].right[:] = [1] * 9 + [0] * 2
    for stop in range(3):
        assert word_generations([story], stop=stop).finding().endswith(says)


def test_a_typed_sentence_lies_where_its_vectors_do():
    stories = [random_story("seal"), random_story("spring")]
    vectors = [stop.vectors[4] for stop in stories[1].stops]

    def read(text):
        if text == "?":
            raise CourseError("no such word")
        return 1, vectors

    widget = word_generations(stories, read=read)
    widget.typed = "in spring"
    assert widget.word == 1
    assert widget.own[0]["places"] == [stop["places"][4] for stop in widget.stories[1]["stops"]]
    assert all(abs(x) <= SCALE for place in widget.own[0]["places"] for x in place)
    for stop, kind in zip(stories[1].stops, widget.own[0]["kinds"], strict=True):
        labels = np.array([sense for *_, sense in stories[1].occurrences])
        means = [stop.vectors[labels == sense].mean(0) for sense in ("season", "coil")]
        cosines = [mean @ stop.vectors[4] / np.linalg.norm(mean) for mean in means]
        assert kind == int(np.argmax(cosines))
    widget.typed = "?"
    assert (widget.trouble, len(widget.own)) == ("no such word", 1)
    for text in ("a second spring", "a third spring"):  # two of them can be compared
        widget.typed = text
    assert [one["text"] for one in widget.own] == ["a second spring", "a third spring"]
    widget.typed = " "
    assert (widget.trouble, widget.own) == ("", [])


test_what_cannot_be_drawn_is_told = mistakes(
    ({"stories": []}, "no words"),
    ({"stories": [random_story(occurrences=[(["a"], 0, "one")] * N)]}, "has 1 senses"),
    ({"stories": [random_story(stops=[Stop("gone", np.full((N, 3), np.nan), np.ones(N))])]}, "gone of .* not finite"),
    ({"word": "autumn"}, "no story of 'autumn'"),
    ({"stop": 3}, "stop is 3"),
    of=lambda given: word_generations(**{"stories": [random_story()], **given}),
)
