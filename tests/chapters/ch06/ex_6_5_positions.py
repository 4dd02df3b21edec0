"""Wrong answers to exercise 6.5 as readers write them, each with the mistake that must be named."""

import math

import torch


def fill(number, first=0):
    """number(place, column, width)."""
    return lambda n, d_model: torch.tensor(
        [[number(place, column, d_model) for column in range(d_model)] for place in range(first, first + n)]
    )


def wave(column):
    return math.cos if column % 2 else math.sin


def angle(p, c, d):
    return p / 10_000 ** ((c - c % 2) / d)


def right(p, c, d):
    return wave(c)(angle(p, c, d))


def in_two_halves(n, d_model):
    frequency = torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
    angle = torch.outer(torch.arange(n).float(), frequency)
    return torch.hstack([angle.sin(), angle.cos()])


WRONG = [
    (in_two_halves, "first all sines, then all cosines"),
    (fill(lambda p, c, d: wave(c)(p / 10_000 ** ((c // 2) / d))), "the exponent has i instead of 2i"),
    (fill(lambda p, c, d: wave(c)(p / 10_000 ** (2 * (c - c % 2) / d))), "twice 2i"),
    (fill(lambda p, c, d: wave(c)(p / 10_000 ** (c / d))), "a speed for each column"),
    (fill(lambda p, c, d: wave(c)(p / 10_000 ** (2 * c / d))), "a speed for each column, and twice too slow"),
    (fill(lambda p, c, d: wave(c + 1)(angle(p, c, d))), "sine and cosine are exchanged"),
    (fill(right, first=1), "counted from 1"),
    (fill(lambda p, c, d: math.sin(angle(p, c, d))), "only sines"),
    (fill(lambda p, c, d: wave(c)(p * 10_000 ** ((c - c % 2) / d))), "faster and faster"),
    (lambda n, d_model: fill(right)(n, d_model).T, "places and numbers are exchanged"),
]
