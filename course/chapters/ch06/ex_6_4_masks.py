"""Exercise 6.4: the causal mask and padding. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def masked_weights(scores: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Weights [batch, query, key]: no later word, no padding. scores [batch, query, key]; real [batch, key]: True where
    a word is real. A query that may look at nothing has weights of 0"""
    may = torch.ones_like(scores[0], dtype=torch.bool).tril() & real[:, None, :]
    hidden = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~may, 0.0)


def _causal(scores):
    return torch.ones_like(scores, dtype=torch.bool).tril()


def _weights(scores, may):
    """The softmax over what may be seen; 0 where nothing may."""
    return scores.masked_fill(~may, -torch.inf).softmax(-1).nan_to_num(0.0)


def _by(mask):
    return lambda scores, real: _weights(scores, mask(_causal(scores), real))


def _even(scores, real):
    return scores.masked_fill(~(_causal(scores) & real[:, None]), -1e9).softmax(-1)


def _probe(shows, real, step):
    mask = torch.tensor(real, dtype=torch.bool)
    batch, n = mask.shape
    return Probe(shows, ((torch.arange(batch * n * n) * step % 17 - 6.0) / 4).reshape(batch, n, n), mask)


PROBES = [
    _probe("two texts, one of them padded", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 5),
    _probe("padding in front", [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], 7),
    _probe("no padding", [[1, 1, 1]], 11),
]
MISTAKES = [
    ("padding is seen", _by(lambda causal, real: causal)),
    ("later words are seen", _by(lambda causal, real: real[:, None].expand_as(causal))),
    ("earlier words are hidden", _by(lambda causal, real: causal.mT & real[:, None])),
    ("a word does not see itself", _by(lambda causal, real: causal & ~causal.mT & real[:, None])),
    ("rows instead of columns", _by(lambda causal, real: causal & real[:, :, None])),
    ("rows and columns", _by(lambda causal, real: causal & real[:, None] & real[:, :, None])),
    ("one of the two is enough", _by(lambda causal, real: causal | real[:, None])),
    ("zeros and ones are added", lambda scores, real: (scores + (_causal(scores) & real[:, None]).float()).softmax(-1)),
    ("zeros and ones are multiplied", lambda scores, real: (scores * (_causal(scores) & real[:, None])).softmax(-1)),
    ("hidden after the softmax", lambda scores, real: scores.softmax(-1) * (_causal(scores) & real[:, None])),
    ("equal weights where nothing may be seen", _even),
    ("NaN where nothing may be seen", Seen(lambda got, expected, *_: bool(torch.as_tensor(got).isnan().any()))),
]
EXERCISE = Exercise("6.4", masked_weights, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
