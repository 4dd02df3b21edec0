"""Wrong answers to exercise 6.1 as readers write them, each with the mistake that must be named."""

import torch


def scaled(factor):
    """factor(number of words, width)."""
    return lambda query, keys, values: torch.softmax(query @ keys.T * factor(*keys.shape), dim=-1) @ values


def read_by(result):
    """result(scaled scores, keys, values)."""
    return lambda query, keys, values: result(keys @ query / keys.shape[1] ** 0.5, keys, values)


WRONG = [
    (scaled(lambda n, width: 1), "no scale"),
    (scaled(lambda n, width: 1 / width), "divided by the width"),
    (scaled(lambda n, width: width**0.5), "multiplied by the root"),
    (scaled(lambda n, width: n**-0.5), "the root of the number of words"),
    (read_by(lambda scores, keys, values: (scores[None].softmax(dim=0) @ values)[0]), "softmax over the wrong axis"),
    (read_by(lambda scores, keys, values: scores.softmax(-1) @ keys), "keys instead of values"),
    (read_by(lambda scores, keys, values: scores @ values), "no softmax"),
    (lambda q, k, v: torch.softmax(q @ k.T, dim=-1) / k.shape[1] ** 0.5 @ v, "the scale comes after the softmax"),
    (read_by(lambda scores, keys, values: values[scores.argmax()]), "only the best word"),
    (read_by(lambda scores, keys, values: scores.softmax(0)), "weights instead of a result"),
]
