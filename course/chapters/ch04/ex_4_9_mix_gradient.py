"""Exercise 4.9: how a task teaches the weights of the mix. Source: Peters et al. 2018, arXiv:1802.05365, equation 1."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe


def mix_gradient(
    layers: torch.Tensor, raw: torch.Tensor, gamma: torch.Tensor, grad: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """(gradient of the loss by raw [layer], by gamma: one number). layers [word, layer, dim]; the mix of a word is
    gamma * sum_j s_j h_j, with s = softmax(raw); grad [word, dim]: the gradient of the loss by the mixed vectors.
    mix_gradient(torch.tensor([[[1.0], [3.0]]]), torch.zeros(2), torch.tensor(2.0), torch.tensor([[1.0]]))
    -> (tensor([-1.0, 1.0]), tensor(2.0))"""
    s = raw.softmax(dim=0)
    along = torch.einsum("wjd,wd->j", layers, grad)
    mean = (s * along).sum()
    return gamma * s * (along - mean), mean


def _probe(shows, word, layer, dim, raw, gamma, step):
    numbers = (torch.arange(word * (layer + 1) * dim) * step % 17 - 7.0).reshape(word, layer + 1, dim) / 4
    return Probe(shows, numbers[:, 1:], torch.tensor(raw), torch.tensor(gamma), numbers[:, 0])


PROBES = [
    _probe("one word, equal weights", 1, 3, 2, [0.0, 0.0, 0.0], 1.5, 5),
    _probe("three words", 3, 3, 4, [0.5, -1.0, 1.0], 0.5, 7),
    _probe("two layers, a large gamma", 2, 2, 3, [2.0, -0.5], 3.0, 11),
]
MISTAKES = [
    ("the competition of the weights is left out", "(along - mean) => along"),
    ("only the diagonal of the softmax", "(along - mean) => (1 - s) * along"),
    ("the gradient by the weights after the softmax", "s * (along - mean) => along"),
    ("the layer's own weight is missing", "gamma * s => gamma"),
    ("only the first word counts", "layers, grad => layers[:1], grad[:1]"),
    ("the plain mean is taken off", "- mean => - along.mean()"),
    ("gamma is missing by raw", "gamma * => "),
    ("gamma is still there by gamma", "), mean => ), gamma * mean"),
    ("gamma's gradient without the weights", "), mean => ), along.sum()"),
    ("no softmax", ".softmax(dim=0) => "),
    ("the mean over the words", "grad) => grad) / len(layers)"),
    ("the sign is turned round", lambda *a: tuple(-part for part in mix_gradient(*a))),
    ("the two gradients are exchanged", lambda *a: mix_gradient(*a)[::-1]),
]
EXERCISE = Exercise("4.9", mix_gradient, PROBES, MISTAKES, 4, 4, 20, without=AUTOGRAD, learns=False)
