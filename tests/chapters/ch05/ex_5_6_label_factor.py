"""Wrong answers to exercise 5.6 as readers write them, each with the mistake that must be named."""

import math

import numpy as np


def first(scores, reached):
    return next((i for i, score in enumerate(scores) if score >= reached), None)


def logarithmic(low, high, share):
    return 10 ** (math.log10(low) * (1 - share) + math.log10(high) * share)


def read_off(sizes, scores, reached, *, rule=logarithmic, never):
    place = first(scores, reached)
    if place is None:
        return never
    if place == 0:
        return sizes[0]
    share = (reached - scores[place - 1]) / (scores[place] - scores[place - 1])
    return rule(sizes[place - 1], sizes[place], share)


def between(rule):
    """rule(size before, next size, share of the way)."""
    return lambda sizes, scores, few, reached: read_off(sizes, scores, reached, rule=rule, never=sizes[-1]) / few


def labels(sizes, scores, few, reached):
    return read_off(sizes, scores, reached, never=sizes[-1])


def drawn_on(sizes, scores, few, reached):
    slope, start = np.polyfit(np.log(sizes[-2:]), scores[-2:], 1)
    return read_off(sizes, scores, reached, never=math.exp((reached - start) / slope)) / few


WRONG = [
    (between(lambda low, high, share: low + (high - low) * share), "a straight line on a plain axis"),
    (between(lambda low, high, share: high), "the next measured size"),
    (between(lambda low, high, share: low), "the size before"),
    (between(lambda low, high, share: logarithmic(high, low, share)), "the share is turned round"),
    (drawn_on, "the curve is drawn on beyond its end"),
    (lambda sizes, scores, few, reached: read_off(sizes, scores, reached, never=math.inf) / few, "never is infinite"),
    (lambda sizes, s, few, r: math.exp(np.interp(r, s, np.log(sizes))) / few, "exactly reached does not count"),
    (labels, "labels instead of a factor"),
    (lambda sizes, scores, few, reached: few / labels(sizes, scores, few, reached), "the factor is turned round"),
    (lambda *inputs: math.log2(labels(*inputs) / inputs[2]), "doublings instead of a factor"),
]
