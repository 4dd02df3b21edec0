"""Wrong answers to exercise 6.5 as readers write them, each with the mistake that must be named."""

import math

import torch


def fill(n, d_model, number, first=0):
    """number(place, column)"""
    rows = range(first, first + n)
    return torch.tensor([[number(place, column) for column in range(d_model)] for place in rows])


def wave(column):
    return math.cos if column % 2 else math.sin


def in_two_halves(n, d_model):
    frequency = torch.exp(-math.log(10_000) * torch.arange(0, d_model, 2) / d_model)
    angle = torch.outer(torch.arange(n).float(), frequency)
    return torch.hstack([angle.sin(), angle.cos()])


def i_for_2i(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** ((c // 2) / d_model)))


def twice(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** (2 * (c - c % 2) / d_model)))


def own_speed(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** (c / d_model)))


def column_for_i(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** (2 * c / d_model)))


def exchanged(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c + 1)(p / 10_000 ** ((c - c % 2) / d_model)))


def from_one(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** ((c - c % 2) / d_model)), first=1)


def sines(n, d_model):
    return fill(n, d_model, lambda p, c: math.sin(p / 10_000 ** ((c - c % 2) / d_model)))


def multiplied(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p * 10_000 ** ((c - c % 2) / d_model)))


def on_its_side(n, d_model):
    return fill(n, d_model, lambda p, c: wave(c)(p / 10_000 ** ((c - c % 2) / d_model))).T


WRONG = [
    (in_two_halves, "first all sines, then all cosines"),
    (i_for_2i, "the exponent has i instead of 2i"),
    (twice, "twice 2i"),
    (own_speed, "a speed for each column"),
    (column_for_i, "a speed for each column, and twice too slow"),
    (exchanged, "sine and cosine are exchanged"),
    (from_one, "counted from 1"),
    (sines, "only sines"),
    (multiplied, "faster and faster"),
    (on_its_side, "places and numbers are exchanged"),
]
