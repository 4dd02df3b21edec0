"""Typed words and reviews: the numbers are the models', sums are read, what is not known is told."""

import numpy as np
import pytest

from course.lab.review_words import ReviewWords
from course.widgets import ask_review, ask_words
from course_lib.models.word_vectors import WordVectors
from tests.mistakes import mistakes

WORDS = ["king", "man", "woman", "queen", "e-mail", "<b>", "배"]
TABLE = WordVectors(WORDS, np.random.default_rng(1).normal(size=(7, 5)))
REVIEWS = ReviewWords(["good", "not", "not good", "<b>"], np.array([1.5, -0.5, -2.25, 0.25]), 0.125, ("neg", "pos"))


def test_a_sum_is_that_of_unit_vectors_without_the_words_asked_with():
    widget = ask_words(TABLE, ["king"])
    assert widget.answer["rows"] == [
        [word, pytest.approx(cosine, abs=1e-6)] for word, cosine in TABLE.neighbours("king")
    ]
    for text in ("king - man + woman", "King − man+woman", "\ufeffking - man\u200b + wo\u00adman"):
        widget.typed = text
        expected = TABLE.analogy("king", "man", "woman", k=10)
        assert widget.answer["rows"] == [[word, pytest.approx(cosine, abs=1e-6)] for word, cosine in expected]
        first, second = expected[:2]
        assert widget.finding() == (
            f"Nearest to king − man + woman: “{first[0]}” ({first[1]:.2f}) and “{second[0]}” ({second[1]:.2f})."
        )
    widget.typed = "e-mail"
    assert widget.answer["text"] == "e-mail"
    widget.typed = "e-mail + prince"
    assert widget.trouble == "“prince” is not among the 7 words of this table."
    assert widget.answer["text"] == "e-mail"


def test_a_review_s_score_is_the_sum_of_its_votes():
    widget = ask_review(REVIEWS, ["Not good!"])
    assert widget.answer["rows"] == [["not good", -2.25], ["good", 1.5], ["not", -0.5]]
    sure = 1 / (1 + np.exp(-(2.25 - 1.5 + 0.5 - 0.125)))
    assert widget.finding() == (
        f"negative, {100 * sure:.0f} %. What weighs most: “not good” (−2.25) and “good” (+1.50)."
    )
    widget.typed = "배"
    assert widget.finding() == "positive, 53 %: it knows no word of this, and only its leaning speaks."
    assert widget.answer["rows"] == []


test_bad_input_is_told = mistakes(
    (lambda: ask_review(REVIEWS, []), "Give 1 to 12"),
    (lambda: ask_words(TABLE, ["prince"]), "“prince” is not among the 7 words"),
)
