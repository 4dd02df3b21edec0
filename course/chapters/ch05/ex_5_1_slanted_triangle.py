"""Exercise 5.1: the slanted triangle. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2, equation 3."""

import math

from course.check.exercise import Exercise, Probe


def slanted_triangle(step: int, total: int, cut_frac: float, ratio: float) -> float:
    """The learning rate at `step` (from 0) of `total`, as a share of the largest. cut_frac: share of steps in which
    it rises; ratio: how much smaller the smallest rate is than the largest"""
    cut = math.floor(total * cut_frac)
    p = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_frac - 1))
    return (1 + p * (ratio - 1)) / ratio


def _rate(step, total, cut_frac, ratio, *, cut=None, fall=None, last=lambda p, ratio: (1 + p * (ratio - 1)) / ratio):
    cut = math.floor(total * cut_frac) if cut is None else cut
    fall = cut * (1 / cut_frac - 1) if fall is None else fall
    return last(step / cut if step < cut else 1 - (step - cut) / fall, ratio)


PROBES = [
    Probe("the first step", 0, 100, 0.1, 32),
    Probe("on the way up", 3, 100, 0.1, 32),
    Probe("at the turn", 10, 100, 0.1, 32),
    Probe("on the way down", 64, 100, 0.1, 32),
    Probe("on the way up, cut does not come out even", 5, 47, 0.25, 8),
    Probe("on the way down, cut does not come out even", 30, 47, 0.25, 8),
]
MISTAKES = [
    ("the rate is only p", lambda *a: _rate(*a, last=lambda p, ratio: p)),
    ("the floor is added to p", lambda *a: _rate(*a, last=lambda p, ratio: p + 1 / ratio)),
    (
        "the rise is forgotten",
        lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, cut=0, fall=total),
    ),
    ("the fall ends too late", lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, fall=total)),
    ("rise and fall are exchanged", lambda step, total, cut_frac, ratio: _rate(step, total, 1 - cut_frac, ratio)),
    (
        "cut is not rounded down",
        lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, cut=total * cut_frac),
    ),
    ("no division by the ratio", lambda *a: _rate(*a, last=lambda p, ratio: 1 + p * (ratio - 1))),
]
EXERCISE = Exercise("5.1", slanted_triangle, PROBES, MISTAKES, difficulty=2, importance=4, minutes=10)
