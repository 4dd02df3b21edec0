"""How sure is a mean? Intervals from the test items (bootstrap) and from seeds (Student's t).

Paired differences are handed in as values: one number per item, system minus baseline.

The bootstrap interval is the *expanded percentile* interval (Hesterberg 2014, arXiv:1411.5279): quantiles of the
resampled statistic, so much further out that for normal data it is as wide as the t interval. The plain percentile
interval is too narrow for few items or clusters (eight normal values: it covers 89 %, not 95). BCa corrects skewness,
keeps that fault, and breaks down on right-or-wrong items that are nearly all equal. Nothing helps a sample that missed
the rare cases: with eight items of a skewed or right-or-wrong kind any of them covers only about 85-90 %.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from course_lib.arrays import listed, numbers
from course_lib.errors import CourseError

_CHUNK = 1 << 20  # numbers resampled at a time: 8 MB an array, whatever the number of items


@dataclass(frozen=True)
class Interval:
    """low <= high, and the statistic of the values as they are; all three in the unit of the values."""

    low: float
    high: float
    estimate: float
    level: float = 0.95

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def zero_width(self) -> bool:
        """True if nothing varied. Then there is no evidence of spread: an error unless the claim is exact."""
        return self.low == self.high

    def __str__(self) -> str:
        return f"{self.estimate:.3g} ({100 * self.level:g} % interval {self.low:.3g} to {self.high:.3g})"


def bootstrap_interval(
    values: Iterable,
    *,
    clusters: Iterable | None = None,
    level: float = 0.95,
    n: int = 10_000,
    seed: int = 0,
    statistic: Callable[[np.ndarray], float] | None = None,
) -> Interval:
    """Interval for the mean of `values`, or for another statistic of them, under resampling of the items.

    values     [item], or [item, column] with a `statistic` of rows (say, the correlation of two columns)
    clusters   one id per item, two or more: items that share a word, sentence or document are drawn together
    n          number of resamples; the same `seed` gives the same interval
    statistic  array of rows -> float, called n + 1 times; None is the mean, much faster
    Raises CourseError for fewer than two items, NaN or infinite values.
    """
    values = _checked(values)
    groups = np.arange(len(values)) if clusters is None else _group_numbers(clusters, len(values))
    n_groups = int(groups.max()) + 1
    assert n_groups > 1, "all values lie in one cluster"
    rng = np.random.default_rng(seed)
    if statistic is None:
        estimate, resampled = float(values.mean()), _resampled_means(values, groups, n_groups, n, rng)
    else:
        estimate = float(statistic(values))
        resampled = _resampled_statistics(values, groups, n_groups, n, rng, statistic)
    outer = _outer_quantile(level, n_groups)
    low, high = np.quantile(resampled, [outer, 1 - outer])
    if high - low <= 1e-12 * np.abs(values).max():  # rounding noise is no spread
        return Interval(estimate, estimate, estimate, level)
    return Interval(float(low), float(high), estimate, level)


def seed_interval(differences: Iterable, *, level: float = 0.95) -> Interval:
    """Student's t interval for the mean of one difference per seed (both systems trained with that seed).

    With the handful of seeds one can afford a bootstrap has too few values to draw from. Use 5 seeds or more.
    Raises CourseError for fewer than two differences, NaN or infinite values.
    """
    from scipy.special import stdtrit

    differences = _checked(differences)
    n, mean = len(differences), float(differences.mean())
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        return Interval(mean, mean, mean, level)
    half = float(stdtrit(n - 1, 0.5 + level / 2)) * float(differences.std(ddof=1)) / math.sqrt(n)
    return Interval(mean - half, mean + half, mean, level)


def _checked(values: Iterable) -> np.ndarray:
    """Lists, arrays and tensors (also on a GPU) -> float64, from which an interval can be taken."""
    values = numbers("An interval: the values", values)
    if len(values) < 2:
        raise CourseError(f"An interval needs at least 2 values, got {len(values)}. Measure more items or seeds.")
    if wrong := int((~np.isfinite(values)).sum()):
        raise CourseError(f"{wrong} of {values.size} values are NaN or infinite. Find out why before averaging.")
    return values


def _group_numbers(clusters: Iterable, n_values: int) -> np.ndarray:
    """Cluster ids of any hashable kind -> 0, 1, 2 ... in order of first appearance."""
    clusters = listed(clusters)
    assert len(clusters) == n_values
    found: dict = {}
    return np.array([found.setdefault(cluster, len(found)) for cluster in clusters])


def _outer_quantile(level: float, n_groups: int) -> float:
    """The quantile q with z_q * sqrt((n - 1) / n) = t_{(1 - level) / 2, n - 1}: the expanded percentile."""
    from scipy.special import ndtr, stdtrit

    t = stdtrit(n_groups - 1, (1 - level) / 2)
    return float(ndtr(t * math.sqrt(n_groups / (n_groups - 1))))


def _resampled_means(values: np.ndarray, groups: np.ndarray, n_groups: int, n: int, rng) -> np.ndarray:
    """n means over items: n_groups groups are drawn with replacement each time. [n]"""
    centre = values.mean()
    sums, sizes = np.bincount(groups, values - centre), np.bincount(groups)  # per group
    means = np.empty(n)
    rows = max(1, _CHUNK // n_groups)
    for first in range(0, n, rows):
        drawn = rng.integers(n_groups, size=(min(rows, n - first), n_groups))
        items = sizes[drawn].sum(1) if len(values) > n_groups else n_groups
        means[first : first + rows] = sums[drawn].sum(1) / items
    return centre + means


def _resampled_statistics(values, groups, n_groups: int, n: int, rng, statistic) -> np.ndarray:
    """`statistic` of n resamples; its rows come group by group. [n]"""
    order, sizes = np.argsort(groups, kind="stable"), np.bincount(groups)
    starts = np.cumsum(sizes) - sizes
    results = np.empty(n)
    for i in range(n):
        drawn = rng.integers(n_groups, size=n_groups)
        lengths = sizes[drawn]
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)  # 0, 1, ... in each group
        results[i] = statistic(values[order[np.repeat(starts[drawn], lengths) + within]])
    if wrong := int((~np.isfinite(results)).sum()):
        raise CourseError(
            f"The statistic is NaN or infinite in {wrong} of {n} resamples (a constant column?). "
            "Use more items, or a statistic that is defined for every resample."
        )
    return results
