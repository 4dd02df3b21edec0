"""Exercise 5.1: the slanted triangle. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2, equation 3."""

import math

from course.check.exercise import Exercise, Probe


def slanted_triangle(step: int, total: int, cut_frac: float, ratio: float) -> float:
    """The learning rate at `step` (from 0) of `total`, as a share of the largest. cut_frac: share of steps in which
    it rises, below 1; ratio: how much smaller the smallest rate is than the largest.
    slanted_triangle(55, 100, 0.1, 32) -> 0.515625"""
    cut = math.floor(total * cut_frac)
    fall = cut * (1 / cut_frac - 1) if cut else total
    p = step / cut if step < cut else 1 - (step - cut) / fall
    return (1 + max(0.0, p) * (ratio - 1)) / ratio


_BELOW = "max(0.0, p) => p"
_CUT, _FALL = "math.floor(total * cut_frac)", "cut * (1 / cut_frac - 1) if cut else total"
_RATE = "(1 + max(0.0, p) * (ratio - 1)) / ratio"


PROBES = [
    Probe("the first step", 0, 100, 0.1, 32),
    Probe("on the way up", 3, 100, 0.1, 32),
    Probe("at the turn", 10, 100, 0.1, 32),
    Probe("on the way down", 64, 100, 0.1, 32),
    Probe("on the way up, cut does not come out even", 5, 47, 0.25, 8),
    Probe("on the way down, cut does not come out even", 30, 47, 0.25, 8),
    Probe("the last step, cut does not come out even", 104, 105, 0.1, 32),
    Probe("so few steps that cut is 0", 3, 9, 0.1, 32),
]
MISTAKES = [
    ("the rate becomes negative", _BELOW),
    ("the rate is only p", f"{_RATE} => max(0.0, p)", f"{_RATE} => p"),
    ("the floor is added to p", f"{_RATE} => max(0.0, p) + 1 / ratio", f"{_RATE} => p + 1 / ratio"),
    ("the smallest rate is only a floor", f"{_RATE} => max(p, 1 / ratio)"),
    ("the rise is forgotten", f"{_CUT} => 0"),
    ("the fall ends too late", f"{_FALL} => total"),
    ("the fall ends with the last step", f"{_FALL} => total - cut"),
    ("rise and fall are exchanged", "cut_frac => (1 - cut_frac)"),
    ("cut is not rounded down", "math.floor => ", ("math.floor => ", _BELOW)),
    ("cut is rounded up", "math.floor => math.ceil", "math.floor => round", ("math.floor => round", _BELOW)),
    ("the 1 is forgotten", "(1 + max => (max", ("(1 + max => (max", _BELOW)),
    ("the rate instead of p is kept above 0", f"{_RATE} => max(0.0, (1 + p * (ratio - 1)) / ratio)"),
    ("the first step counts as 1", "step / cut => (step + 1) / cut"),
    ("cut is taken for 1 where it is 0", f"{_CUT} => max(1, {_CUT})"),
    ("no division by the ratio", " / ratio => ", (" / ratio => ", _BELOW)),
]
EXERCISE = Exercise("5.1", slanted_triangle, PROBES, MISTAKES, difficulty=2, importance=4, minutes=10)
