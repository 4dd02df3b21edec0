"""Intervals of a measured effect, of its control, and of the difference of the two."""

from __future__ import annotations

import math

import numpy as np

from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, bootstrap_interval, seed_interval
from course_lib.experiments.measurement import Measurement

RESAMPLES, RESAMPLES_STATISTIC = 10_000, 1_000  # means are resampled at once, any other statistic one by one


def effect_interval(measured: Measurement, resamples: int | None = None, seed: int = 0) -> Interval:
    """95 % interval of the mean (or of `statistic`): Student's t over seeds, bootstrap over items or clusters."""
    if measured.seeds:
        return seed_interval(measured.values)
    return _bootstrap(measured.values, measured.clusters, measured.statistic, resamples, seed)


def judged_interval(measured: Measurement, resamples: int | None = None, seed: int = 0, what: str = "the") -> Interval:
    """The same for a measurement that decides. Raises CourseError for width zero: no spread is no evidence."""
    interval = effect_interval(measured, resamples, seed)
    if interval.zero_width:
        raise CourseError(
            f"{what} interval has width zero: nothing varied around {interval.estimate:g}, so there is no evidence of "
            "spread. Vary seeds or items, take a quantity that is not at its ceiling, or state the claim as exact."
        )
    return interval


def excess_interval(
    measured: Measurement, effect: Interval, control: Interval, resamples: int | None = None, seed: int = 0
) -> Interval:
    """Interval of effect minus control: paired where both come from the same items or seeds, else independent."""
    other = measured.control
    same = len(measured.values) == len(other.values) and (
        measured.clusters is None or list(measured.clusters) == list(other.clusters)
    )
    if not same:
        return independent_difference(effect, control)
    if measured.statistic is None and other.statistic is None:
        difference = measured.values - other.values
        if measured.seeds:
            return seed_interval(difference)
        return _bootstrap(difference, measured.clusters, None, resamples, seed)
    first, second = measured.statistic or np.mean, other.statistic or np.mean
    ours = measured.values.reshape(len(measured.values), -1)
    rows = np.hstack([ours, other.values.reshape(len(other.values), -1)])
    width = ours.shape[1]
    return _bootstrap(rows, measured.clusters, lambda r: first(r[:, :width]) - second(r[:, width:]), resamples, seed)


def independent_difference(first: Interval, second: Interval) -> Interval:
    """Interval of the difference of two independent estimates, from theirs (Zou and Donner 2008, Stat. Med. 27)."""
    estimate = first.estimate - second.estimate
    below = math.hypot(first.estimate - first.low, second.high - second.estimate)
    above = math.hypot(first.high - first.estimate, second.estimate - second.low)
    return Interval(estimate - below, estimate + above, estimate)


def _bootstrap(values, clusters, statistic, resamples: int | None, seed: int) -> Interval:
    n = resamples or (RESAMPLES if statistic is None else RESAMPLES_STATISTIC)
    return bootstrap_interval(values, clusters=clusters, n=n, seed=seed, statistic=statistic)
