import pytest
import torch
from torch import nn

from course_lib.errors import CourseError
from course_lib.training import fit, schedules
from tests.training.nets import Classifier, rows

QUIET = {"show": False, "device": "cpu"}


def weights(model):
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def same(left, right):
    return left.keys() == right.keys() and all(left[name].equal(right[name]) for name in left)


@pytest.mark.parametrize("part", ["loss", "gradient"])
def test_not_a_number_is_an_error_and_the_weights_stay(part):
    class Breaks(Classifier):
        def loss(self, batch):
            losses = super().loss(batch)
            bad = torch.tensor(float("nan"))
            if step[0] == 2:
                # sqrt at 0: a finite value with an infinite gradient
                losses["loss"] = losses["loss"] + (bad if part == "loss" else (self.upper.bias * 0).abs().sqrt().sum())
            return losses

    model, step, before = Breaks(), [0], []

    def watch(number, numbers):
        step[0] = number
        before[:] = [weights(model)]

    with pytest.raises(CourseError, match=r"nan at step 3, learning rate 0.02.*after step 2.*0.002"):
        fit(model, rows(), steps=9, learning_rate=0.02, watchers=[watch], **QUIET)
    assert same(weights(model), before[0])


class Silent(nn.Linear):
    pass


class Answers(nn.Linear):
    def __init__(self, answer):
        super().__init__(1, 1)
        self.answer = answer

    def loss(self, batch):
        return self.answer


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "Give steps, epochs or minutes"),
        ({"steps": 0}, "steps=0"),
        ({"minutes": -1}, "minutes=-1"),
        ({"steps": 1, "clip": 0}, "clip=0.*or None"),
        ({"steps": 1, "learning_rate": float("nan")}, "learning_rate=nan"),
        ({"steps": 1, "batches": []}, "no batch in epoch 1"),
        ({"steps": 1, "batches": 7}, "of type int"),
        ({"steps": 9, "batches": iter(rows())}, "read only once"),
        ({"steps": 9, "batches": lambda epoch: rows()[epoch:]}, "no batch in epoch 4"),
        ({"minutes": 1, "schedule": schedules.cosine}, "Give steps, or batches with a length"),
        ({"steps": 3, "schedule": lambda step, total: 1.0 - step}, "the schedule gave -1"),
        ({"steps": 1, "evaluate": lambda model: {"f1": [1]}}, "evaluate gave a list for 'f1'"),
        ({"steps": 1, "model": Silent(1, 1)}, r"Silent has no loss\(batch\)"),
        ({"steps": 1, "model": Answers({})}, "gave a dict with"),
        ({"steps": 1, "model": Answers(torch.ones(()))}, "gave a Tensor"),
        ({"steps": 1, "model": Answers({"loss": torch.ones(2), "count": 2})}, r"shape \[2\]"),
        ({"steps": 1, "model": Answers({"loss": torch.ones(()), "count": 2})}, "does not depend on any parameter"),
        ({"steps": 1, "model": Classifier().requires_grad_(False)}, "all of them are frozen"),
        ({"steps": 1, "optimizer": torch.optim.SGD, "weight_decay": 0.1}, "Set them there"),
        ({"steps": 1, "optimizer": lambda groups: torch.optim.SGD(groups[0]["params"])}, "Pass them on"),
    ],
)
def test_what_cannot_work_is_said_at_the_door(arguments, message):
    with pytest.raises(CourseError, match=message):
        fit(**{"model": Classifier(), "batches": rows(), **QUIET, **arguments})


def test_groups_must_be_the_models_and_hold_each_parameter_once():
    model = Classifier()
    both = [("a", model.lower.parameters()), ("b", model.parameters())]
    with pytest.raises(CourseError, match=r"'lower.weight' is in group 'a' and again in 'b'"):
        fit(model, rows(), steps=1, groups=both, **QUIET)
    with pytest.raises(CourseError, match="not the model's"):
        fit(model, rows(), steps=1, groups=[("a", Classifier().parameters())], **QUIET)
    names = [("a", model.lower.parameters()), ("a", model.upper.parameters())]
    with pytest.raises(CourseError, match="two groups are called 'a'"):
        fit(model, rows(), steps=1, groups=names, **QUIET)
