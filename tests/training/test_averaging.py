"""The mean of the last saved weights."""

import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.training import fit
from course_lib.training.averaging import LastWeights, mean_of
from tests.training.nets import Classifier, rows


def test_mean_by_hand_and_counters_are_the_last():
    saved = [
        {"w": torch.tensor([1.0, 4.0]), "n": torch.tensor(3)},
        {"w": torch.tensor([3.0, -4.0]), "n": torch.tensor(7)},
    ]
    mean = mean_of(saved)
    assert mean["w"].tolist() == [2.0, 0.0]
    assert mean["n"].item() == 7
    assert mean["n"] is not saved[1]["n"]


def test_half_precision_is_summed_in_full():
    saved = [{"w": torch.full((2,), 40_000.0, dtype=torch.float16)}] * 3  # their sum is not a float16
    assert mean_of(saved)["w"].tolist() == [40_000.0, 40_000.0]
    assert mean_of(saved)["w"].dtype == torch.float16


def test_keeps_the_last_ones_of_a_training():
    model, seen = Classifier(), []

    def keep_all(step, losses):
        seen.append({name: tensor.detach().clone() for name, tensor in model.state_dict().items()})

    last = LastWeights(model, keep=3, every=5)
    fit(model, rows(), steps=23, watchers=[keep_all, last], show=False)
    mean = last.mean()
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, (seen[9][name] + seen[14][name] + seen[19][name]) / 3)
    assert not torch.equal(mean["lower.weight"], model.lower.weight)
    model.load_state_dict(mean)


def test_says_what_is_wrong():
    with pytest.raises(CourseError, match="no saved weights"):
        LastWeights(Classifier(), every=2).mean()
    with pytest.raises(CourseError, match="keep=0"):
        LastWeights(Classifier(), keep=0, every=2)
    with pytest.raises(CourseError, match=r"weights 1 of 2 differ from the first in 'weight'"):
        mean_of([nn.Linear(2, 3).state_dict(), nn.Linear(5, 3).state_dict()])
