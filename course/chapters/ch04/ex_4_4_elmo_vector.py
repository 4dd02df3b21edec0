"""Exercise 4.4: the ELMo vector. Source: Peters et al. 2018, arXiv:1802.05365, section 3.2, equation 1."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def elmo_vector(
    x: torch.Tensor, forward: torch.Tensor, backward: torch.Tensor, raw: torch.Tensor, gamma: float
) -> torch.Tensor:
    """One vector per word, [word, 2 * dim]. x [word, dim]: the token layer; forward, backward [layer, word, dim]: the
    states of layers 1 and up; raw [layer + 1]: learned numbers, one per layer, the token layer first.
    elmo_vector(torch.tensor([[1.0]]), torch.tensor([[[3.0]]]), torch.tensor([[[5.0]]]), torch.zeros(2), 2.0)
    -> tensor([[4.0, 6.0]])"""
    words = torch.cat([x, x], dim=-1)
    states = torch.cat([forward, backward], dim=-1)
    layers = torch.cat([words[None], states])
    return gamma * torch.einsum("l,lwd->wd", raw.softmax(dim=0), layers)


def _softmax(raw, gamma):
    return gamma * raw.softmax(0)


def _mixed(weights=_softmax, double=lambda x: torch.cat([x, x], -1), first=0):
    """weights(raw, gamma); double(x): the token layer; first: of the layers that are read."""

    def model(x, forward, backward, raw, gamma):
        layers = torch.cat([double(x)[None], torch.cat([forward, backward], -1)])
        return (weights(raw[first:], gamma)[:, None, None] * layers[first:]).sum(0)

    return model


def _narrow(state):
    """state(forward, backward): what stands for a layer, as wide as one direction."""

    def model(x, forward, backward, raw, gamma):
        layers = torch.cat([x[None], state(forward, backward)])
        return torch.einsum("l,lwd->wd", _softmax(raw, gamma), layers)

    return model


def _along_words(x, forward, backward, raw, gamma):
    layers = torch.cat([torch.cat([x, x])[None], torch.cat([forward, backward], 1)])
    return torch.einsum("l,lwd->wd", _softmax(raw, gamma), layers)


def _token_layer_last(x, forward, backward, raw, gamma):
    return elmo_vector(x, forward, backward, raw.roll(1), gamma)


def _concatenated(got, expected, x, forward, backward, raw, gamma):
    return list(got.shape) == [len(x), len(raw) * expected.shape[1]]


def _probe(shows, layer, word, dim, raw, gamma, step):
    numbers = (torch.arange((2 * layer + 1) * word * dim) * step % 17 - 8.0).reshape(2 * layer + 1, word, dim) / 4
    return Probe(shows, numbers[0], numbers[1 : layer + 1], numbers[layer + 1 :], torch.tensor(raw), gamma)


PROBES = [
    _probe("two layers, three words", 2, 3, 2, [0.5, -1.0, 1.5], 1.5, 5),
    _probe("one layer, two words", 1, 2, 5, [2.0, -0.5], 0.5, 7),
    _probe("three layers, one word", 3, 1, 3, [0.0, 1.0, -2.0, 0.5], 3.0, 11),
]
MISTAKES = [
    ("no softmax", _mixed(lambda raw, gamma: gamma * raw)),
    ("shares instead of a softmax", _mixed(lambda raw, gamma: gamma * raw / raw.sum())),
    ("the weights are not learned", _mixed(lambda raw, gamma: gamma * torch.full_like(raw, 1 / len(raw)))),
    ("gamma is missing", _mixed(lambda raw, gamma: raw.softmax(0))),
    ("gamma is inside the softmax", _mixed(lambda raw, gamma: (gamma * raw).softmax(0))),
    ("x is not doubled", _mixed(double=lambda x: torch.cat([x, 0 * x], -1))),
    ("x is doubled in the wrong order", _mixed(double=lambda x: x.repeat_interleave(2, dim=1))),
    ("x is multiplied by 2", lambda x, *a: elmo_vector(2 * x, *a)),
    ("the token layer is left out", _mixed(first=1)),
    ("only the top layer", _mixed(lambda raw, gamma: gamma * (torch.arange(len(raw)) == len(raw) - 1))),
    ("the directions are exchanged", lambda x, forward, backward, *a: elmo_vector(x, backward, forward, *a)),
    ("the token layer is taken for the last", _token_layer_last),
    ("the layers are concatenated", Seen(_concatenated)),
    (
        "the directions are added",
        _narrow(torch.add),
        lambda x, *a: _narrow(torch.add)(2 * x, *a),
    ),
    ("one direction is left out", _narrow(lambda forward, _: forward), _narrow(lambda _, backward: backward)),
    ("the directions are joined along the words", _along_words),
]
EXERCISE = Exercise("4.4", elmo_vector, PROBES, MISTAKES, difficulty=3, importance=5, minutes=12)
