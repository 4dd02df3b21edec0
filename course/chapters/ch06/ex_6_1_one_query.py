"""Exercise 6.1: attention for one query. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1, equation 1."""

import torch

from course.check.exercise import Exercise, Probe


def one_query(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """What one word takes from all words, [width]. query [dim]; keys [word, dim]; values [word, width].
    one_query(torch.ones(1), torch.tensor([[0.0], [1.0]]), torch.tensor([[4.0], [8.0]])) -> [6.9242]"""
    scores = keys @ query / query.shape[0] ** 0.5
    return scores.softmax(dim=0) @ values


def _read(scale):
    """scale(query, keys): what the scores are divided by."""
    return lambda query, keys, values: (keys @ query / scale(query, keys)).softmax(0) @ values


def _probe(shows, word, dim, width, step, shift):
    sizes = (dim, word * dim, word * width)
    query, keys, values = ((torch.arange(sum(sizes)) * step % 19 - shift) / 6).split(sizes)
    return Probe(shows, query, keys.reshape(word, dim), values.reshape(word, width))


PROBES = [
    Probe(
        "the word *its* of section 6.2",
        torch.tensor([2.0, 0.0]),
        torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        torch.tensor([[1.0, 0.0], [0.0, 10.0], [5.0, 5.0], [0.0, 1.0]]),
    ),
    _probe("five words, values narrower than keys", 5, 7, 2, 5, 9.0),
    _probe("three words, values wider than keys", 3, 2, 7, 7, 6.0),
    _probe("one word", 1, 3, 2, 11, 4.0),
]
MISTAKES = [
    ("no scale", _read(lambda query, keys: 1)),
    ("divided by the width", _read(lambda query, keys: len(query))),
    ("multiplied by the root", _read(lambda query, keys: len(query) ** -0.5)),
    ("the root of the number of words", _read(lambda query, keys: len(keys) ** 0.5)),
    ("softmax over the wrong axis", lambda query, keys, values: values.sum(0)),
    ("keys instead of values", lambda query, keys, values: one_query(query, keys, keys)),
    ("no softmax", lambda query, keys, values: keys @ query / len(query) ** 0.5 @ values),
    ("exponentials without a division", lambda query, k, v: (k @ query / len(query) ** 0.5).exp() @ v),
    ("the scale comes after the softmax", lambda query, *a: _read(lambda *_: 1)(query, *a) / len(query) ** 0.5),
    ("only the best word", lambda query, keys, values: values[(keys @ query).argmax()]),
    ("weights instead of a result", lambda query, keys, values: (keys @ query / len(query) ** 0.5).softmax(0)),
]
EXERCISE = Exercise("6.1", one_query, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
