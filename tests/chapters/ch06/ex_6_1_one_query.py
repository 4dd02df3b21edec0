"""Wrong answers to exercise 6.1 as readers write them, each with the mistake that must be named."""

import math

import torch


def unscaled(query, keys, values):
    return torch.softmax(query @ keys.T, dim=-1) @ values


def by_the_width(query, keys, values):
    return torch.softmax(query @ keys.T / query.shape[-1], dim=-1) @ values


def times_the_root(query, keys, values):
    return torch.softmax(query @ keys.T * math.sqrt(query.shape[-1]), dim=-1) @ values


def root_of_words(query, keys, values):
    scores = torch.einsum("d,wd->w", query, keys)
    return (scores / math.sqrt(scores.shape[-1])).softmax(-1) @ values


def wrong_axis(query, keys, values):
    scores = query[None] @ keys.T / math.sqrt(keys.shape[1])
    return (scores.softmax(dim=0) @ values)[0]


def keys_twice(query, keys, values):
    return torch.softmax(query @ keys.T / math.sqrt(keys.shape[1]), dim=-1) @ keys


def scores_as_weights(query, keys, values):
    return torch.einsum("w,wv->v", keys @ query / math.sqrt(keys.shape[1]), values)


def scaled_late(query, keys, values):
    return torch.softmax(query @ keys.T, dim=-1) / math.sqrt(keys.shape[1]) @ values


def winner(query, keys, values):
    return values[torch.argmax((query * keys).sum(dim=1))]


def weights_only(query, keys, values):
    return torch.softmax((query * keys).sum(dim=1) / math.sqrt(keys.shape[1]), dim=0)


WRONG = [
    (unscaled, "no scale"),
    (by_the_width, "divided by the width"),
    (times_the_root, "multiplied by the root"),
    (root_of_words, "the root of the number of words"),
    (wrong_axis, "softmax over the wrong axis"),
    (keys_twice, "keys instead of values"),
    (scores_as_weights, "no softmax"),
    (scaled_late, "the scale comes after the softmax"),
    (winner, "only the best word"),
    (weights_only, "weights instead of a result"),
]
