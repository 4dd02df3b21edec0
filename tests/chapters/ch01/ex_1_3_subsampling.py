"""Wrong answers to exercise 1.3 as readers write them, each with the mistake that must be named."""

import math


def of_share(drop):
    """drop(threshold, share of the text)"""
    return lambda counts, threshold: {w: drop(threshold, n / sum(counts.values())) for w, n in counts.items()}


def c_program(counts, threshold):
    total = sum(counts.values())
    ratio = {w: n / (threshold * total) for w, n in counts.items()}
    return {w: max(0, 1 - (math.sqrt(r) + 1) / r) for w, r in ratio.items()}


WRONG = [
    (of_share(lambda t, f: min(1, math.sqrt(t / f))), "keep and drop are swapped"),
    (of_share(lambda t, f: 1 - (t / f) ** 0.5), "negative probabilities"),
    (lambda counts, t: {w: max(0, 1 - (t / n) ** 0.5) for w, n in counts.items()}, "counts instead of frequencies"),
    (of_share(lambda t, f: max(0, 1 - t / f)), "the square root is missing"),
    (of_share(lambda t, f: max(0, 1 - (f / t) ** 0.5)), "the fraction is upside down"),
    (c_program, "the formula of the C program"),
]
