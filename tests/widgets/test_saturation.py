"""Softmax saturation: the numbers against autograd and by hand, the finding at each kind of state, errors."""

import numpy as np
import pytest
import torch

from course.widgets import softmax_saturation
from course.widgets.saturation import DRAWS, GRID, SPREADS, saturation, score_paths, typical_norms


def test_weights_and_jacobian_equal_autograds():
    scores = torch.tensor([0.5, -1.0, 2.0, 0.25, 0.0], dtype=torch.float64)
    found = saturation(scores.numpy(), factor=1.5, temperature=0.75)
    z = scores * 2.0
    jacobian = torch.autograd.functional.jacobian(lambda z: z.softmax(0), z)
    assert found.weights == pytest.approx(z.softmax(0).numpy())
    assert found.jacobian == pytest.approx(jacobian.numpy())
    assert found.norm == pytest.approx(float(jacobian.norm()))
    rows = np.random.default_rng(3).normal(scale=5, size=(7, 8))
    assert saturation(rows).norm == pytest.approx([saturation(row).norm for row in rows])


def test_the_notes_example_times_100_saturates():
    assert saturation([0.3, 0.4]).weights == pytest.approx([0.475, 0.525], abs=5e-4)
    assert saturation([0.3, 0.4], 100).weights == pytest.approx([4.54e-5, 0.99995], rel=1e-2)
    assert saturation([1000.3, 1000.4]).norm == pytest.approx(saturation([0.3, 0.4]).norm)
    jacobian = saturation([0.3, 0.4]).jacobian
    assert jacobian[0, 1] == pytest.approx(-0.475 * 0.525, abs=1e-3)  # minus off the diagonal
    assert jacobian.sum(1) == pytest.approx(0, abs=1e-12)


def test_scores_spread_as_the_root_of_d_k():
    paths = score_paths()
    assert paths.shape == (DRAWS, 8, len(GRID))
    late = paths[:, :, -1]  # 32 scores of variance 1,024, in draws that share a query
    assert 512 < late.var() < 2048
    typical = typical_norms()[:, 1]
    assert typical[SPREADS.index(1)] > 0.3
    assert typical[SPREADS.index(32)] < 0.01


def test_the_finding_says_what_the_state_is():
    widget = softmax_saturation()
    norm = widget.numbers().norm
    for state, says in (
        ({}, "times smaller than with ÷ √d_k"),
        ({"shift": 15}, "moves no weight"),
        ({"shift": 0, "scaled": True}, "the gradient passes"),
        ({"temperature": 0.1}, "sharp again"),
        ({"temperature": 1.0, "scaled": False, "d_k": 2}, "still listens"),
        ({"source": "notes"}, "[0.475, 0.525]"),
        ({"factor": 100}, "all but gone"),
    ):
        for name, value in state.items():
            setattr(widget, name, value)
        assert says in widget.finding()
        if widget.shift:
            assert widget.numbers().norm == pytest.approx(norm)
        if widget.scaled and widget.temperature == 1:
            assert widget.numbers().norm == pytest.approx(saturation(widget.scores() / 8).norm)
