"""Exercise 6.4: the causal mask and padding. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3."""

from functools import partial

import torch

from course.check.exercise import Exercise, Probe


def masked_weights(scores: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Weights [batch, query, key]: no later word, no padding. scores [batch, query, key]; real [batch, key]: True where
    a word is real. A query that may look at nothing has weights of 0.
    masked_weights(torch.zeros(1, 2, 2), torch.tensor([[True, True]])) -> [[[1.0, 0.0], [0.5, 0.5]]]"""
    may = torch.ones_like(scores[0], dtype=torch.bool).tril() & real[:, None, :]
    hidden = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~may, 0.0)


def _causal(scores):
    return torch.ones_like(scores, dtype=torch.bool).tril()


def _both(causal, real):
    return causal & real[:, None]


def _zeros(scores, may, axis=-1):
    """The softmax over what may be seen; 0 where nothing may."""
    return _nans(scores, may, axis).nan_to_num(0.0)


def _nans(scores, may, axis=-1):
    return scores.masked_fill(~may, -torch.inf).softmax(axis)


def _even(scores, may, axis=-1):
    return scores.masked_fill(~may, -1e9).softmax(axis)


def _by(weights, mask=_both):
    """weights(scores, what may be seen); mask(causal, real)"""
    return lambda scores, real: weights(scores, mask(_causal(scores), real))


def _seen(mask):
    """Another mask, whatever becomes of a row without a key."""
    return [_by(weights, mask) for weights in (_zeros, _nans, _even)]


def _times_infinity(scores, may):
    return (scores + ~may * -torch.inf).softmax(-1)


def _probe(shows, real, step):
    mask = torch.tensor(real, dtype=torch.bool)
    batch, n = mask.shape
    return Probe(shows, ((torch.arange(batch * n * n) * step % 17 - 6.0) / 4).reshape(batch, n, n), mask)


PROBES = [
    _probe("no padding", [[1, 1, 1]], 11),
    _probe("two texts, one of them padded", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 5),
    _probe("padding in front", [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], 7),
]
MISTAKES = [
    ("padding is seen", _by(_zeros, lambda causal, real: causal)),
    ("later words are seen", *_seen(lambda causal, real: real[:, None].expand_as(causal))),
    ("earlier words are hidden", *_seen(lambda causal, real: causal.mT & real[:, None])),
    ("a word does not see itself", *_seen(lambda causal, real: causal & ~causal.mT & real[:, None])),
    ("a word always sees itself", _by(_zeros, lambda causal, real: causal & (real[:, None] | causal.mT))),
    ("rows instead of columns", *_seen(lambda causal, real: causal & real[:, :, None])),
    ("rows and columns", *_seen(lambda causal, real: causal & real[:, None] & real[:, :, None])),
    ("one of the two is enough", *_seen(lambda causal, real: causal | real[:, None])),
    ("zeros and ones are added", _by(lambda scores, may: (scores + may.float()).softmax(-1))),
    ("zeros and ones are multiplied", _by(lambda scores, may: (scores * may).softmax(-1))),
    ("hidden after the softmax", _by(lambda scores, may: scores.softmax(-1) * may)),
    ("softmax over the queries", *(_by(partial(weights, axis=1)) for weights in (_zeros, _nans, _even))),
    ("equal weights where nothing may be seen", _by(_even)),
    ("lowered scores where nothing may be seen", _by(lambda scores, may: (scores + -1e4 * ~may).softmax(-1))),
    ("NaN where nothing may be seen", _by(_nans)),
    (
        "0 times minus infinity",
        _by(_times_infinity),
        _by(lambda *a: _times_infinity(*a).nan_to_num(0.0)),
        _by(lambda *a: _times_infinity(*a).where(a[1], 0.0)),
    ),
    ("the next word is seen", *_seen(lambda causal, real: (causal | causal.roll(1, -1)) & real[:, None])),
    ("the mask is turned round", *_seen(lambda causal, real: ~(causal & real[:, None]))),
    ("the mask of padding is turned round", *_seen(lambda causal, real: causal & ~real[:, None])),
]
EXERCISE = Exercise("6.4", masked_weights, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
