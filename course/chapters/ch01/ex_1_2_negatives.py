"""Exercise 1.2: what negatives are drawn from. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.2."""

import math

from course.check.exercise import Exercise, Probe


def negative_distribution(counts: dict[str, int], power: float = 0.75) -> dict[str, float]:
    """Probability of each word to be drawn as a negative: proportional to count ** power.
    negative_distribution({"the": 3, "ship": 1}, 1.0) -> {"the": 0.75, "ship": 0.25}"""
    total = sum(count**power for count in counts.values())
    return {word: count**power / total for word, count in counts.items()}


PROBES = [
    Probe("three words, power 3/4", {"the": 16, "bank": 3, "배": 1}, 0.75),
    Probe("another power", {"the": 9, "ship": 4, "left": 1, "port": 1}, 0.5),
    Probe("power 1: as in the text", {"눈": 5, "말": 2}, 1.0),
]
MISTAKES = [
    (
        "divides by the vocabulary size",
        "/ total => / len(counts)",
        "count**power / total => (count / len(counts)) ** power",
        "count**power / total => count / len(counts)",
    ),
    ("the power is missing", "count**power => count"),
    ("the power is fixed", "**power => **0.75"),
    ("the power comes after the shares", "count**power / total => (count / sum(counts.values())) ** power"),
    (
        "divides by the total of the plain counts",
        "= sum(count**power for count in counts.values()) => = sum(counts.values())",
    ),
    ("no division at all", " / total => "),
    (
        "softmax",
        lambda c, p: negative_distribution({word: math.exp(n**p) for word, n in c.items()}, 1),
        lambda c, p: negative_distribution({word: math.exp(n) for word, n in c.items()}, 1),
    ),
    ("rare words become the most frequent", "**power => **-power"),
]
EXERCISE = Exercise("1.2", negative_distribution, PROBES, MISTAKES, difficulty=1, importance=4, minutes=5)
