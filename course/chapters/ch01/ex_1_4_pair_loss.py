"""Exercise 1.4: the negative-sampling loss of one pair. Source: Mikolov et al. 2013, arXiv:1310.4546, equation 4."""

import math

import torch
import torch.nn.functional as F

from course.check.exercise import Exercise, Probe, Seen


def pair_loss(
    inputs: torch.Tensor, outputs: torch.Tensor, centre: int, context: int, negatives: list[int]
) -> torch.Tensor:
    """Negative-sampling loss of one pair, in nats. inputs, outputs [word, dim]: the two tables; the rest: word ids."""
    vector = inputs[centre]
    positive = F.logsigmoid(outputs[context] @ vector)
    negative = F.logsigmoid(-outputs[negatives] @ vector).sum()
    return -(positive + negative)


def _loss(inputs, outputs, centre, context, negatives, *, sign=-1, log=F.logsigmoid, reduce=torch.sum, whole=-1):
    vector = inputs[centre]
    return whole * (log(outputs[context] @ vector) + reduce(log(sign * (outputs[negatives] @ vector))))


def _softmax_loss(inputs, outputs, centre, context, negatives):
    return -F.log_softmax(outputs[[context, *negatives]] @ inputs[centre], dim=0)[0]


def _against_context(inputs, outputs, centre, context, negatives):
    vector = outputs[context]
    return -F.logsigmoid(vector @ inputs[centre]) - F.logsigmoid(-outputs[negatives] @ vector).sum()


def _tables(scale=1.0):
    """Two fixed tables [5, 3] with nothing special about them."""
    inputs = torch.tensor([[0.5, -0.2, 0.1], [0.3, 0.8, -0.5], [-0.6, 0.4, 0.9], [0.2, -0.7, 0.3], [0.9, 0.1, -0.4]])
    outputs = torch.tensor([[0.1, 0.6, -0.3], [-0.4, 0.2, 0.7], [0.8, -0.5, 0.2], [0.3, 0.3, -0.9], [-0.2, 0.7, 0.5]])
    return inputs * scale, outputs * scale


PROBES = [
    Probe("three negatives", *_tables(), 1, 4, [0, 2, 3]),
    Probe("another centre, a negative drawn twice", *_tables(2.0), 2, 3, [1, 1, 0, 4]),
    Probe("one negative", *_tables(3.0), 0, 2, [1]),
    Probe("large scores", *_tables(30.0), 1, 2, [4, 0]),
]
MISTAKES = [
    ("the negatives have the wrong sign", lambda *a: _loss(*a, sign=1)),
    ("the mean over the negatives", lambda *a: _loss(*a, reduce=torch.mean)),
    ("the sigmoid is applied twice", lambda *a: _loss(*a, log=lambda x: F.logsigmoid(x.sigmoid()))),
    ("one table for both", lambda inputs, outputs, *a: _loss(inputs, inputs, *a)),
    ("the tables are swapped", lambda inputs, outputs, *a: _loss(outputs, inputs, *a)),
    ("a softmax over the drawn words", _softmax_loss),
    ("the sign of the whole loss", lambda *a: _loss(*a, whole=1)),
    ("the logarithm is missing", lambda *a: _loss(*a, log=torch.sigmoid)),
    ("the negatives are left out", lambda *a: _loss(*a[:-1], [])),
    ("the negatives are compared with the context", _against_context),
    ("the logarithm of a sigmoid that became 0", Seen(lambda got, *_: not math.isfinite(got))),
]
EXERCISE = Exercise("1.4", pair_loss, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12, without=["loop"])
