"""The rate designer: its curves equal the schedule's, areas, findings, errors."""

import numpy as np
import pytest

from course.widgets import rate_designer
from course.widgets.rate_plan import gradual_opens, layer_rates
from course_lib.training.schedules import slanted_triangular
from tests.mistakes import mistakes

NAMES = ["embedding", "LSTM", "<b>"]


@pytest.mark.parametrize(("cut", "ratio", "steps"), [(0.1, 32, 137), (0.3, 5, 41), (0.01, 7, 23)])
def test_curves_are_the_papers_triangle_over_the_factor(cut, ratio, steps):
    rates = layer_rates(3, steps, [0, 0, 0], 2.5, cut, ratio)
    triangle = [slanted_triangular(t, steps, cut, ratio) for t in range(steps)]
    assert rates[2] == pytest.approx(triangle)
    assert rates[1] == pytest.approx(np.array(triangle) / 2.5)
    assert rates[0] == pytest.approx(np.array(triangle) / 6.25)


def test_a_layer_does_not_learn_before_it_opens():
    rates = layer_rates(3, 100, [40, 100, 0])
    assert not rates[0, :40].any()
    assert rates[0, 40:].all()
    assert not rates[1].any()
    assert gradual_opens(4, 200) == [75, 50, 25, 0]


def test_the_finding_follows_the_state():
    widget = rate_designer(NAMES, 300)
    assert "at step 100 of 300" in widget.finding()
    assert widget.shares().sum() == pytest.approx(1)
    for widget.opens, widget.factor, says in (
        ([0, 0, 0], 2.6, "All layers open at once."),
        ([300, 300, 0], 1.0, "2 of 3 layers stay as they were."),
        ([300, 300, 300], 1.0, "All layers are frozen"),
        ([0, 0, 0], 1.0, "forgets first"),
    ):
        assert says in widget.finding()
    assert widget.shares() == pytest.approx([1 / 3] * 3)


test_input_that_cannot_be_shown_is_named = mistakes(
    ((["one"], 100), "Give 2 to 12 names"),
    ((NAMES, 3), "steps=3"),
    ((NAMES, 10.5), "whole number"),
    of=lambda given: rate_designer(*given),
)
