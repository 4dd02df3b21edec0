"""Wrong answers to exercise 1.2 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import softmax


def each(share):
    """share(count, power, counts)"""
    return lambda counts, power: {w: share(n, power, counts.values()) for w, n in counts.items()}


def always_three_quarters(counts, power=0.75):
    total = sum(n**0.75 for n in counts.values())
    return {w: n**0.75 / total for w, n in counts.items()}


def softmax_of_powers(counts, power):
    return dict(zip(counts, softmax(torch.tensor([float(n) for n in counts.values()]) ** power, dim=0), strict=True))


WRONG = [
    (each(lambda n, power, counts: n**power / len(counts)), "divides by the vocabulary size"),
    (each(lambda n, power, counts: (n / len(counts)) ** power), "divides by the vocabulary size"),
    (each(lambda n, power, counts: n * power / sum(m * power for m in counts)), "the power is missing"),
    (each(lambda n, power, counts: (n / sum(counts)) ** power), "the power comes after the shares"),
    (each(lambda n, power, counts: n**power / sum(counts)), "divides by the total of the plain counts"),
    (always_three_quarters, "the power is fixed"),
    (softmax_of_powers, "softmax"),
    (each(lambda n, power, counts: n**power), "no division at all"),
]
