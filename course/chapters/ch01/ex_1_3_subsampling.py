"""Exercise 1.3: subsampling of frequent words. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.3."""

import math

from course.check.exercise import Exercise, Probe


def drop_probability(counts: dict[str, int], threshold: float) -> dict[str, float]:
    """For each word, the probability that subsampling drops one occurrence of it. counts: of the whole text.
    drop_probability({"the": 16, "ship": 4}, 0.05) -> {"the": 0.75, "ship": 0.5}"""
    total = sum(counts.values())
    return {word: max(0.0, 1 - math.sqrt(threshold * total / count)) for word, count in counts.items()}


_DROPPED = "max(0.0, 1 - math.sqrt(threshold * total / count)) => 1 - math.sqrt(threshold * total / count)"


PROBES = [
    Probe("a frequent and a rare word", {"the": 880, "bank": 100, "배": 20}, 0.04),
    Probe("the case of the question: f = 0.1, t = 0.0001", {"the": 100_000, "other": 900_000}, 1e-4),
    Probe("a word just at the threshold", {"a": 1, "b": 3}, 0.25),
]
MISTAKES = [
    ("keep and drop are swapped", "max(0.0, 1 - math => min(1.0, math", "max(0.0, 1 - math => (math"),
    ("negative probabilities", "max(0.0, => ("),
    ("counts instead of frequencies", "threshold * total => threshold"),
    ("divides by the vocabulary size", "* total => * len(counts)"),
    ("the square root is missing", "math.sqrt => "),
    (
        "the root is taken of one part alone",
        "math.sqrt(threshold * total => (math.sqrt(threshold) * total",
        "math.sqrt(threshold * total / count) => threshold / math.sqrt(count / total)",
    ),
    ("the fraction is upside down", "threshold * total / count => count / total / threshold"),
    (
        "rare words are always dropped",
        f"{_DROPPED} if count > threshold * total else 1.0",
        f"{_DROPPED} if count >= threshold * total else 1.0",
    ),
    ("the formula of the C program", "/ count)) => / count) - threshold * total / count)"),
]
EXERCISE = Exercise("1.3", drop_probability, PROBES, MISTAKES, difficulty=2, importance=4, minutes=8)
