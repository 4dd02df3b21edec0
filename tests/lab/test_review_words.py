"""Reviews as votes of words and word pairs: what is a term, the score by hand, files, and what is no model."""

import numpy as np
import pytest

from course.lab.review_words import ReviewWords, terms_of
from course_lib.errors import CourseError
from course_lib.models.encoder import RandomEncoder
from course_lib.models.shipped import load
from tests.mistakes import mistakes

VOTES = {"good": 1.5, "not good": -2.25, "not": -0.5, "!": 0.125, "film don't": 7.0}


def small(**changes) -> ReviewWords:
    parts = {"terms": [*VOTES], "weights": np.array([*VOTES.values()]), "bias": -0.25, "labels": ("neg", "pos")}
    return ReviewWords(**parts | changes)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Not good, NOT good!", ["not", "good", "!", "not good", "good not", "good !"]),
        ("film<br />I don’t", ["film", "i", "don't", "film i", "i don't"]),
        ("A<BR>b<br/>c", ["a", "b", "c", "a b", "b c"]),
        ("7/10 'quoted'", ["7", "10", "quoted", "7 10", "10 quoted"]),
        (" \t… ", []),
        ("", []),
    ],
)
def test_terms(text, terms):
    assert terms_of(text) == terms


def test_the_score_is_the_sum_of_the_votes_each_term_once():
    model = small()
    texts = ["Good film, good, good!", "It is not GOOD", "unseen words", ""]
    np.testing.assert_allclose(model.scores(texts), [1.5 + 0.125 - 0.25, 1.5 - 2.25 - 0.5 - 0.25, -0.25, -0.25])
    assert model.votes(texts[1]) == {"not": -0.5, "good": 1.5, "not good": -2.25}
    assert model.votes("unseen words") == {}
    assert model.predict(texts) == ["pos", "neg", "neg", "neg"]
    assert small(bias=0.0).predict([""]) == ["pos"]


def test_save_and_load(tmp_path):
    model = small(terms=["good", "not good", "not", "!", "é\u2028b"])
    model.save(tmp_path / "saved")
    assert vars(ReviewWords.load(tmp_path / "saved")) == vars(model)


def test_it_is_no_encoder_and_an_encoder_is_not_it(tmp_path):
    small().save(tmp_path / "words")
    with pytest.raises(CourseError, match=r"words holds no encoder: it labels reviews. Use `course predict imdb FILE`"):
        load(tmp_path / "words")
    RandomEncoder(6).save(tmp_path / "encoder")
    with pytest.raises(CourseError, match="encoder holds a 'random-encoder', not a classifier of reviews"):
        ReviewWords.load(tmp_path / "encoder")


test_mistakes_are_named = mistakes(
    (lambda: small().predict("good"), r"not one str. Put it in \[ \]"),
    (
        lambda: small().predict(["good", float("nan")]),
        "Text 1 is nan .float., not text. Drop empty rows first, .*dropna",
    ),
)
