"""Exercise 6.8: cross-attention. Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.2.2 and 3.2.3."""

import torch

from course.check.exercise import Exercise, Probe


def cross_attention(
    x: torch.Tensor,
    states: torch.Tensor,
    real: torch.Tensor,
    n_heads: int,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(what the written words take [batch, written, d_model], the weights [batch, head, written, source]).
    x [batch, written, d_model]: who asks; states [batch, source, d_model]: who is asked; real [batch, source]: False at
    padding; query, key, value, output [d_model, d_model]: matrices to multiply by from the right. Head 0 owns the first
    d_model / n_heads columns of the first three, and so on.
    cross_attention(torch.ones(1, 1, 1), torch.tensor([[[2.0], [4.0]]]), torch.tensor([[True, True]]), 1,
                    *torch.zeros(2, 1, 1), *torch.ones(2, 1, 1)) -> ([[[3.0]]], [[[[0.5, 0.5]]]])"""

    def heads(rows, matrix):
        return (rows @ matrix).unflatten(-1, (n_heads, -1)).transpose(1, 2)

    scores = heads(x, query) @ heads(states, key).mT / (x.shape[-1] / n_heads) ** 0.5
    weights = scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    return (weights @ heads(states, value)).transpose(1, 2).flatten(2) @ output, weights


def _split(rows, n_heads):
    return rows.unflatten(-1, (n_heads, -1)).transpose(1, 2)


def _by_view(rows, n_heads):
    return rows.reshape(len(rows), n_heads, rows.shape[1], -1)


def _join(heads):
    return heads.transpose(1, 2).flatten(2)


def _stacked(heads):
    return heads.reshape(len(heads), heads.shape[2], -1)


def _in_turn(rows, n_heads):
    return rows.unflatten(-1, (-1, n_heads)).movedim(-1, 1)


def _in_turn_again(heads):
    return heads.movedim(1, -1).flatten(2)


def _columns(scores, real):
    return real[:, None, None].expand_as(scores)


def _weights(may=_columns, low=-torch.inf, dim=-1):
    return lambda scores, real: scores.masked_fill(~may(scores, real), low).softmax(dim)


def _plain(scores, real):
    return scores.softmax(-1)


def _cross(weights=_weights(), split=_split, join=_join, width=lambda d, n: d / n, said=lambda *both: both):  # noqa: B008
    """weights(scores, real); split(rows, n_heads), join(heads); scores are divided by the root of width(...);
    said(what is taken, weights): what is returned."""

    def model(x, states, real, n_heads, query, key, value, output):
        q, k, v = (split(rows, n_heads) for rows in (x @ query, states @ key, states @ value))
        found = weights(q @ k.mT / width(x.shape[-1], n_heads) ** 0.5, real)
        return said(join(found @ v) @ output, found)

    return model


def _by_masks(may, dim=-1):
    """Two ways to hide, which differ where a query may read nothing."""
    return [_cross(_weights(may, low, dim)) for low in (-torch.inf, -1e9)]


def _between(sides, weights=_plain):
    """sides(x, states): who asks, who is asked"""
    return lambda x, states, *given: _cross(weights)(*sides(x, states), *given)


def _rows(scores, real):
    return scores.masked_fill(~real[:, None, :, None], -1e9).softmax(-1)


def _after_softmax(scores, real):
    return scores.softmax(-1) * real[:, None, None]


def _keys_as_values(x, states, real, n_heads, query, key, value, output):
    return cross_attention(x, states, real, n_heads, query, key, key, output)


def _exchanged(x, states, real, n_heads, query, key, *rest):
    return cross_attention(x, states, real, n_heads, key, query, *rest)


def _raw_values(x, states, real, n_heads, query, key, value, output):
    return cross_attention(x, states, real, n_heads, query, key, torch.eye(len(value)), output)


def _raw_keys(x, states, real, n_heads, query, key, *rest):
    return cross_attention(x, states, real, n_heads, query, torch.eye(len(key)), *rest)


def _transposed(*given):
    return cross_attention(*given[:4], *(matrix.T for matrix in given[4:]))


def _around(x, *given):
    taken, weights = cross_attention(x, *given)
    return x + taken, weights


def _without_output(*given):
    return cross_attention(*given[:-1], torch.eye(len(given[-1])))


def _alone(x, states, real, n_heads, *rest):
    return cross_attention(x, states, real, 1, *rest)


def _probe(shows, real, n_written, n_heads, d_model, step):
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(len(real), n_written, d_model), (*real.shape, d_model), *[(d_model, d_model)] * 4]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * step % 37 - 17.0) / 16).split(sizes)
    x, states, *matrices = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x, states, real, n_heads, *matrices)


PROBES = [
    _probe("one head, no padding", [[1, 1, 1]], 2, 1, 3, 5),
    _probe("two heads, more words written than read", [[1, 1, 1]], 5, 2, 4, 7),
    _probe("two heads, a padded source", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 3, 2, 4, 11),
    _probe("three heads, sources of three lengths", [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]], 2, 3, 6, 13),
]
MISTAKES = [
    ("the source asks", _between(lambda x, states: (states, x)), _between(lambda x, states: (states, x), _rows)),
    ("the written words ask themselves", _between(lambda x, states: (x, x))),
    ("the source asks itself", *(_between(lambda x, states: (states, states), w) for w in (_weights(), _plain))),
    ("keys instead of values", _keys_as_values),
    ("the value matrix is missing", _raw_values),
    ("the key matrix is missing", _raw_keys),
    ("the matrices are transposed", _transposed),
    ("x is added", _around),
    ("queries and keys are exchanged", _exchanged),
    ("padding is read", _cross(_plain)),
    ("the mask is turned round", *_by_masks(lambda scores, real: ~_columns(scores, real))),
    ("later words of the source are hidden", *_by_masks(lambda scores, real: _columns(scores, real).tril())),
    ("hidden after the softmax", _cross(_after_softmax)),
    ("softmax over the queries", *_by_masks(_columns, dim=-2)),
    ("softmax over the heads", *_by_masks(_columns, dim=1)),
    (
        "heads are mixed with words",
        _cross(split=_by_view),
        _cross(join=_stacked),
        _cross(split=_by_view, join=_stacked),
    ),
    (
        "the heads take turns in the columns",
        _cross(split=_in_turn),
        _cross(split=_in_turn, join=_in_turn_again),
        _cross(join=_in_turn_again),
    ),
    ("one head for all", _alone),
    ("divided by the root of the whole width", _cross(width=lambda d_model, n_heads: d_model)),
    ("not divided", _cross(width=lambda *_: 1)),
    ("divided without a root", _cross(width=lambda d_model, n_heads: (d_model / n_heads) ** 2)),
    ("no output matrix", _without_output),
    ("the mean of the heads' weights", _cross(said=lambda taken, weights: (taken, weights.mean(1)))),
    ("the weights are missing", _cross(said=lambda taken, weights: taken)),
]
EXERCISE = Exercise("6.8", cross_attention, PROBES, MISTAKES, difficulty=4, importance=5, minutes=25, without=["loop"])
