"""Exercise 7.8: one block of BERT's encoder. Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.1 to 3.3; GELU:
Devlin et al. 2018, arXiv:1810.04805, appendix A.2."""

from functools import partial

import torch
from torch.nn import functional as F

from course.check.exercise import Exercise, Probe


def encoder_block(
    x: torch.Tensor,
    real: torch.Tensor,
    n_heads: int,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    inner: torch.Tensor,
    outer: torch.Tensor,
) -> torch.Tensor:
    """The states after the block, [batch, place, d_model]. x: those before it; real [batch, place]: False at padding;
    query, key, value, output [d_model, d_model], inner [d_model, d_ff], outer [d_ff, d_model]: matrices to multiply
    by from the right, without a bias. Head 0 owns the first d_model / n_heads columns of the first three, and so on.
    encoder_block(torch.tensor([[[3.0, 1.0]]]), torch.tensor([[True]]), 1, *torch.zeros(6, 2, 2)) -> [[[1.0, -1.0]]]"""

    def heads(matrix):
        return (x @ matrix).unflatten(-1, (n_heads, -1)).transpose(1, 2)

    def norm(states):
        return F.layer_norm(states, states.shape[-1:], eps=1e-12)

    scores = heads(query) @ heads(key).mT / (x.shape[-1] / n_heads) ** 0.5
    weights = scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    taken = (weights @ heads(value)).transpose(1, 2).flatten(2) @ output
    between = norm(x + taken)
    return norm(between + F.gelu(between @ inner) @ outer)


def _norm(x, dim=-1, correction=0, eps=1e-12):
    variance, mean = torch.var_mean(x, dim=dim, keepdim=True, correction=correction)
    return (x - mean) / (variance + eps).sqrt()


def _after(x, part, norm=_norm):
    return norm(x + part(x))


def _plain(x, part):
    return x + part(x)


def _split(x, n_heads):
    return x.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def _by_view(x, n_heads):
    return x.reshape(len(x), n_heads, x.shape[1], -1)


def _join(heads):
    return heads.transpose(1, 2).flatten(2)


def _stacked(heads):
    return heads.reshape(len(heads), heads.shape[2], -1)


def _columns(scores, real):
    """May be read [batch, head, query, key]: real keys."""
    return real[:, None, None].expand_as(scores)


def _weights(may=_columns, low=-torch.inf, dim=-1):
    return lambda scores, real: scores.masked_fill(~may(scores, real), low).softmax(dim)


def _by_masks(may, dim=-1):
    """The softmax with a mask; three ways to hide, which differ where a query may read nothing: the last is that of
    scaled_dot_product_attention."""
    ways = [_weights(may, low, dim) for low in (-torch.inf, -1e9)]
    return [_block(_attention(weights=way)) for way in (*ways, lambda *a: ways[0](*a).nan_to_num(0.0))]


def _attention(weights=_weights(), split=_split, join=_join, width=lambda d_model, n_heads: d_model / n_heads):  # noqa: B008
    """weights(scores, real); split(x, n_heads), join(heads); scores are divided by the root of width(...)."""

    def attention(x, real, n_heads, query, key, value, output):
        q, k, v = (split(x @ matrix, n_heads) for matrix in (query, key, value))
        return join(weights(q @ k.mT / width(x.shape[-1], n_heads) ** 0.5, real) @ v) @ output

    return attention


def _feed(x, inner, outer, activation=F.gelu):
    return activation(x @ inner) @ outer


def _block(attention=_attention(), feed=_feed, first=_after, last=_after):  # noqa: B008
    """first(x, part), last(x, part): the sum around a part, and its norm."""

    def model(x, real, n_heads, query, key, value, output, inner, outer):
        between = first(x, lambda y: attention(y, real, n_heads, query, key, value, output))
        return last(between, lambda y: feed(y, inner, outer))

    return model


def _around(add):
    return _block(first=add, last=add)


def _norms(norm):
    return _around(lambda x, part: _after(x, part, norm))


def _from_the_input(into_sum, into_feed):
    """What of the block's input (True) or of attention's result (False) goes into the second half."""

    def model(x, *given):
        between = _block(last=lambda between, part: between)(x, *given)
        return _norm((x if into_sum else between) + _feed(x if into_feed else between, *given[-2:]))

    return model


def _activated(activation):
    return _block(feed=lambda *a: _feed(*a, activation))


def _after_softmax(scores, real):
    return scores.softmax(-1) * real[:, None, None]


def _exchanged(x, real, n_heads, query, key, *rest):
    return encoder_block(x, real, n_heads, key, query, *rest)


def _without_output(x, real, n_heads, query, key, value, output, *rest):
    return encoder_block(x, real, n_heads, query, key, value, torch.eye(x.shape[-1]), *rest)


def _alone(x, real, n_heads, *rest):
    return encoder_block(x, real, 1, *rest)


def _transposed(x, real, n_heads, query, key, value, output, *rest):
    return encoder_block(x, real, n_heads, query.T, key.T, value.T, output.T, *rest)


def _probe(shows, real, n_heads, d_model, d_ff, step, on=(1, 1, 1, 1, 1, 1), size=1.0):
    """on: 0 for a matrix of zeros: query, key, value, output, inner, outer; size: x is multiplied by it."""
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(*real.shape, d_model), *[(d_model, d_model)] * 4, (d_model, d_ff), (d_ff, d_model)]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * step % 37 - 17.0) / 16).split(sizes)
    x, *matrices = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x * size, real, n_heads, *(matrix * one for matrix, one in zip(matrices, on, strict=True)))


PROBES = [
    _probe("all matrices hold zeros", [[1, 1]], 1, 3, 2, 5, on=(0, 0, 0, 0, 0, 0)),
    _probe("all matrices hold zeros, and x is small", [[1, 1]], 1, 3, 2, 5, on=(0, 0, 0, 0, 0, 0), size=1e-4),
    _probe("only the feed-forward network: the other matrices hold zeros", [[1, 1]], 1, 3, 4, 7, on=(0, 0, 0, 0, 1, 1)),
    _probe(
        "only attention, one head: the last two matrices hold zeros", [[1, 1, 1]], 1, 3, 2, 11, on=(1, 1, 1, 1, 0, 0)
    ),
    _probe("only attention, two heads, no padding", [[1, 1, 1]], 2, 4, 2, 13, on=(1, 1, 1, 1, 0, 0)),
    _probe("only attention, two heads, padding", [[1, 1, 1, 0], [1, 1, 0, 0]], 2, 4, 2, 5, on=(1, 1, 1, 1, 0, 0)),
    _probe("both parts, three heads, padding", [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], 3, 6, 8, 17),
]
MISTAKES = [
    ("norm before each part", _around(lambda x, part: x + part(_norm(x)))),
    ("the way around takes the normed value", _around(lambda x, part: _norm(x) + part(_norm(x)))),
    ("only what is added is normed", _around(lambda x, part: x + _norm(part(x)))),
    (
        "no way around",
        _around(lambda x, part: _norm(part(x))),
        _block(first=lambda x, part: _norm(part(x))),
        _block(last=lambda x, part: _norm(part(x))),
    ),
    ("the second way around begins at the block's input", _from_the_input(True, False), _from_the_input(True, True)),
    ("the feed-forward network reads the block's input", _from_the_input(False, True)),
    ("no norm", _around(_plain)),
    ("one norm is missing", _block(first=_plain), _block(last=_plain)),
    ("norm over the wrong axis", _norms(lambda x: _norm(x, dim=1)), _norms(lambda x: _norm(x, dim=(1, 2)))),
    ("the variance divides by d - 1", _norms(lambda x: _norm(x, correction=1))),
    ("another eps", *(_norms(partial(_norm, eps=eps)) for eps in (1e-5, 1e-6))),
    ("the mask is turned round", *_by_masks(lambda scores, real: ~_columns(scores, real))),
    ("padding is read", _block(_attention(weights=lambda scores, real: scores.softmax(-1)))),
    ("rows instead of columns", *_by_masks(lambda scores, real: real[:, None, :, None].expand_as(scores))),
    ("padding may not ask", *_by_masks(lambda scores, real: _columns(scores, real) & real[:, None, :, None])),
    ("later places are hidden", *_by_masks(lambda scores, real: _columns(scores, real).tril())),
    ("hidden after the softmax", _block(_attention(weights=_after_softmax))),
    ("softmax over the queries", *_by_masks(_columns, dim=-2)),
    ("softmax over the heads", *_by_masks(_columns, dim=1)),
    (
        "heads are mixed with places",
        _block(_attention(split=_by_view)),
        _block(_attention(join=_stacked)),
        _block(_attention(split=_by_view, join=_stacked)),
    ),
    ("one head for all", _alone, _block(_attention(split=lambda x, n_heads: _split(x, 1)))),
    ("divided by the root of the whole width", _block(_attention(width=lambda d_model, n_heads: d_model))),
    ("not divided", _block(_attention(width=lambda *_: 1))),
    ("divided without a root", _block(_attention(width=lambda d_model, n_heads: (d_model / n_heads) ** 2))),
    ("queries and keys are exchanged", _exchanged),
    ("the matrices are transposed", _transposed),
    ("no output matrix", _without_output),
    ("no activation", _activated(lambda x: x)),
    ("another activation", *map(_activated, (F.relu, torch.tanh, lambda x: F.gelu(x, approximate="tanh")))),
]
EXERCISE = Exercise("7.8", encoder_block, PROBES, MISTAKES, difficulty=4, importance=5, minutes=30)
