"""Wrong answers to exercise 3.1 as readers write them, each with the mistake that must be named."""

from itertools import pairwise


def backward_is_forward(words, boundary):
    tokens = [boundary, *words, boundary]
    pairs = list(pairwise(tokens))
    return pairs, pairs


def forward_pairs_read_from_the_end(words, boundary):
    tokens = [boundary, *words, boundary]
    pairs = [(tokens[i], tokens[i + 1]) for i in range(len(tokens) - 1)]
    return pairs, list(reversed(pairs))


def sees_its_target(words, boundary):
    tokens = [boundary, *words, boundary]
    return [(t, t) for t in tokens], [(t, t) for t in reversed(tokens)]


def words_only(words, boundary):
    back = words[::-1]
    return list(pairwise(words)), list(pairwise(back))


def boundary_before_only(words, boundary):
    back = words[::-1]
    return list(zip([boundary, *words], words, strict=False)), list(zip([boundary, *back], back, strict=False))


def boundary_after_only(words, boundary):
    back = words[::-1]
    return list(zip(words, [*words[1:], boundary], strict=True)), list(zip(back, [*back[1:], boundary], strict=True))


def target_first(words, boundary):
    tokens = [boundary, *words, boundary]
    forward = [(tokens[i + 1], tokens[i]) for i in range(len(tokens) - 1)]
    return forward, [(tokens[i], tokens[i + 1]) for i in reversed(range(len(tokens) - 1))]


def text_order(words, boundary):
    tokens = [boundary, *words, boundary]
    steps = range(len(tokens) - 1)
    return [(tokens[i], tokens[i + 1]) for i in steps], [(tokens[i + 1], tokens[i]) for i in steps]


WRONG = [
    (backward_is_forward, "both directions predict the following word"),
    (forward_pairs_read_from_the_end, "both directions predict the following word"),
    (sees_its_target, "a model predicts the word it has just read"),
    (words_only, "no boundary at all"),
    (boundary_before_only, "the end is not predicted"),
    (boundary_after_only, "the first word is not predicted"),
    (target_first, "the order is (target, read)"),
    (text_order, "the backward pairs are in the order of the text"),
]
