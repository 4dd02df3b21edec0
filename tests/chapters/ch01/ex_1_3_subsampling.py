"""Wrong answers to exercise 1.3 as readers write them, each with the mistake that must be named."""

import math


def kept(counts, threshold):
    total = sum(counts.values())
    return {w: min(1, math.sqrt(threshold / (n / total))) for w, n in counts.items()}


def unclipped(counts, threshold):
    total = sum(counts.values())
    return {w: 1 - (threshold / (n / total)) ** 0.5 for w, n in counts.items()}


def of_counts(counts, threshold):
    return {w: max(0, 1 - (threshold / n) ** 0.5) for w, n in counts.items()}


def without_root(counts, threshold):
    total = sum(counts.values())
    return {w: max(0, 1 - threshold / (n / total)) for w, n in counts.items()}


def upside_down(counts, threshold):
    total = sum(counts.values())
    return {w: max(0, 1 - ((n / total) / threshold) ** 0.5) for w, n in counts.items()}


def c_program(counts, threshold):
    total = sum(counts.values())
    ratio = {w: n / (threshold * total) for w, n in counts.items()}
    return {w: max(0, 1 - (math.sqrt(r) + 1) / r) for w, r in ratio.items()}


WRONG = [
    (kept, "keep and drop are swapped"),
    (unclipped, "negative probabilities"),
    (of_counts, "counts instead of frequencies"),
    (without_root, "the square root is missing"),
    (upside_down, "the fraction is upside down"),
    (c_program, "the formula of the C program"),
]
