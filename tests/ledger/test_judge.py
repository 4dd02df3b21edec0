import inspect
import sys
from dataclasses import replace

import numpy as np
import pytest

from course.ledger import Exact, Measurement, all_claims, claim, judge
from course.ledger.judge import difference_word, equivalence_word, find_code
from course.ledger.rules import Claim, Rule
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, bootstrap_interval, seed_interval
from tests.mistakes import mistakes

RULE = Rule("difference", "made up", "points", delta=2.0, varies="seeds", item="seed")
SEVEN = np.array([2.0, 3.0, 5.0, 4.0, 3.0, 6.0, 5.0])  # mean 4, t interval 4 +- 1.31
AROUND_0 = np.array([-1.0, 1.0, -2.0, 2.0, 1.0, -1.0, 0.5])


def a_claim(*rules: Rule, **changes) -> Claim:
    rules = rules or (replace(RULE, **changes),)
    return Claim("C5.1", "Made up.", "nowhere", True, rules)


def interval(low: float, high: float) -> Interval:
    return Interval(float(low), float(high), (low + high) / 2)


def seeds(values, **more) -> Measurement:
    return Measurement(values, "points", seeds=True, **more)


@pytest.mark.parametrize(
    ("low", "high", "side", "threshold", "word"),
    [
        (0.1, 2, "greater", 0, "holds"),
        (0, 2, "greater", 0, "open"),  # touching is not lying on a side
        (-1, 2, "greater", 0, "open"),
        (-2, -0.1, "greater", 0, "contradicted"),
        (-2, -0.1, "less", 0, "holds"),
        (0.1, 2, "less", 0, "contradicted"),
        (0.1, 2, "greater", 1, "open"),
        (1.1, 2, "greater", 1, "holds"),
        (0.1, 0.9, "greater", 1, "contradicted"),
        (-2, -1.1, "less", -1, "holds"),
        (-0.9, -0.1, "less", -1, "contradicted"),
    ],
)
def test_a_difference(low, high, side, threshold, word):
    assert difference_word(interval(low, high), replace(RULE, side=side, threshold=threshold)) == word


@pytest.mark.parametrize(
    ("low", "high", "word"),
    [(-0.9, 0.9, "holds"), (0.5, 0.9, "holds"), (-1, 0.5, "open"), (0.5, 1.5, "open"), (1.5, 2, "contradicted"),
     (-3, -1.1, "contradicted"), (-3, 3, "open")],
)  # fmt: skip
def test_equivalence(low, high, word):
    assert equivalence_word(interval(low, high), 1.0) == word


def test_seeds_are_judged_by_the_t_interval_by_hand():
    verdict = judge(a_claim(), seeds(SEVEN, data="the world"))
    half = 2.4469 * SEVEN.std(ddof=1) / np.sqrt(7)  # t of 6 degrees of freedom
    effect = verdict.findings[0].effect
    assert (effect.low, effect.estimate, effect.high) == pytest.approx((4 - half, 4, 4 + half), abs=1e-3)
    assert verdict.word == "holds"
    assert verdict.sentence == "holds: +4.0 points [2.7, 5.3]. Measured on the world."
    assert verdict.findings[0].per_seed == tuple(SEVEN)


def test_items_are_resampled_by_cluster():
    rng = np.random.default_rng(0)
    words = np.repeat([f"w{n}" for n in range(11)], 3)
    values = 3 + np.repeat(rng.normal(0, 2, 11), 3)
    rule = {"varies": "items", "item": "occurrence"}
    clustered = judge(a_claim(clusters="word", **rule), Measurement(values, "points", clusters=words)).findings[0]
    alone = judge(a_claim(**rule), Measurement(values, "points")).findings[0]
    assert clustered.effect == bootstrap_interval(values, clusters=words.tolist())
    assert clustered.effect.width > 1.4 * alone.effect.width  # three copies of a word are not three words
    assert (clustered.n, clustered.n_clusters, alone.n_clusters) == (33, 11, None)


def test_a_statistic_of_rows():
    rng = np.random.default_rng(1)
    rows = rng.normal(0, 1, (41, 2)) @ [[1.0, 0.9], [0.0, 0.4]]

    def correlation(rows):
        return np.corrcoef(rows.T)[0, 1]

    shuffled = np.c_[rows[:, 0], rng.permutation(rows[:, 1])]
    measured = Measurement(
        rows, "points", statistic=correlation, control=Measurement(shuffled, "points", statistic=correlation)
    )
    claim = a_claim(varies="items", item="pair", control="shuffled")
    finding = judge(claim, measured).findings[0]
    assert finding.word == "holds"
    assert finding.effect.estimate == pytest.approx(correlation(rows))
    assert finding.excess.estimate == pytest.approx(correlation(rows) - correlation(shuffled))


@pytest.mark.parametrize(
    ("values", "control", "word", "part"),
    [
        (SEVEN, AROUND_0, "holds", "control +0.1 [-1.2, 1.4]"),
        (SEVEN, AROUND_0 + 1.5, "holds", "control +1.6 [0.3, 2.9]"),  # it moves, and the effect exceeds it all the same
        (SEVEN, SEVEN + AROUND_0[::-1], "open", "The effect does not exceed its control"),
        (SEVEN, 8 * AROUND_0, "open", "The effect does not exceed its control"),
        (-SEVEN, AROUND_0 - 3, "contradicted", "lies wholly below 0, the claim says above."),
    ],
)
def test_a_control_can_only_take_a_holds_away(values, control, word, part):
    verdict = judge(a_claim(control="no cause"), seeds(values, control=seeds(control)))
    assert verdict.word == word
    assert part in verdict.sentence


@pytest.mark.parametrize("sign", [1, -1])
def test_without_its_positive_control_nothing_is_judged(sign):
    rule = a_claim(positive_control="scratch over the majority", at_least=3.0)
    shown = judge(rule, seeds(sign * SEVEN, positive_control=seeds(AROUND_0 + 5)))
    assert shown.word == ("holds" if sign > 0 else "contradicted")
    floor = judge(rule, seeds(sign * SEVEN, positive_control=seeds(AROUND_0 + 4)))
    assert floor.word == "cannot judge"
    assert "Scratch over the majority: +4.1 [2.8, 5.4], not above 3." in floor.sentence


def test_effect_minus_control_is_paired():
    shared = np.array([0.0, 10, -10, 5, -5, 2, -2])
    claim = a_claim(control="no cause")
    paired = judge(claim, seeds(SEVEN + shared, control=seeds(AROUND_0 + shared))).findings[0].excess
    assert paired == seed_interval(SEVEN - AROUND_0)
    with pytest.raises(CourseError, match="its control has other items or seeds"):
        judge(claim, seeds(SEVEN + shared, control=seeds(np.append(AROUND_0, 0.0))))


def test_small_and_open_effects_are_said_to_be_so():
    small = judge(a_claim(), seeds(SEVEN / 4))
    assert small.word == "holds"
    assert "Smaller than the 2 points called interesting beforehand." in small.sentence
    assert "an effect of 2 points is excluded" in judge(a_claim(), seeds(AROUND_0)).sentence
    assert "an effect of 2 points is still possible" in judge(a_claim(), seeds(3 * AROUND_0)).sentence


def test_exact_claims():
    claim = a_claim(EXACT)
    assert judge(claim, Exact(1e-6, "largest error")).word == "holds"
    wrong = judge(claim, Exact(2e-6, "largest error", detail="Row 3"))
    assert wrong.sentence == "contradicted: largest error 2e-06, more than 1e-06. Row 3."
    still = judge(claim, Exact(0.0, "largest error", holds=False))
    assert still.word == "contradicted"
    assert "what must move did not" in still.sentence


def test_of_several_conditions_all_must_hold_and_one_can_contradict():
    claim = a_claim(replace(RULE, name="few"), replace(RULE, name="many", kind="equivalence"))

    def word(few, many):
        return judge(claim, {"few": seeds(few), "many": seeds(many)}).word

    assert word(SEVEN, AROUND_0) == "holds"
    assert word(AROUND_0, AROUND_0) == "open"
    assert word(SEVEN, SEVEN) == "contradicted"
    assert word(-SEVEN, 3 * AROUND_0) == "contradicted"
    sentence = judge(claim, {"few": seeds(SEVEN, data="the world"), "many": seeds(AROUND_0)}).sentence
    few, many = "few holds: +4.0 points [2.7, 5.3]", "many holds: +0.1 points [-1.2, 1.4], inside ±2"
    assert sentence == f"holds: {few}; {many}. Measured on the world."


ITEMS, FLAT = Measurement(np.arange(31.0), "points"), np.full(7, 3.0)
EXACT = Rule("exact", "made up", "largest error", tolerance=1e-6)
test_a_measurement_may_not_change_the_design = mistakes(
    ((a_claim(), ITEMS), "seeds=False"),
    ((a_claim(varies="items", clusters="word"), ITEMS), "clusters=None"),
    ((a_claim(unit="rho"), seeds(SEVEN)), "the rule is in 'rho'"),
    ((a_claim(control="no cause"), seeds(SEVEN)), r"names a control \(no cause\)"),
    ((a_claim(), seeds(SEVEN, control=seeds(AROUND_0))), "names no control"),
    ((a_claim(positive_control="x", at_least=3.0), seeds(SEVEN)), "names a positive control"),
    ((a_claim(), seeds(SEVEN, positive_control=seeds(SEVEN))), "names no positive control"),
    ((a_claim(), seeds(SEVEN[:4])), "4 seeds are too few"),
    ((a_claim(), Exact(0.0, "points")), "wants Measurement"),
    ((a_claim(), seeds(np.append(SEVEN, np.nan))), "NaN or infinite"),
    ((a_claim(EXACT), Exact(float("nan"), "largest error")), "NaN"),
    ((a_claim(RULE, replace(RULE, name="many")), seeds(SEVEN)), "a dict with the conditions"),
    *(((a_claim(), seeds(flat)), "width zero.*exact") for flat in (FLAT, 0 * FLAT, FLAT / 30 + 1e-16)),
    ((a_claim(control="no cause"), seeds(SEVEN, control=seeds(FLAT))), "its control has an interval of width zero"),
    ((a_claim(varies="items"), Measurement(np.full(31, 2.0), "points")), "width zero"),
    of=lambda given: judge(*given),
)


def test_parts_are_shown_with_their_interval_and_never_judged():
    verdict = judge(
        a_claim(), seeds(SEVEN, parts={"top layer": seeds(-SEVEN), "ratio": 1.5}, baselines={"majority": 52.0})
    )
    assert verdict.parts["top layer"] == seed_interval(-SEVEN)
    assert verdict.parts["ratio"] == 1.5
    assert dict(verdict.baselines) == {"majority": 52.0}
    assert verdict.word == "holds"


@pytest.mark.parametrize("claim_id", list(all_claims()))
def test_every_claim_has_code_with_a_quick_and_a_full_profile(claim_id):
    code = find_code(claim_id)
    parameters = inspect.signature(code.function).parameters
    assert [name for name, parameter in parameters.items() if parameter.default is parameter.empty] == []
    assert set(code.full) <= set(parameters)


@pytest.fixture
def no_code(monkeypatch):
    monkeypatch.setattr(sys.modules["course.ledger.judge"], "_CODE", {})


def test_values_are_one_number_per_item_or_rows_with_a_statistic():
    assert Measurement([True, False], "points").values.dtype == np.float64
    assert Measurement([1, 2], "points", clusters=np.array(["a", "b"])).clusters == ["a", "b"]


test_other_shapes_are_named = mistakes(
    (lambda: Measurement(np.ones((2, 3)), "points"), r"shape \(2, 3\). Give one number"),
    (lambda: Measurement(np.ones(3), "rho", statistic=np.mean), r"shape \(3,\). Give rows"),
    (lambda: Measurement(np.ones(5), "points", seeds=True, clusters=range(5)), "no clusters and no statistic"),
)


def test_the_full_profile_changes_the_defaults_and_overrides_change_both(no_code):
    @claim("C0.4", full={"n": 7})
    def twins(*, n=2, width=3):
        return Exact(0.0, f"{n} {width}")

    assert twins(n=5).unit == "5 3"  # an ordinary function still
    code = find_code("C0.4")
    assert code.measure("quick").unit == "2 3"
    assert code.measure("full").unit == "7 3"
    assert code.measure("full", n=11, width=13).unit == "11 13"


def test_a_claim_is_measured_by_one_function(no_code):
    @claim("C1.1")
    def third(*, n=2):
        return None

    with pytest.raises(CourseError, match=r"C1\.1 is measured twice"):
        claim("C1.1")(lambda *, n=2: None)
    with pytest.raises(CourseError, match=r"C1\.99 has no code yet"):
        find_code("C1.99")
