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


def _rate(
    cut=lambda total, share: math.floor(total * share),
    fall=lambda total, cut, share: cut * (1 / share - 1),
    last=lambda p, ratio: (1 + p * (ratio - 1)) / ratio,
    least=0.0,
):
    def model(step, total, share, ratio):
        turn = cut(total, share)
        p = step / turn if step < turn else 1 - (step - turn) / (fall(total, turn, share) or total)
        return last(max(least, p), ratio)

    return model


def _from_one(step, *given):
    """The first step counts as 1 on the way up."""
    rises = step < math.floor(given[0] * given[1])
    return slanted_triangle(step + rises, *given)


def _with(**mistake):
    """As it is, and with a p that may fall below 0 besides."""
    return _rate(**mistake), _rate(**mistake, least=-math.inf)


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
    ("the rate becomes negative", _rate(least=-math.inf)),
    ("the rate is only p", *_with(last=lambda p, ratio: p)),
    ("the floor is added to p", *_with(last=lambda p, ratio: p + 1 / ratio)),
    ("the smallest rate is only a floor", *_with(last=lambda p, ratio: max(p, 1 / ratio))),
    ("the rise is forgotten", _rate(cut=lambda total, share: 0, fall=lambda total, cut, share: total)),
    ("the fall ends too late", *_with(fall=lambda total, cut, share: total)),
    ("the fall ends with the last step", *_with(fall=lambda total, cut, share: total - cut)),
    ("rise and fall are exchanged", lambda step, total, share, ratio: slanted_triangle(step, total, 1 - share, ratio)),
    ("cut is not rounded down", *_with(cut=lambda total, share: total * share)),
    ("cut is rounded up", _rate(cut=lambda n, share: math.ceil(n * share)), *_with(cut=lambda n, s: round(n * s))),
    ("the 1 is forgotten", *_with(last=lambda p, ratio: p * (ratio - 1) / ratio)),
    (
        "the rate instead of p is kept above 0",
        _rate(last=lambda p, r: max(0.0, (1 + p * (r - 1)) / r), least=-math.inf),
    ),
    ("the first step counts as 1", _from_one),
    ("cut is taken for 1 where it is 0", _rate(cut=lambda total, share: max(1, math.floor(total * share)))),
    ("no division by the ratio", *_with(last=lambda p, ratio: 1 + p * (ratio - 1))),
]
EXERCISE = Exercise("5.1", slanted_triangle, PROBES, MISTAKES, difficulty=2, importance=4, minutes=10)
