"""Wrong answers to exercise 1.2 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import softmax


def by_vocabulary(counts, power):
    return {w: n**power / len(counts) for w, n in counts.items()}


def unigram_by_vocabulary(counts, power):
    return {w: (n / len(counts)) ** power for w, n in counts.items()}


def factor_instead_of_power(counts, power):
    return {w: n * power / sum(m * power for m in counts.values()) for w, n in counts.items()}


def power_on_shares(counts, power):
    total = sum(counts.values())
    return {w: (n / total) ** power for w, n in counts.items()}


def power_above_the_line_only(counts, power):
    return {w: n**power / sum(counts.values()) for w, n in counts.items()}


def always_three_quarters(counts, power=0.75):
    total = sum(n**0.75 for n in counts.values())
    return {w: n**0.75 / total for w, n in counts.items()}


def softmax_of_powers(counts, power):
    return dict(zip(counts, softmax(torch.tensor([float(n) for n in counts.values()]) ** power, dim=0), strict=True))


def weights_only(counts, power):
    return {w: n**power for w, n in counts.items()}


WRONG = [
    (by_vocabulary, "divides by the vocabulary size"),
    (unigram_by_vocabulary, "divides by the vocabulary size"),
    (factor_instead_of_power, "the power is missing"),
    (power_on_shares, "the power comes after the shares"),
    (power_above_the_line_only, "divides by the total of the plain counts"),
    (always_three_quarters, "the power is fixed"),
    (softmax_of_powers, "softmax"),
    (weights_only, "no division at all"),
]
