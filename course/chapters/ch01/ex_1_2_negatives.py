"""Exercise 1.2: what negatives are drawn from. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.2."""

import math

from course.check.exercise import Exercise, Probe


def negative_distribution(counts: dict[str, int], power: float = 0.75) -> dict[str, float]:
    """Probability of each word to be drawn as a negative: proportional to count ** power.
    negative_distribution({"the": 3, "ship": 1}, 1.0) -> {"the": 0.75, "ship": 0.25}"""
    total = sum(count**power for count in counts.values())
    return {word: count**power / total for word, count in counts.items()}


def _shares(counts, weight, total=None):
    """weight(count) of each word, divided by `total`; by default by the sum of these weights."""
    weights = {word: weight(count) for word, count in counts.items()}
    total = sum(weights.values()) if total is None else total
    return {word: w / total for word, w in weights.items()}


PROBES = [
    Probe("three words, power 3/4", {"the": 16, "bank": 3, "배": 1}, 0.75),
    Probe("another power", {"the": 9, "ship": 4, "left": 1, "port": 1}, 0.5),
    Probe("power 1: as in the text", {"눈": 5, "말": 2}, 1.0),
]
MISTAKES = [
    (
        "divides by the vocabulary size",
        lambda c, p: _shares(c, lambda n: n**p, len(c)),
        lambda c, p: _shares(c, lambda n: (n / len(c)) ** p, 1),
        lambda c, p: _shares(c, lambda n: n, len(c)),
    ),
    ("the power is missing", lambda c, p: _shares(c, lambda n: n)),
    ("the power is fixed", lambda c, p: negative_distribution(c, 0.75)),
    ("the power comes after the shares", lambda c, p: _shares(c, lambda n: (n / sum(c.values())) ** p, 1)),
    ("divides by the total of the plain counts", lambda c, p: _shares(c, lambda n: n**p, sum(c.values()))),
    ("no division at all", lambda c, p: _shares(c, lambda n: n**p, 1)),
    ("softmax", lambda c, p: _shares(c, lambda n: math.exp(n**p)), lambda c, p: _shares(c, math.exp)),
    ("rare words become the most frequent", lambda c, p: _shares(c, lambda n: n**-p)),
]
EXERCISE = Exercise("1.2", negative_distribution, PROBES, MISTAKES, difficulty=1, importance=4, minutes=5)
