"""Wrong answers to exercise 3.1 as readers write them, each with the mistake that must be named."""

from itertools import pairwise


def both_ways(pairs):
    """pairs(words, boundary) of one direction; the other one reads the words from the end."""
    return lambda words, boundary: (pairs(words, boundary), pairs(words[::-1], boundary))


def backward_is_forward(words, boundary):
    pairs = list(pairwise([boundary, *words, boundary]))
    return pairs, pairs


def forward_pairs_read_from_the_end(words, boundary):
    pairs = list(pairwise([boundary, *words, boundary]))
    return pairs, pairs[::-1]


def text_order(words, boundary):
    pairs = list(pairwise([boundary, *words, boundary]))
    return pairs, [pair[::-1] for pair in pairs]


WRONG = [
    (backward_is_forward, "both directions predict the following word"),
    (forward_pairs_read_from_the_end, "both directions predict the following word"),
    (
        both_ways(lambda words, boundary: [(w, w) for w in (boundary, *words, boundary)]),
        "a model predicts the word it has just read",
    ),
    (both_ways(lambda words, boundary: list(pairwise(words))), "no boundary at all"),
    (both_ways(lambda words, boundary: list(pairwise([boundary, *words]))), "the end is not predicted"),
    (both_ways(lambda words, boundary: list(pairwise([*words, boundary]))), "the first word is not predicted"),
    (both_ways(lambda words, b: [pair[::-1] for pair in pairwise([b, *words, b])]), "the order is (target, read)"),
    (text_order, "the backward pairs are in the order of the text"),
]
