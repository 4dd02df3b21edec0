"""Exercise 1.3: subsampling of frequent words. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.3."""

import math

from course.check.exercise import Exercise, Probe


def drop_probability(counts: dict[str, int], threshold: float) -> dict[str, float]:
    """For each word, the probability that subsampling drops one occurrence of it. counts: of the whole text."""
    total = sum(counts.values())
    return {word: max(0.0, 1 - math.sqrt(threshold * total / count)) for word, count in counts.items()}


def _over_frequency(counts, drop):
    total = sum(counts.values())
    return {word: drop(count / total) for word, count in counts.items()}


PROBES = [
    Probe("a frequent and a rare word", {"the": 900, "bank": 90, "배": 10}, 0.04),
    Probe("the case of the question: f = 0.1, t = 0.0001", {"the": 100_000, "other": 900_000}, 1e-4),
    Probe("a word just at the threshold", {"a": 1, "b": 3}, 0.25),
]
MISTAKES = [
    (
        "keep and drop are swapped",
        lambda c, t: _over_frequency(c, lambda f: min(1.0, math.sqrt(t / f))),
        lambda c, t: _over_frequency(c, lambda f: math.sqrt(t / f)),
    ),
    ("negative probabilities", lambda c, t: _over_frequency(c, lambda f: 1 - math.sqrt(t / f))),
    ("counts instead of frequencies", lambda c, t: {word: max(0.0, 1 - math.sqrt(t / n)) for word, n in c.items()}),
    (
        "divides by the vocabulary size",
        lambda c, t: {word: max(0.0, 1 - math.sqrt(t * len(c) / n)) for word, n in c.items()},
    ),
    ("the square root is missing", lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - t / f))),
    ("the fraction is upside down", lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - math.sqrt(f / t)))),
    ("the formula of the C program", lambda c, t: _over_frequency(c, lambda f: max(0.0, 1 - math.sqrt(t / f) - t / f))),
]
EXERCISE = Exercise("1.3", drop_probability, PROBES, MISTAKES, difficulty=2, importance=4, minutes=8)
