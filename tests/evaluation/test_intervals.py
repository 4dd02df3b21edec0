"""Intervals: 95 in 100 hold the truth; scipy's t interval for seeds; clusters; what cannot be."""

import math
import time
import tracemalloc

import numpy as np
import pytest
import torch
from scipy import stats

from course_lib.evaluation.intervals import bootstrap_interval, seed_interval
from tests.mistakes import mistakes


def coverage(draw, truth: float, *, n_samples: int = 1000, **options) -> float:
    """Share of samples whose 95 % interval holds the truth. `draw(rng)` gives bootstrap_interval's arguments."""
    hits = 0
    for seed in range(n_samples):
        interval = bootstrap_interval(**draw(np.random.default_rng(seed)), n=500, seed=seed, **options)
        hits += interval.low <= truth <= interval.high
    return hits / n_samples


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng: {"values": rng.normal(size=8)}, 0.0),
        (lambda rng: {"values": rng.normal(size=31)}, 0.0),
        (lambda rng: {"values": rng.exponential(size=101)}, 1.0),
        (lambda rng: {"values": rng.random(101) < 0.8}, 0.8),
        (lambda rng: {"values": rng.choice([-1, 0, 1], p=[0.1, 0.6, 0.3], size=101)}, 0.2),
    ],
    ids=["normal-8", "normal-31", "skewed-101", "right-or-wrong-101", "paired-difference-101"],
)
def test_covers_the_truth_95_times_in_100(draw, truth):
    assert 0.925 < coverage(draw, truth) < 0.975  # standard error .007, and 500 resamples cost a little


def clustered(rng) -> dict:
    """11 words with 13 occurrences each; most of the variance is between words."""
    means = rng.normal(size=11)
    return {"values": np.repeat(means, 13) + 0.5 * rng.normal(size=143), "clusters": np.repeat(np.arange(11), 13)}


def test_clustered_items_need_clusters():
    assert 0.925 < coverage(clustered, 0.0) < 0.975
    assert coverage(lambda rng: {"values": clustered(rng)["values"]}, 0.0) < 0.6
    # each item counts the same, whatever the size of its cluster
    interval = bootstrap_interval([1.0, 1.0, 1.0, 5.0, 3.0, 3.0], clusters=["a", "a", "a", "b", "c", "c"])
    assert interval.estimate == pytest.approx(14 / 6)
    assert (interval.low, interval.high) == pytest.approx((1, 5))  # three clusters: from only a to only b


def test_seed_level_and_order():
    values = np.random.default_rng(0).normal(size=53)
    first = bootstrap_interval(values, seed=3)
    assert first == bootstrap_interval(values.tolist(), seed=3)
    assert first == bootstrap_interval(torch.from_numpy(values), seed=3)
    assert first != bootstrap_interval(values, seed=5)
    assert first == bootstrap_interval(values, seed=3, clusters=[f"w{i}" for i in range(53)])  # one per item is none
    wider = bootstrap_interval(values, seed=3, level=0.99)
    assert wider.low < first.low < first.estimate < first.high < wider.high
    assert first.estimate == pytest.approx(values.mean())


def test_other_statistics_and_rows():
    rng = np.random.default_rng(0)
    values = rng.normal(size=53)
    by_call, built_in = bootstrap_interval(values, statistic=np.mean, n=4001), bootstrap_interval(values, n=4001)
    assert by_call.low == pytest.approx(built_in.low, abs=0.03)
    assert by_call.high == pytest.approx(built_in.high, abs=0.03)
    pairs = rng.normal(size=(53, 1)) + 0.5 * rng.normal(size=(53, 2))
    correlation = bootstrap_interval(pairs, statistic=lambda rows: np.corrcoef(rows.T)[0, 1], n=499)
    assert correlation.estimate == pytest.approx(np.corrcoef(pairs.T)[0, 1])
    assert 0.5 < correlation.low < correlation.estimate < correlation.high < 1
    sizes = bootstrap_interval(range(5), clusters=[0, 0, 0, 1, 1], statistic=len, n=100)
    assert (sizes.low, sizes.high) == (4, 6)  # whole clusters of 3 and 2 are drawn


@pytest.mark.parametrize("value", [0.0, 0.1, -1 / 3, 1e9])
def test_nothing_varies(value):
    for interval in (
        bootstrap_interval([value] * 7),
        bootstrap_interval([value] * 7, clusters=[0, 0, 0, 1, 1, 2, 3]),
        bootstrap_interval([value - 0.1, value + 0.1] * 5, clusters=np.repeat(range(5), 2)),
        seed_interval([value] * 5),
    ):
        assert interval.zero_width
        assert interval.low == interval.high == interval.estimate == pytest.approx(value)
    assert not bootstrap_interval([value] * 6 + [value + 1]).zero_width


def test_seed_interval_equals_scipy():
    differences = [0.3, 1.1, -0.2, 0.7, 0.9]
    interval = seed_interval(differences, level=0.9)
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert interval.estimate == pytest.approx(math.fsum(differences) / 5)
    assert str(interval) == f"0.56 (90 % interval {expected.low:.3g} to {expected.high:.3g})"


def test_ten_thousand_resamples_of_five_thousand_items():
    """Seconds at most (0.3 s measured), and memory that does not grow with items times resamples (400 MB)."""
    values = np.random.default_rng(0).normal(size=5003)
    bootstrap_interval(values, n=100)
    tracemalloc.start()
    begin = time.process_time()
    bootstrap_interval(values)
    assert time.process_time() - begin < 5
    assert tracemalloc.get_traced_memory()[1] < 60e6
    tracemalloc.stop()


test_errors = mistakes(
    (lambda: bootstrap_interval([]), "at least 2 values, got 0"),
    (lambda: bootstrap_interval([1.0, math.nan, math.inf]), "2 of 3 values are NaN or infinite"),
    (lambda: bootstrap_interval([0.0, 1.0], statistic=lambda v: math.log(v.sum() or math.nan)), "NaN or infin"),
)
