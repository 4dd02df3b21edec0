"""Wrong answers to exercise 5.6 as readers write them, each with the mistake that must be named."""

import math

import numpy as np


def first(scores, reached):
    return next((i for i, score in enumerate(scores) if score >= reached), None)


def read_off(sizes, scores, reached, *, rule, never):
    place = first(scores, reached)
    if place is None:
        return never
    if place == 0:
        return sizes[0]
    share = (reached - scores[place - 1]) / (scores[place] - scores[place - 1])
    return rule(sizes[place - 1], sizes[place], share)


def logarithmic(low, high, share):
    return 10 ** (math.log10(low) * (1 - share) + math.log10(high) * share)


def plain_axis(sizes, scores, few, reached):
    rule = lambda low, high, share: low + (high - low) * share  # noqa: E731
    return read_off(sizes, scores, reached, rule=rule, never=sizes[-1]) / few


def next_size(sizes, scores, few, reached):
    place = first(scores, reached)
    return sizes[-1 if place is None else place] / few


def size_before(sizes, scores, few, reached):
    return read_off(sizes, scores, reached, rule=lambda low, high, share: low, never=sizes[-1]) / few


def wrong_way(sizes, scores, few, reached):
    rule = lambda low, high, share: logarithmic(high, low, share)  # noqa: E731
    return read_off(sizes, scores, reached, rule=rule, never=sizes[-1]) / few


def drawn_on(sizes, scores, few, reached):
    if first(scores, reached) is not None:
        return read_off(sizes, scores, reached, rule=logarithmic, never=None) / few
    slope, start = np.polyfit(np.log(sizes[-2:]), scores[-2:], 1)
    return math.exp((reached - start) / slope) / few


def infinite(sizes, scores, few, reached):
    return read_off(sizes, scores, reached, rule=logarithmic, never=math.inf) / few


def labels(sizes, scores, few, reached):
    return read_off(sizes, scores, reached, rule=logarithmic, never=sizes[-1])


def turned_round(sizes, scores, few, reached):
    return few / labels(sizes, scores, few, reached)


def doublings(sizes, scores, few, reached):
    return math.log2(labels(sizes, scores, few, reached) / few)


def above(sizes, scores, few, reached):
    place = next((i for i, score in enumerate(scores) if score > reached), None)
    if place in (None, 0):
        return sizes[0 if place == 0 else -1] / few
    share = (reached - scores[place - 1]) / (scores[place] - scores[place - 1])
    return logarithmic(sizes[place - 1], sizes[place], share) / few


def interp(sizes, scores, few, reached):
    return math.exp(np.interp(reached, scores, np.log(sizes))) / few


WRONG = [
    (plain_axis, "a straight line on a plain axis"),
    (next_size, "the next measured size"),
    (size_before, "the size before"),
    (wrong_way, "the share is turned round"),
    (drawn_on, "the curve is drawn on beyond its end"),
    (infinite, "never is infinite"),
    (above, "exactly reached does not count"),
    (interp, "exactly reached does not count"),
    (labels, "labels instead of a factor"),
    (turned_round, "the factor is turned round"),
    (doublings, "doublings instead of a factor"),
]
