"""The one-hot product: findings at several states, sizes, errors."""

import numpy as np

from course.widgets import one_hot_row
from tests.mistakes import mistakes

MATRIX = np.array([[0.5, -1.25], [2.0, 0.004], [0.0, 3.5]])
WORDS = ["bank", "배", "<b>"]


def test_the_finding_says_what_the_state_is():
    widget = one_hot_row(MATRIX, WORDS)
    widget.word = 1
    assert "400,000 multiplications" in widget.finding()
    widget.size = 0
    assert "3 words that is 6 multiplications, to copy 2 numbers" in widget.finding()
    widget.backward, widget.times = True, 3
    assert "the sum of 3 gradients" in widget.finding()
    assert "2 of 3 rows get zeros" in widget.finding()


test_input_that_cannot_be_shown_is_named = mistakes(
    ((MATRIX, WORDS[:2]), "one row per word"),
    ((np.ones((13, 2)), [str(i) for i in range(13)]), "at most 12 rows"),
    ((MATRIX, ["a", "a", "b"]), "twice"),
    ((MATRIX * np.nan, WORDS), "not finite"),
    of=lambda row: one_hot_row(*row),
)
