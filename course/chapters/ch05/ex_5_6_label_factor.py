"""Exercise 5.6: the label-equivalent factor. Source: Howard & Ruder 2018, arXiv:1801.06146, section 5 (low-shot)."""

import math
import operator
from bisect import bisect_left

import numpy as np

from course.check.exercise import Exercise, Probe


def label_factor(sizes: list[int], scores: list[float], few: int, reached: float) -> float:
    """How many times `few` labels the network from scratch needs for the score `reached`. sizes, scores: its learning
    curve, sizes growing; if the curve stays below, its largest size counts (the factor is then at least so large).
    label_factor([100, 400], [60.0, 80.0], 50, 70.0) -> 4.0"""
    if scores[0] >= reached:
        return sizes[0] / few
    for i in range(1, len(sizes)):
        if scores[i] >= reached:
            share = (reached - scores[i - 1]) / (scores[i] - scores[i - 1])
            low, high = math.log(sizes[i - 1]), math.log(sizes[i])
            return math.exp(low + share * (high - low)) / few
    return sizes[-1] / few


def _evenly(low, high, share):
    return low * (high / low) ** share


def _factor(between=_evenly, never=lambda sizes, scores, reached: sizes[-1], enough=operator.ge):
    def model(sizes, scores, few, reached):
        i = next((i for i, score in enumerate(scores) if enough(score, reached)), None)
        if i is None:
            return never(sizes, scores, reached) / few
        if i == 0:
            return sizes[0] / few
        return between(sizes[i - 1], sizes[i], (reached - scores[i - 1]) / (scores[i] - scores[i - 1])) / few

    return model


def _place(sizes, scores, few, reached, i):
    """On the piece of the curve that ends with point i, or on its way on."""
    return _evenly(sizes[i - 1], sizes[i], (reached - scores[i - 1]) / (scores[i] - scores[i - 1])) / few


def _from_the_first_piece(sizes, scores, few, reached):
    """No look at the first point by itself."""
    i = next((i for i in range(1, len(sizes)) if scores[i] >= reached), None)
    return sizes[-1] / few if i is None else _place(sizes, scores, few, reached, i)


def _last_crossing(sizes, scores, few, reached):
    above = [i for i, score in enumerate(scores) if score >= reached] or [0]
    return _place(sizes, scores, few, reached, above[-1]) if above[-1] else label_factor(sizes, scores, few, reached)


def _bisected(sizes, scores, few, reached):
    i = bisect_left(scores, reached)
    return sizes[min(i, len(sizes) - 1)] / few if i in (0, len(sizes)) else _place(sizes, scores, few, reached, i)


def _interpolated(sizes, scores, few, reached):
    return float(np.exp(np.interp(reached, scores, np.log(sizes)))) / few


def _extended(sizes, scores, reached):
    """The last piece of the curve, drawn on."""
    return _evenly(*sizes[-2:], (reached - scores[-2]) / (scores[-1] - scores[-2]))


PROBES = [
    Probe("between two points", [100, 10_000], [80.0, 90.0], 100, 85.0),
    Probe("a curve of four points", [100, 500, 2_000, 8_000], [60.0, 70.0, 82.0, 86.0], 100, 80.0),
    Probe("never reached", [50, 100, 400], [55.0, 60.0, 66.0], 50, 70.0),
    Probe("reached at once", [25, 100], [75.0, 80.0], 50, 70.0),
    Probe("a curve that falls again", [100, 200, 400, 800], [60.0, 76.0, 70.0, 80.0], 100, 74.0),
    Probe("a curve that crosses the score three times", [1, 2, 4, 8, 16], [59.0, 80.0, 69.0, 77.0, 60.0], 1, 71.0),
    Probe("never reached, and falling at the end", [50, 100, 400, 900], [55.0, 60.0, 68.0, 64.0], 50, 70.0),
    Probe("exactly the score of a peak", [100, 200, 400, 800], [60.0, 76.0, 70.0, 80.0], 100, 76.0),
]
MISTAKES = [
    ("a straight line on a plain axis", _factor(lambda low, high, share: low + share * (high - low))),
    ("the next measured size", _factor(lambda low, high, share: high)),
    ("the size before", _factor(lambda low, high, share: low)),
    ("the share is turned round", _factor(lambda low, high, share: high * (low / high) ** share)),
    ("the curve is drawn on beyond its end", _factor(never=_extended)),
    ("the curve is drawn on before its beginning", _from_the_first_piece),
    ("never is infinite", _factor(never=lambda *_: math.inf), _factor(never=lambda *_: math.nan)),
    ("the curve is taken to grow", _interpolated, _bisected),
    ("the last crossing", _last_crossing),
    ("exactly reached does not count", _factor(enough=operator.gt)),
    ("labels instead of a factor", lambda *a: a[2] * label_factor(*a)),
    ("the factor is turned round", lambda *a: 1 / label_factor(*a)),
    ("doublings instead of a factor", lambda *a: math.log2(label_factor(*a))),
]
EXERCISE = Exercise("5.6", label_factor, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
