"""The mean of the last saved weights of a training, and the same across an interruption."""

import pytest
import torch

from course.lab.averaging import LastCheckpoints
from course_lib.training import fit
from tests.training.nets import Classifier, Stop, build, crash, rows, weights


def train(folder, steps, state=None, more=(), seen=None, **settings):
    model = build(Classifier)
    more = more if seen is None else [lambda step: seen.append(weights(model))]
    last = LastCheckpoints(model, folder / "weights", keep=3, every=2)
    fit(model, rows(), steps=steps, watchers=[last, *more], show=False, folder=state, **settings)
    return model, last


def test_keeps_the_last_ones_of_a_training_also_after_an_interruption(tmp_path):
    seen = []
    model, whole = train(tmp_path / "whole", 11, seen=seen)
    assert whole.steps() == [6, 8, 10]
    mean = whole.mean()
    for name, tensor in mean.items():
        torch.testing.assert_close(tensor, (seen[5][name] + seen[7][name] + seen[9][name]) / 3)
    assert not torch.equal(mean["lower.weight"], model.lower.weight)
    state = {"state": tmp_path / "state", "save_every": 1e-9}
    with pytest.raises(Stop):
        train(tmp_path, 11, more=[crash(7)], **state)
    _, last = train(tmp_path, 11, **state)
    assert last.steps() == [6, 8, 10]
    torch.testing.assert_close(last.mean(), mean, rtol=0, atol=0)
    _, last = train(tmp_path, 5)  # of another training: the later weights of the first go
    assert last.steps() == [2, 4]
