"""The mean of the last saved weights, in memory and on disk: the same, also across an interruption."""

import pytest
import torch

from course_lib.errors import CourseError
from course_lib.training import fit
from course_lib.training.averaging import LastCheckpoints, LastWeights, mean_of
from tests.training.nets import Classifier, Stop, build, crash, rows, weights


def test_mean_by_hand_and_counters_are_the_last():
    saved = [{"w": torch.tensor([w, -w]), "n": torch.tensor(n)} for w, n in [(1.0, 3), (3.0, 7)]]
    mean = mean_of(saved)
    assert mean["w"].tolist() == [2.0, -2.0]
    assert mean["n"].item() == 7
    assert mean["n"] is not saved[1]["n"]
    half = mean_of([{"w": torch.full((2,), 40_000.0, dtype=torch.float16)}] * 3)["w"]  # their sum is not a float16
    assert (half.dtype, half.tolist()) == (torch.float16, [40_000.0, 40_000.0])


def test_keeps_the_last_ones_of_a_training():
    model, seen = Classifier(), []
    last = LastWeights(model, keep=3, every=5)
    fit(model, rows(), steps=23, watchers=[lambda step, losses: seen.append(weights(model)), last], show=False)
    mean = last.mean()
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, (seen[9][name] + seen[14][name] + seen[19][name]) / 3)
    assert not torch.equal(mean["lower.weight"], model.lower.weight)


def train(folder, steps, state=None, more=(), **settings):
    model = build(Classifier)
    memory = LastWeights(model, keep=3, every=2)
    disk = LastCheckpoints(model, folder / "weights", keep=3, every=2)
    fit(model, rows(), steps=steps, watchers=[memory, disk, *more], show=False, folder=state, **settings)
    return memory, disk


def test_the_mean_is_that_of_the_weights_in_memory_also_after_an_interruption(tmp_path):
    whole, disk = train(tmp_path / "whole", 11)
    torch.testing.assert_close(disk.mean(), whole.mean(), rtol=0, atol=0)
    state = {"state": tmp_path / "state", "save_steps": 1}
    with pytest.raises(Stop):
        train(tmp_path, 11, more=[crash(7)], **state)
    _, disk = train(tmp_path, 11, **state)
    assert disk.steps() == [6, 8, 10]
    torch.testing.assert_close(disk.mean(), whole.mean(), rtol=0, atol=0)
    _, disk = train(tmp_path, 5)  # of another training: the later weights of the first go
    assert disk.steps() == [2, 4]


def test_says_what_is_wrong(tmp_path):
    with pytest.raises(CourseError, match="no saved weights"):
        LastCheckpoints(Classifier(), tmp_path, every=2).mean()
    with pytest.raises(CourseError, match="keep=0"):
        LastWeights(Classifier(), keep=0, every=2)
