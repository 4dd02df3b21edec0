"""The judge on made-up measurements whose truth is known: how often is it wrong, how often does it see what is there?

`pytest -s tests/ledger/test_simulation.py` prints the table.
"""

import sys
from functools import partial

import numpy as np
import pytest

from course.ledger import Measurement, judge
from course.ledger.judge import MIN_GROUPS
from course.ledger.rules import Claim, Rule

RUNS = 1000
LOW, HIGH = 0.03, 0.075  # 5 %, standard error 0.7 points; a bootstrap of clusters is a little bold


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr(sys.modules["course.ledger.judge"], "RESAMPLES", 500)  # the function hides its module
    monkeypatch.setattr(sys.modules["course.ledger.judge"], "RESAMPLES_STATISTIC", 100)


def rule(**changes) -> Claim:
    values = {"kind": "difference", "unit": "points", "delta": 1.0, "varies": "items", "item": "item"} | changes
    return Claim("C1.1", "A made-up claim.", "nowhere", True, (Rule(quantity="made up", **values),))


def of_items(rng, effect, n=37):
    return rule(), Measurement(effect + rng.normal(0, 3, n), "points")


def right_or_wrong(rng, effect, n=101):
    """Differences of two systems' hits: -100, 0 or 100 points, most of them ties."""
    up = 0.12 + effect / 200
    return rule(), Measurement(rng.choice([-100, 0, 100], n, p=[0.24 - up, 0.76, up]), "points")


def of_clusters(rng, effect, n=17, size=5):
    """Items of one word share most of their noise; words are of different sizes."""
    words = np.repeat(np.arange(n), rng.integers(size - 3, size + 4, n))
    noise = rng.normal(0, 3, n)[words] + rng.normal(0, 1, len(words))
    return rule(clusters="word"), Measurement(effect + noise, "points", clusters=words)


def of_seeds(rng, effect, n=5):
    return rule(varies="seeds", item="seed"), Measurement(effect + rng.normal(0, 3, n), "points", seeds=True)


def with_control(rng, effect):
    """Effect and control share the noise of the seeds, so the pairs are closer than either."""
    shared = rng.normal(0, 3, 8)
    control = Measurement(shared + rng.normal(0, 1, 8), "points", seeds=True)
    measured = Measurement(effect + shared + rng.normal(0, 1, 8), "points", seeds=True, control=control)
    return rule(varies="seeds", item="seed", control="made up"), measured


def slope(rows):
    x, y = rows[:, 0] - rows[:, 0].mean(), rows[:, 1]
    return (x @ y) / (x @ x)


def of_a_statistic(rng, effect, n=41):
    x = rng.normal(0, 1, n)
    return rule(), Measurement(np.c_[x, effect * x + rng.normal(0, 3, n)], "points", statistic=slope)


def equivalent(rng, effect):
    measured = Measurement(effect + rng.normal(0, 0.3, 8), "points", seeds=True)
    return rule(kind="equivalence", varies="seeds", item="seed"), measured


MEASURES = {
    **{"items": of_items, "right or wrong": right_or_wrong, "clusters": of_clusters, "seeds": of_seeds},
    **{"eight seeds": partial(of_seeds, n=8), "fewest clusters": partial(of_clusters, n=MIN_GROUPS)},
    **{"control": with_control, "statistic": of_a_statistic, "equivalence": equivalent},
}


def shares(name, effect, runs=RUNS) -> dict[str, float]:
    """How often each word is said when the true effect is `effect`."""
    rng, measure = np.random.default_rng(0), MEASURES[name]
    words = [judge(*measure(rng, effect)).word for _ in range(runs)]
    found = {word: words.count(word) / runs for word in ("holds", "contradicted", "open")}
    print(f"\n{name:18} effect {effect:5.1f}  " + "  ".join(f"{w} {100 * s:5.1f} %" for w, s in found.items()))
    return found


@pytest.mark.parametrize("name", ["items", "right or wrong", "clusters", "seeds", "eight seeds"])
def test_without_an_effect_one_verdict_in_twenty_is_false(name):
    found = shares(name, 0.0)
    assert LOW < found["holds"] + found["contradicted"] < HIGH
    assert 0.008 < found["holds"] < 0.045  # and no side is favoured
    assert 0.008 < found["contradicted"] < 0.045


def test_the_fewest_clusters_allowed_are_not_much_too_bold():
    assert shares("fewest clusters", 0.0)["open"] > 0.9


def test_a_statistic_is_judged_as_a_mean_is():
    found = shares("statistic", 0.0, runs=250)
    assert 0.02 < found["holds"] + found["contradicted"] < 0.10


EFFECTS = {"items": 3, "right or wrong": 20, "clusters": 6, "eight seeds": 6}


@pytest.mark.parametrize(("name", "effect"), EFFECTS.items())
def test_a_large_effect_is_seen(name, effect):
    assert shares(name, effect, runs=60)["holds"] > 0.95
    assert shares(name, -effect, runs=60)["contradicted"] > 0.95


def test_equivalence_at_the_margin_is_rarely_granted():
    at_margin = shares("equivalence", 1.0)
    assert 0.01 < at_margin["holds"] < 0.04  # one side of a 95 % interval
    assert 0.01 < at_margin["contradicted"] < 0.04
    assert shares("equivalence", 0.0, runs=60)["holds"] > 0.95
    assert shares("equivalence", 2.0, runs=60)["contradicted"] > 0.95


def test_a_control_takes_false_verdicts_away_and_keeps_true_ones():
    assert shares("control", 0.0)["holds"] < 0.025
    assert shares("control", 9.0, runs=60)["holds"] > 0.9
