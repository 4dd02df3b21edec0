"""Exercise 3.1: what the two language models of a sentence learn from. Source: Peters et al. 2017, arXiv:1705.00108,
section 2.3."""

from itertools import pairwise

from course.check.exercise import Exercise, Probe


def lm_pairs(words: list[str], boundary: str) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """(forward, backward): pairs (word just read, word to predict), each list in the order of its model's reading.
    lm_pairs(["go"], "#") -> ([("#", "go"), ("go", "#")], [("#", "go"), ("go", "#")])"""
    tokens = [boundary, *words, boundary]
    return list(pairwise(tokens)), list(pairwise(tokens[::-1]))


def _each(change):
    """The mistake `change`, made in both lists."""
    return lambda words, boundary: tuple(change(part) for part in lm_pairs(words, boundary))


PROBES = [
    Probe("five different words", ["she", "sat", "by", "the", "river"], "</s>"),
    Probe("a Korean sentence", ["밤새", "눈이", "내렸다"], "</s>"),
    Probe("one word, another boundary", ["stop"], "#"),
]
MISTAKES = [
    (
        "both directions predict the following word",
        lambda *a: (lm_pairs(*a)[0],) * 2,
        lambda *a: (lm_pairs(*a)[0], lm_pairs(*a)[0][::-1]),
    ),
    (
        "a model predicts the word it has just read",
        lambda w, b: ([(t, t) for t in [b, *w, b]], [(t, t) for t in [b, *w[::-1], b]]),
    ),
    ("no boundary at all", _each(lambda part: part[1:-1])),
    ("the end is not predicted", _each(lambda part: part[:-1])),
    ("the first word is not predicted", _each(lambda part: part[1:])),
    ("a direction lacks a boundary", lambda w, b: (lm_pairs(w, b)[0][:-1], lm_pairs(w, b)[1][1:])),
    ("the order is (target, read)", _each(lambda part: [pair[::-1] for pair in part])),
    ("forward and backward are exchanged", lambda w, b: lm_pairs(w, b)[::-1]),
    ("the backward pairs are in the order of the text", lambda w, b: (lm_pairs(w, b)[0], lm_pairs(w, b)[1][::-1])),
]
EXERCISE = Exercise("3.1", lm_pairs, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
