"""Exercise 4.4: the ELMo vector. Source: Peters et al. 2018, arXiv:1802.05365, section 3.2, equation 1."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def elmo_vector(
    x: torch.Tensor, forward: torch.Tensor, backward: torch.Tensor, raw: torch.Tensor, gamma: float
) -> torch.Tensor:
    """One vector per word, [word, 2 * dim]. x [word, dim]: the token layer; forward, backward [layer, word, dim]: the
    states of layers 1 and up; raw [layer + 1]: learned numbers, one per layer, the token layer first"""
    words = torch.cat([x, x], dim=-1)
    states = torch.cat([forward, backward], dim=-1)
    layers = torch.cat([words[None], states])
    return gamma * torch.einsum("l,lwd->wd", raw.softmax(dim=0), layers)


def _layers(x, forward, backward):
    return torch.cat([torch.cat([x, x], -1)[None], torch.cat([forward, backward], -1)])


def _mix(x, forward, backward, raw, gamma, weigh=lambda raw: raw.softmax(0)):
    return gamma * (weigh(raw)[:, None, None] * _layers(x, forward, backward)).sum(0)


def _not_doubled(other):
    """`other(x)` stands where the second x belongs."""

    def model(x, forward, backward, raw, gamma):
        layers = torch.cat([torch.cat([x, other(x)], -1)[None], torch.cat([forward, backward], -1)])
        return gamma * (raw.softmax(0)[:, None, None] * layers).sum(0)

    return model


def _without_token_layer(x, forward, backward, raw, gamma):
    return gamma * (raw[1:].softmax(0)[:, None, None] * _layers(x, forward, backward)[1:]).sum(0)


def _probe(shows, layer, word, dim, raw, gamma, step):
    numbers = (torch.arange((2 * layer + 1) * word * dim) * step % 17 - 8.0).reshape(2 * layer + 1, word, dim) / 4
    return Probe(shows, numbers[0], numbers[1 : layer + 1], numbers[layer + 1 :], torch.tensor(raw), gamma)


PROBES = [
    _probe("two layers, three words", 2, 3, 2, [0.5, -1.0, 1.5], 1.5, 5),
    _probe("one layer, two words", 1, 2, 5, [2.0, -0.5], 0.5, 7),
    _probe("three layers, one word", 3, 1, 3, [0.0, 1.0, -2.0, 0.5], 3.0, 11),
]
MISTAKES = [
    ("no softmax", lambda *a: _mix(*a, weigh=lambda raw: raw)),
    ("shares instead of a softmax", lambda *a: _mix(*a, weigh=lambda raw: raw / raw.sum())),
    ("the weights are not learned", lambda *a: _mix(*a, weigh=lambda raw: torch.full_like(raw, 1 / len(raw)))),
    ("gamma is missing", lambda x, forward, backward, raw, gamma: _mix(x, forward, backward, raw, 1.0)),
    (
        "gamma is inside the softmax",
        lambda x, forward, backward, raw, gamma: _mix(x, forward, backward, gamma * raw, 1.0),
    ),
    ("x is not doubled", _not_doubled(torch.zeros_like)),
    (
        "x is doubled in the wrong order",
        lambda x, forward, backward, raw, gamma: (
            elmo_vector(x * 0, forward, backward, raw, gamma)
            + gamma * raw.softmax(0)[0] * x.repeat_interleave(2, dim=1)
        ),
    ),
    (
        "x is multiplied by 2",
        lambda x, forward, backward, raw, gamma: elmo_vector(2 * x, forward, backward, raw, gamma),
    ),
    ("the token layer is left out", _without_token_layer),
    ("only the top layer", lambda x, forward, backward, raw, gamma: gamma * _layers(x, forward, backward)[-1]),
    ("the directions are exchanged", lambda x, forward, backward, *a: elmo_vector(x, backward, forward, *a)),
    ("the layers are concatenated", Seen(lambda got, expected, *_: got.shape[-1] > expected.shape[-1])),
    ("the directions are added", Seen(lambda got, expected, *_: 2 * got.shape[-1] == expected.shape[-1])),
]
EXERCISE = Exercise("4.4", elmo_vector, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12)
