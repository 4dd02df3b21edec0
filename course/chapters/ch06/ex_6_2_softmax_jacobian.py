"""Exercise 6.2: the derivative of a softmax, which is why scores are scaled. Source: Vaswani et al. 2017,
arXiv:1706.03762, section 3.2.1."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe


def softmax_jacobian(scores: torch.Tensor) -> torch.Tensor:
    """[weight, score]: how fast weight i grows when score j does, by the formula. scores [n].
    softmax_jacobian(torch.tensor([0.0, 0.0])) -> [[0.25, -0.25], [-0.25, 0.25]]"""
    weights = scores.softmax(dim=0)
    return torch.diag(weights) - torch.outer(weights, weights)


def _table(diagonal, others):
    """Both from the weights: diagonal [n], others [n, n]."""

    def model(scores):
        y = scores.softmax(0)
        return torch.where(torch.eye(len(y), dtype=torch.bool), diagonal(y)[:, None], others(torch.outer(y, y)))

    return model


def _own(y):
    return y * (1 - y)


def _overflowing(scores):
    weights = scores.exp() / scores.exp().sum()
    return torch.diag(weights) - torch.outer(weights, weights)


PROBES = [
    Probe("one score", torch.tensor([0.5])),
    Probe("two scores", torch.tensor([0.3, 0.4])),
    Probe("five scores", torch.tensor([0.5, -1.0, 2.0, 0.0, 1.5])),
    Probe("one score far above the others", torch.tensor([12.0, 0.0, 1.0])),
    Probe("1000 added to all scores", torch.tensor([1000.0, 1001.0, 999.5])),
]
MISTAKES = [
    ("plus off the diagonal", _table(_own, lambda products: products)),
    ("only the diagonal", _table(_own, torch.zeros_like)),
    ("the diagonal lacks its second part", _table(lambda y: y, lambda products: -products)),
    ("the square is subtracted twice", _table(lambda y: y - 2 * y * y, lambda products: -products)),
    ("the diagonal is like the rest", _table(lambda y: -y * y, lambda products: -products)),
    ("1 - y in every entry", lambda scores: torch.outer(scores.softmax(0), 1 - scores.softmax(0))),
    ("all signs are turned round", lambda scores: -softmax_jacobian(scores)),
    ("the derivative of a sigmoid", lambda scores: torch.diag(scores.sigmoid() * (1 - scores.sigmoid()))),
    ("the scores instead of the weights", lambda scores: torch.diag(scores) - torch.outer(scores, scores)),
    ("only n numbers", lambda scores: _own(scores.softmax(0)), lambda scores: scores.softmax(0)),
    ("large scores overflow", _overflowing),
]
EXERCISE = Exercise("6.2", softmax_jacobian, PROBES, MISTAKES, difficulty=2, importance=4, minutes=10, without=AUTOGRAD)
