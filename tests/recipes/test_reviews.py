"""The recipe of the classifier of reviews: what is held out, what is learned, which terms stay, what goes wrong."""

from dataclasses import replace

import numpy as np
import pytest

from course.recipes import card, engine, reviews
from course_lib.data.records import LabelledText
from course_lib.errors import CourseError
from course_lib.models.review_words import ReviewWords
from tests.recipes.small import small

TRAIN = [
    *[LabelledText(text, "pos") for text in ("good film", "good good plot", "good film", "film")],
    *[LabelledText(text, "neg") for text in ("bad film", "bad", "bad plot", "film good")],
]


def changed(**settings):
    recipe = small(reviews.RECIPES[0])
    return replace(recipe, profiles={"cpu": replace(recipe.profiles["cpu"], **settings)})


POSITIVE = np.array([record.label == "pos" for record in TRAIN])


def test_neighbours_are_held_out_together():
    assert np.flatnonzero(reviews.held_out(np.array([False] * 11 + [True] * 7), 6)).tolist() == [8, 9, 10, 15, 16, 17]


def test_terms_and_their_presence():
    rows, terms = reviews.presence(record.text for record in TRAIN)
    assert [terms[column] for column in reviews.frequent(rows, 3)] == ["good", "film", "bad"]  # "good film": two texts
    chosen = rows[:, [terms.index(term) for term in ("film", "good", "plot")]].toarray().tolist()
    assert chosen == [[1, 1, 0], [0, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 0]]


def test_what_is_learned_is_scikit_learns_regression_over_log_count_ratios():
    from sklearn.linear_model import LogisticRegression

    rows, terms = reviews.presence(record.text for record in TRAIN)
    columns = [terms.index(term) for term in ("film", "good", "bad")]
    weights, bias = reviews.learn(rows[:, columns], POSITIVE, 3.0)
    ratios = np.log(np.array([4, 4, 1]) / 9) - np.log(np.array([3, 2, 4]) / 9)
    peer = LogisticRegression(C=3.0, solver="liblinear", tol=1e-3, random_state=0)
    peer.fit(rows[:, columns].toarray() * ratios, POSITIVE)
    expected = peer.decision_function(rows[:, columns].toarray() * ratios)
    model = ReviewWords(["film", "good", "bad"], weights, bias, reviews.LABELS)
    np.testing.assert_allclose(model.scores([record.text for record in TRAIN]), expected, rtol=1e-6)
    assert model.weights["good"] > 0 > model.weights["bad"]


def test_the_strongest_terms_weigh_most_in_the_texts():
    rows, terms = reviews.presence(record.text for record in TRAIN)
    rows = rows[:, [terms.index(term) for term in ("film", "good", "bad", "plot")]]
    weights = np.array([0.1, 1.0, -1.5, 3.0])  # times the root of 5, 4, 3 and 2 texts: 0.22, 2, 2.6, 4.2
    assert reviews.strongest(rows, weights, 3).tolist() == [1, 2, 3]
    assert reviews.strongest(rows, weights, 1).tolist() == [3]
    assert reviews.strongest(rows, weights, 7).tolist() == [0, 1, 2, 3]


def test_the_card_says_how_it_was_chosen(out):
    folder = engine.run(small(reviews.RECIPES[0]), out)
    _, rows = card.parse((folder / "card.md").read_text(encoding="utf-8"), folder)
    assert "89; for development learned from 75, 14 held out" in rows["data"]
    assert rows["accuracy on the 14 held out, the 31 strongest"] == "100 (95 % interval 100 to 100)"
    assert rows["labels that float16 changes"] == "0 of 15"  # every sixth of 89
    assert len(ReviewWords.load(folder).terms) == 31


def test_no_table_that_costs_accuracy_and_no_data_too_small(out):
    with pytest.raises(CourseError, match=r"reviews-en: 1 terms are right in 0\.\d+ of .* Keep more terms"):
        engine.run(changed(terms=1), out)
    with pytest.raises(CourseError, match=r"holds 90 reviews out, and there are only 89"):
        engine.run(changed(held_out=90), out)
    assert not (out / "reviews-en").exists()
