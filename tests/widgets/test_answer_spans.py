"""The span explorer: best and refused spans by brute force, probabilities, findings, errors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course.widgets import span_explorer
from course.widgets.answer_spans import by_score, log_probabilities
from tests.mistakes import mistakes

WORDS = ["In", "1443", "Sejong", "made", "han", "##gul", "<b>"]
START = [0.0, 1.0, 3.0, 0.0, 2.5, -1.0, 0.0]
END = [0.0, 4.0, 1.0, 0.0, -1.0, 3.0, 0.0]


def brute(start, end, max_answer):
    """Every pair, one at a time: (valid, i, j, score), best first, of equal ones the leftmost and shortest."""
    pairs = [
        (i <= j and j - i + 1 <= max_answer, i, j, start[i] + end[j])
        for i in range(len(start))
        for j in range(len(end))
    ]
    return sorted(pairs, key=lambda pair: (-pair[3], pair[1], pair[2]))


@given(
    n=st.integers(1, 11),
    max_answer=st.integers(1, 13),
    numbers=st.lists(st.integers(-3, 3), min_size=22, max_size=22),
)
def test_best_and_refused_spans_are_those_of_looking_at_each_pair(n, max_answer, numbers):
    start, end = np.array(numbers[:n], float), np.array(numbers[11 : 11 + n], float)
    pairs = brute(start, end, max_answer)
    expected = [pair[1:] for pair in pairs if pair[0]]
    assert by_score(start, end, max_answer) == (
        expected,
        [pair[1:] for pair in pairs if not pair[0] and pair[3] > expected[0][2]],
    )


def test_log_probabilities_sum_to_one_and_survive_large_scores():
    logs = log_probabilities(np.array([[1000.0, 1001.0, 999.0], [0.0, np.log(3), 0.0]]))
    assert np.exp(logs).sum(-1) == pytest.approx([1, 1])
    assert np.exp(logs[1]) == pytest.approx([0.2, 0.6, 0.2])


def test_a_joint_probability_is_the_product():
    widget = span_explorer(["a", "b"], [0.0, np.log(3)], [np.log(4), 0.0])
    assert np.exp(widget.log_probability(0, 0)) == pytest.approx(0.25 * 0.8)
    assert np.exp(widget.log_probability(1, 0)) == pytest.approx(0.75 * 0.8)  # invalid, and still the most probable
    assert (widget.start, widget.end) == (0, 0)
    assert widget.finding() == "“a” has log-probability −1.61 (20 %): the best of all 3 valid spans."


def test_the_finding_follows_the_state():
    widget = span_explorer(WORDS, START, END, null=6.5, max_answer=4)
    assert "6.50, the best span 6.00: the model does not answer." in widget.finding()
    for widget.start, widget.end, says in (
        (2, 5, "the best of all 22 valid spans. “No answer”"),
        (4, 5, "number 2 of 22 valid spans. The best is “Sejong made hangul” with"),
        (2, 1, "the end stands before the start, no answer, though its log-probability"),
        (0, 6, "has 7 tokens, and an answer at most 4, and its log-probability"),
    ):
        assert says in widget.finding()
    assert ": the only valid span." in span_explorer(["a"], [1.0], [2.0]).finding()
    widget = span_explorer(WORDS, START, END, null=5.75)
    assert "“No answer” scores 5.75" in widget.finding()
    assert widget.finding().endswith("the model answers.")


def test_the_still_picture_strikes_out_what_was_refused():
    widget = span_explorer(WORDS, START, END, max_answer=4)
    assert widget.still().count("line-through") == len(widget.refused()) == 2


test_input_that_cannot_be_shown_is_named = mistakes(
    ({"tokens": []}, "0 tokens. Give 1 to 200"),
    ({"tokens": WORDS[:5]}, r"are \[\(7,\), \(7,\)\] for 5 tokens"),
    ({"start": [float("nan")] * 7}, "not finite"),
    ({"end": [float("-inf")] * 7}, "not finite"),
    ({"null": float("inf")}, "not finite"),
    ({"max_answer": 2.5}, "max_answer=2.5"),
    of=lambda changes: span_explorer(**{"tokens": WORDS, "start": START, "end": END, **changes}),
)
