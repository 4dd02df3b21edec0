"""Exercise 3.6: one attention step of the translator CoVe comes from. Source: McCann et al. 2017, arXiv:1708.00107,
section 3, equations 3 and 4."""

import torch
from torch.nn import functional as F

from course.check.exercise import Exercise, Probe


def attention_step(query: torch.Tensor, source: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """(weights [batch, word], context [batch, dim]). query [batch, dim], source [batch, word, dim], mask [batch, word]:
    True at real source words.
    attention_step(torch.tensor([[0.0]]), torch.tensor([[[2.0], [4.0], [9.0]]]), torch.tensor([[True, True, False]]))
    -> (tensor([[0.5, 0.5, 0.0]]), tensor([[3.0]]))"""
    scores = torch.einsum("bwd,bd->bw", source, query)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(dim=1)
    return weights, torch.einsum("bw,bwd->bd", weights, source)


def _read(weights, source):
    return weights, (weights[..., None] * source).sum(1)


def _by(weights, scores=lambda query, source: (source * query[:, None]).sum(2)):
    """weights(scores, scores with -inf at padding, mask)"""

    def model(query, source, mask):
        found = scores(query, source)
        return _read(weights(found, found.masked_fill(~mask, -torch.inf), mask), source)

    return model


def _softmax(scores, masked, mask):
    return masked.softmax(1)


def _probe(shows, lengths, word, dim, step):
    batch = len(lengths)
    numbers = (torch.arange(batch * (word + 1) * dim) * step % 13 - 6.0).reshape(batch, word + 1, dim) / 5
    return Probe(shows, numbers[:, 0], numbers[:, 1:], torch.arange(word) < torch.tensor(lengths)[:, None])


PROBES = [
    _probe("two sentences without padding", [3, 3], 3, 4, 5),
    _probe("one sentence is padded", [5, 2], 5, 3, 7),
    _probe("one real word", [1, 4, 3], 4, 5, 3),
    _probe("all sentences are padded", [2, 1], 4, 3, 5),
]
MISTAKES = [
    ("padding gets weight", _by(lambda scores, masked, mask: scores.softmax(1))),
    ("the mask comes after the softmax", _by(lambda scores, masked, mask: scores.softmax(1) * mask)),
    ("0 times minus infinity", _by(lambda scores, masked, mask: (scores + ~mask * -torch.inf).softmax(1))),
    ("a masked score of 0", _by(lambda scores, masked, mask: (scores * mask).softmax(1))),
    (
        "the softmax runs over the batch",
        _by(lambda scores, masked, mask: scores.softmax(0)),
        _by(lambda scores, masked, mask: masked.softmax(0)),
        _by(lambda scores, masked, mask: masked.clamp(min=-1e9).softmax(0)),
    ),
    ("the scores are scaled", _by(_softmax, lambda q, s: (s * q[:, None]).sum(2) / q.shape[1] ** 0.5)),
    ("the scores are cosines", _by(_softmax, lambda q, s: F.cosine_similarity(q[:, None], s, dim=2))),
    (
        "only the best word is read",
        _by(lambda scores, masked, mask: F.one_hot(masked.argmax(1), mask.shape[1]).float()),
    ),
    (
        "the plain mean of the states",
        lambda q, s, m: (_by(_softmax)(q, s, m)[0], s.mean(1)),
        lambda q, s, m: (_by(_softmax)(q, s, m)[0], (s * m[..., None]).sum(1) / m.sum(1, keepdim=True)),
        lambda q, s, m: (_by(_softmax)(q, s, m)[0], s.sum(1)),
    ),
    ("not divided by the sum of the weights", _by(lambda scores, masked, mask: masked.exp())),
    (
        "the mask is turned round",
        _by(lambda scores, masked, mask: scores.masked_fill(mask, -1e9).softmax(1)),
        _by(lambda scores, masked, mask: scores.masked_fill(mask, -torch.inf).softmax(1)),
    ),
]
EXERCISE = Exercise("3.6", attention_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=10)
