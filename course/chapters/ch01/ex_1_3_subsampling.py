"""Exercise 1.3: subsampling of frequent words. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.3."""

import math

from course.check.exercise import Exercise, Probe


def drop_probability(counts: dict[str, int], threshold: float) -> dict[str, float]:
    """For each word, the probability that subsampling drops one occurrence of it. counts: of the whole text.
    drop_probability({"the": 16, "ship": 4}, 0.05) -> {"the": 0.75, "ship": 0.5}"""
    total = sum(counts.values())
    return {word: max(0.0, 1 - math.sqrt(threshold * total / count)) for word, count in counts.items()}


def _each(drop):
    """drop(frequency of the word, threshold, its count, vocabulary size)"""
    return lambda c, t: {word: drop(n / sum(c.values()), t, n, len(c)) for word, n in c.items()}


PROBES = [
    Probe("a frequent and a rare word", {"the": 880, "bank": 100, "배": 20}, 0.04),
    Probe("the case of the question: f = 0.1, t = 0.0001", {"the": 100_000, "other": 900_000}, 1e-4),
    Probe("a word just at the threshold", {"a": 1, "b": 3}, 0.25),
]
MISTAKES = [
    (
        "keep and drop are swapped",
        _each(lambda f, t, n, size: min(1.0, math.sqrt(t / f))),
        _each(lambda f, t, n, size: math.sqrt(t / f)),
    ),
    ("negative probabilities", _each(lambda f, t, n, size: 1 - math.sqrt(t / f))),
    ("counts instead of frequencies", _each(lambda f, t, n, size: max(0.0, 1 - math.sqrt(t / n)))),
    ("divides by the vocabulary size", _each(lambda f, t, n, size: max(0.0, 1 - math.sqrt(t * size / n)))),
    ("the square root is missing", _each(lambda f, t, n, size: max(0.0, 1 - t / f))),
    (
        "the root is taken of one part alone",
        _each(lambda f, t, n, size: max(0.0, 1 - math.sqrt(t) / f)),
        _each(lambda f, t, n, size: max(0.0, 1 - t / math.sqrt(f))),
    ),
    ("the fraction is upside down", _each(lambda f, t, n, size: max(0.0, 1 - math.sqrt(f / t)))),
    (
        "rare words are always dropped",
        _each(lambda f, t, n, size: 1 - math.sqrt(t / f) if f > t else 1.0),
        _each(lambda f, t, n, size: 1 - math.sqrt(t / f) if f >= t else 1.0),
    ),
    ("the formula of the C program", _each(lambda f, t, n, size: max(0.0, 1 - math.sqrt(t / f) - t / f))),
]
EXERCISE = Exercise("1.3", drop_probability, PROBES, MISTAKES, difficulty=2, importance=4, minutes=8)
