"""Exercise 6.3: split into heads and join. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2."""

import torch

from course.check.exercise import Exercise, Probe


def read_by_heads(values: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
    """What each query takes, the heads side by side: [batch, query, d_model]. values [batch, key, d_model]: head 0 owns
    the first d_model / n_heads numbers, and so on; weights [batch, head, query, key], after the softmax.
    read_by_heads(torch.tensor([[[4.0, 8.0]]]), torch.tensor([[[[1.0]], [[1.0]]]])) -> [[[4.0, 8.0]]]"""
    heads = values.unflatten(-1, (weights.shape[1], -1)).transpose(1, 2)
    return (weights @ heads).transpose(1, 2).flatten(2)


def _split(values, n_heads):
    return values.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def _by_view(values, n_heads):
    return values.reshape(len(values), n_heads, values.shape[1], -1)


def _like_cards(values, n_heads):
    return values.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)


def _join(heads):
    return heads.transpose(1, 2).flatten(2)


def _stacked(heads):
    return heads.reshape(len(heads), heads.shape[2], -1)


def _dealt_out(heads):
    return heads.permute(0, 2, 3, 1).flatten(2)


def _read(split=_split, join=_join):
    return lambda values, weights: join(weights @ split(values, weights.shape[1]))


def _probe(shows, batch, head, query, key, dim, step):
    values = ((torch.arange(batch * key * head * dim) * step % 23 - 11.0) / 4).reshape(batch, key, head * dim)
    weights = ((torch.arange(batch * head * query * key) * 5 % 13) / 3).reshape(batch, head, query, key).softmax(-1)
    return Probe(shows, values, weights)


PROBES = [
    _probe("two heads", 1, 2, 3, 3, 5, 7),
    _probe("a batch of two texts, three heads", 2, 3, 5, 5, 2, 3),
    _probe("fewer queries than keys", 2, 2, 3, 7, 3, 5),
    _probe("one head", 1, 1, 2, 5, 3, 7),
]
MISTAKES = [
    ("view without transpose, in the split", _read(split=_by_view)),
    ("view without transpose, in the join", _read(join=_stacked)),
    ("view without transpose, both ways", _read(_by_view, _stacked)),
    ("the pieces are dealt out like cards", _read(_like_cards, _dealt_out)),
    ("split like cards, joined side by side", _read(split=_like_cards)),
    ("split side by side, joined like cards", _read(join=_dealt_out)),
    ("the mean of the heads", lambda values, weights: weights.mean(1) @ values),
    ("the first head's weights for all", lambda values, weights: weights[:, 0] @ values),
    ("not joined", _read(join=lambda heads: heads), _read(join=lambda heads: heads.transpose(1, 2))),
    ("every head reads everything", _read(split=lambda values, n_heads: values[:, None])),
]
EXERCISE = Exercise("6.3", read_by_heads, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15, without=["loop"])
