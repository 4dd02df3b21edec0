"""Exercise 9.1: an interval for a difference, over seeds. Source: Student 1908, The Probable Error of a Mean."""

import math
import statistics

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


def _variances(system, baseline):
    """Of the scores of the seeds that both have: the system's, the baseline's."""
    return [statistics.variance([side[seed] for seed in system if seed in baseline]) for side in (system, baseline)]


_DIFFERENCES = "[score - baseline[seed] for seed, score in system.items() if seed in baseline]"
_VARIANCE, _HALF, _ENDS = (
    "sum((d - mean) ** 2 for d in differences) / (n - 1)",
    "math.sqrt(variance / n)",
    "mean - half, mean + half",
)


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
    ("paired by place", f"{_DIFFERENCES} => [a - b for a, b in zip(system.values(), baseline.values())]"),
    (
        "paired by size",
        f"{_DIFFERENCES} => [a - b for a, b in zip(*map(sorted, (system.values(), baseline.values())))]",
    ),
    (
        "not paired",
        f"{_VARIANCE} => sum(_variances(system, baseline))",
        (
            "sum(differences) / n => statistics.mean(system.values()) - statistics.mean(baseline.values())",
            "variance / n => sum(statistics.variance(side.values()) / len(side) for side in (system, baseline))",
        ),
    ),
    (
        "the spread of scores instead of differences",
        f"{_VARIANCE} => _variances(system, baseline)[0]",
        (
            "half = => a, b = map(math.sqrt, _variances(system, baseline))\n    half =",
            f"{_HALF} => (a - b) / math.sqrt(n)",
        ),
        f"{_VARIANCE} => sum(_variances(system, baseline)) / 2",
    ),
    (
        "a missing seed counts as 0",
        f"{_DIFFERENCES} => [system.get(k, 0.0) - baseline.get(k, 0.0) for k in {{**system, **baseline}}]",
        ("baseline[seed] => baseline.get(seed, 0.0)", " if seed in baseline => "),
    ),
    ("baseline minus system", "score - baseline[seed] => baseline[seed] - score"),
    ("the size of differences", "score - baseline[seed] => abs(score - baseline[seed])"),
    ("divided by n", "(n - 1) => n"),
    ("the spread of seeds instead of that of their mean", "variance / n => variance"),
    ("divided by n without a root", f"{_HALF} => math.sqrt(variance) / n"),
    ("divided by the root of n - 1", "variance / n => variance / (n - 1)"),
    (
        "n counts all seeds",
        *(f"variance / n => variance / len({s})" for s in ("system", "baseline", "system | baseline")),
    ),
    (
        "the number of seeds is known by heart",
        ("(n - 1) => 4", "variance / n => variance / 5"),
        "variance / n => variance / 5",
        "(n - 1) => 4",
    ),
    ("the quantile is not used", "quantile * math => math"),
    ("1.96 instead of the quantile", "quantile * => 1.96 *"),
    ("the variance instead of its root", f"{_HALF} => variance / math.sqrt(n)"),
    ("half of the width", "quantile * => quantile / 2 *"),
    ("lowest and highest difference", f"{_ENDS} => min(differences), max(differences)"),
    ("middle and half", f"{_ENDS} => mean, half"),
    ("high before low", f"{_ENDS} => mean + half, mean - half"),
]
EXERCISE = Exercise("9.1", paired_interval, PROBES, MISTAKES, difficulty=2, importance=5, minutes=15)
