"""Weights kept on disk: their mean is that of weights kept in memory, also across an interruption."""

import pytest
import torch

from course_lib.checkpoints import save_checkpoint
from course_lib.errors import CourseError
from course_lib.training import fit
from course_lib.training.averaging import LastCheckpoints, LastWeights
from tests.training.nets import Classifier, rows


class Saved(Classifier):
    def save(self, folder):
        save_checkpoint(folder, kind="classifier", config={}, tensors=self.state_dict())


def train(folder, steps, state=None, **settings):
    torch.manual_seed(3)
    model = Saved()
    memory = LastWeights(model, keep=3, every=2)
    disk = LastCheckpoints(model, folder / "weights", keep=3, every=2)
    fit(model, rows(), steps=steps, watchers=[memory, disk], show=False, folder=state, **settings)
    return memory, disk


def test_the_mean_is_that_of_the_weights_in_memory(tmp_path):
    memory, disk = train(tmp_path, 13)
    assert disk.steps() == [8, 10, 12]
    torch.testing.assert_close(disk.mean(), memory.mean(), rtol=0, atol=0)


def test_an_interrupted_training_has_the_same_mean(tmp_path):
    whole, _ = train(tmp_path / "whole", 11)
    state = {"save_steps": 1}

    def stop(step, losses):
        if step == 7:
            raise KeyboardInterrupt

    torch.manual_seed(3)
    model = Saved()
    first = LastCheckpoints(model, tmp_path / "weights", keep=3, every=2)
    with pytest.raises(KeyboardInterrupt):
        fit(model, rows(), steps=11, watchers=[first, stop], show=False, folder=tmp_path / "state", **state)
    _, disk = train(tmp_path, 11, state=tmp_path / "state", **state)
    assert disk.steps() == [6, 8, 10]
    torch.testing.assert_close(disk.mean(), whole.mean(), rtol=0, atol=0)


def test_later_weights_of_another_training_go(tmp_path):
    train(tmp_path, 13)
    _, disk = train(tmp_path, 5)
    assert disk.steps() == [2, 4]


def test_says_what_is_wrong(tmp_path):
    with pytest.raises(CourseError, match="keep=0, every=2"):
        LastCheckpoints(Saved(), tmp_path, keep=0, every=2)
    with pytest.raises(CourseError, match="no saved weights"):
        LastCheckpoints(Saved(), tmp_path, every=2).mean()
