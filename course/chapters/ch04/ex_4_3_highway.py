"""Exercise 4.3: a highway layer. Source: Srivastava et al. 2015, arXiv:1505.00387, section 2."""

from functools import partial

import torch
from torch.nn.functional import gelu

from course.check.exercise import Exercise, Probe


def highway(
    x: torch.Tensor,
    transform: torch.Tensor,
    transform_bias: torch.Tensor,
    carry: torch.Tensor,
    carry_bias: torch.Tensor,
) -> torch.Tensor:
    """[word, dim]. x [word, dim]; transform, carry [out, in]: weights of two linear layers, stored as in nn.Linear;
    transform_bias, carry_bias [out]
    highway(torch.ones(1, 1), torch.ones(1, 1), torch.ones(1), torch.zeros(1, 1), torch.zeros(1)) -> tensor([[1.5]])"""
    gate = torch.sigmoid(x @ carry.T + carry_bias)
    return gate * x + (1 - gate) * torch.relu(x @ transform.T + transform_bias)


def _layer(x, transform, transform_bias, carry, carry_bias, *, squash=torch.sigmoid, bend=torch.relu, mix=None):
    gate = squash(x @ carry.T + carry_bias)
    new = bend(x @ transform.T + transform_bias)
    return mix(gate, x, new) if mix else gate * x + (1 - gate) * new


def _probe(shows, word, dim, step, gate=0.0):
    """gate: added to the carry bias."""
    total = word * dim + 2 * dim * dim + 2 * dim
    numbers = (torch.arange(total) * step % 17 - 8.0) / 5
    x, transform, transform_bias, carry, carry_bias = numbers.split([word * dim, dim * dim, dim, dim * dim, dim])
    weights = transform.reshape(dim, dim), transform_bias, carry.reshape(dim, dim), carry_bias + gate
    return Probe(shows, x.reshape(word, dim), *weights)


PROBES = [
    _probe("a carry bias of 40: every gate is 1", 2, 3, 5, gate=40),
    _probe("a carry bias of -40: every gate is 0", 2, 3, 5, gate=-40),
    _probe("three words of four dimensions", 3, 4, 5),
    _probe("two words of five dimensions", 2, 5, 7),
    _probe("one word", 1, 3, 11),
]
MISTAKES = [
    ("the gate is turned round", lambda *a: _layer(*a, mix=lambda gate, x, new: gate * new + (1 - gate) * x)),
    ("the gate has no sigmoid", lambda *a: _layer(*a, squash=lambda z: z)),
    ("the gate is a softmax", lambda *a: _layer(*a, squash=lambda z: z.softmax(-1))),
    ("the ReLU is missing", lambda *a: _layer(*a, bend=lambda z: z)),
    (
        "another function in the place of the ReLU",
        *(partial(_layer, bend=f) for f in (torch.tanh, torch.sigmoid, gelu)),
    ),
    ("the ReLU is around everything", lambda *a: _layer(*a, bend=lambda z: z).relu()),
    (
        "a residual connection",
        lambda *a: _layer(*a, mix=lambda gate, x, new: x + (1 - gate) * new),
        lambda *a: _layer(*a, mix=lambda gate, x, new: gate * x + new),
    ),
    ("the weights are not turned round", lambda x, transform, tb, carry, cb: _layer(x, transform.T, tb, carry.T, cb)),
    (
        "one of the weights is not turned round",
        lambda x, transform, tb, carry, cb: _layer(x, transform.T, tb, carry, cb),
        lambda x, transform, tb, carry, cb: _layer(x, transform, tb, carry.T, cb),
    ),
    ("the biases are missing", lambda x, transform, tb, carry, cb: _layer(x, transform, tb * 0, carry, cb * 0)),
    (
        "a bias is missing",
        lambda x, t, tb, c, cb: _layer(x, t, tb * 0, c, cb),
        lambda x, t, tb, c, cb: _layer(x, t, tb, c, cb * 0),
    ),
    ("the two layers are exchanged", lambda x, t, tb, c, cb: _layer(x, c, cb, t, tb)),
    ("gate and new value come from the same layer", lambda x, t, tb, c, cb: _layer(x, t, tb, t, tb)),
]
EXERCISE = Exercise("4.3", highway, PROBES, MISTAKES, difficulty=2, importance=3, minutes=8)
