"""Exercise 9.1: an interval for a difference, over seeds. Source: Student 1908, The Probable Error of a Mean."""

import math

from course.check.exercise import Exercise, Probe


def paired_interval(system: dict[int, float], baseline: dict[int, float], quantile: float) -> tuple[float, float]:
    """(low, high): the interval of the mean difference, system minus baseline. system, baseline: {seed: score}; only
    seeds that both have are compared, at least two; quantile: that of Student's t for their number, such as 2.776 of
    five seeds at 95 %.
    paired_interval({0: 3.0, 1: 5.0, 2: 9.0}, {1: 4.0, 0: 1.0}, 12.706) -> (-4.853, 7.853)"""
    differences = [score - baseline[seed] for seed, score in system.items() if seed in baseline]
    n = len(differences)
    mean = sum(differences) / n
    variance = sum((d - mean) ** 2 for d in differences) / (n - 1)
    half = quantile * math.sqrt(variance / n)
    return mean - half, mean + half


def _paired(system, baseline):
    return [score - baseline[seed] for seed, score in system.items() if seed in baseline]


def _spread(differences, less=1):
    mean = sum(differences) / len(differences)
    return math.sqrt(sum((d - mean) ** 2 for d in differences) / (len(differences) - less))


def _interval(paired=_paired, spread=_spread, half=lambda s, n, quantile: quantile * s / math.sqrt(n)):
    """paired(system, baseline); spread(differences); half(spread, n, quantile)."""

    def model(system, baseline, quantile):
        differences = paired(system, baseline)
        mean, reach = sum(differences) / len(differences), half(spread(differences), len(differences), quantile)
        return mean - reach, mean + reach

    return model


def _by_place(system, baseline):
    return [a - b for a, b in zip(system.values(), baseline.values(), strict=False)]


def _sorted(system, baseline):
    return [a - b for a, b in zip(sorted(system.values()), sorted(baseline.values()), strict=False)]


def _unpaired(all_seeds):
    """As if the two had nothing in common."""

    def model(system, baseline, quantile):
        both = [seed for seed in system if seed in baseline]
        sides = [list(s.values()) if all_seeds else [s[seed] for seed in both] for s in (system, baseline)]
        a, b = (sum(side) / len(side) for side in sides)
        half = quantile * math.sqrt(sum(_spread(side) ** 2 / len(side) for side in sides))
        return a - b - half, a - b + half

    return model


def _of_scores(spread):
    """The mean is that of the differences, the spread that of scores: spread(system's, baseline's)."""

    def model(system, baseline, quantile):
        both = [seed for seed in system if seed in baseline]
        reach = spread(*([side[seed] for seed in both] for side in (system, baseline)))
        return _interval(spread=lambda _: reach)(system, baseline, quantile)

    return model


def _of_all(n):
    """n(system, baseline) stands in the place of the number of differences."""
    return lambda s, b, quantile: _interval(half=lambda spread, _, q: q * spread / math.sqrt(n(s, b)))(s, b, quantile)


def _centred(system, baseline, quantile):
    low, high = paired_interval(system, baseline, quantile)
    return (low + high) / 2, (high - low) / 2


PROBES = [
    Probe("three seeds", {0: 71.0, 1: 74.0, 2: 70.0}, {0: 68.0, 1: 73.0, 2: 66.0}, 4.303),
    Probe(
        "the baseline's seeds in another order",
        {0: 80.5, 1: 82.0, 2: 79.0, 3: 84.0},
        {3: 80.0, 1: 79.5, 0: 79.0, 2: 78.5},
        3.182,
    ),
    Probe(
        "seeds that one side lacks",
        {1: 60.0, 2: 66.0, 3: 61.0, 4: 90.0, 7: 64.0, 8: 59.0},
        {0: 20.0, 1: 61.0, 2: 63.5, 3: 61.5, 7: 60.0, 8: 58.0},
        2.776,
    ),
    Probe("the system is worse", {5: 40.0, 6: 41.0, 9: 44.5}, {5: 43.0, 6: 46.0, 9: 45.5}, 4.303),
]
MISTAKES = [
    ("paired by place", _interval(_by_place)),
    ("paired by size", _interval(_sorted)),
    ("not paired", _unpaired(False), _unpaired(True)),
    (
        "the spread of scores instead of differences",
        _of_scores(lambda system, baseline: _spread(system)),
        _of_scores(lambda system, baseline: _spread(system) - _spread(baseline)),
        _of_scores(lambda system, baseline: math.sqrt((_spread(system) ** 2 + _spread(baseline) ** 2) / 2)),
    ),
    (
        "a missing seed counts as 0",
        _interval(lambda s, b: [s.get(k, 0.0) - b.get(k, 0.0) for k in {**s, **b}]),
        _interval(lambda s, b: [s[k] - b.get(k, 0.0) for k in s]),
    ),
    ("baseline minus system", _interval(lambda s, b: [-d for d in _paired(s, b)])),
    ("the size of differences", _interval(lambda s, b: [abs(d) for d in _paired(s, b)])),
    ("divided by n", _interval(spread=lambda d: _spread(d, 0))),
    ("the spread of seeds instead of that of their mean", _interval(half=lambda s, n, quantile: quantile * s)),
    ("divided by n without a root", _interval(half=lambda s, n, quantile: quantile * s / n)),
    ("divided by the root of n - 1", _interval(half=lambda s, n, quantile: quantile * s / math.sqrt(n - 1))),
    (
        "n counts all seeds",
        *(_of_all(n) for n in (lambda s, b: len(s), lambda s, b: len(b), lambda s, b: len({**s, **b}))),
    ),
    ("the quantile is not used", _interval(half=lambda s, n, quantile: s / math.sqrt(n))),
    ("1.96 instead of the quantile", _interval(half=lambda s, n, quantile: 1.96 * s / math.sqrt(n))),
    ("the variance instead of its root", _interval(half=lambda s, n, quantile: quantile * s**2 / math.sqrt(n))),
    ("half of the width", _interval(half=lambda s, n, quantile: quantile * s / math.sqrt(n) / 2)),
    ("lowest and highest difference", lambda s, b, q: (min(_paired(s, b)), max(_paired(s, b)))),
    ("middle and half", _centred),
    ("high before low", lambda *a: paired_interval(*a)[::-1]),
]
EXERCISE = Exercise("9.1", paired_interval, PROBES, MISTAKES, difficulty=2, importance=5, minutes=15)
