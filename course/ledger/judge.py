"""The judge: what a claim's function measures, and a claim's rule and a measurement in, a verdict out.

    @claim("C4.5", full={"senses": ("coarsewsd20", "senseval_4words")})
    def upper_layer_knows_senses(*, senses=("handmade",), encoder="bilm-en") -> Measurement:
        ...
        return Measurement(100 * (upper - window), "points", clusters=words, control=shuffled, data="handmade senses")

The defaults are the quick profile, `full` is what the recorded profile changes. A claim with conditions returns a dict
{condition: Measurement}, an exact one an Exact. Such a function prints and judges nothing.

A difference holds when its 95 % interval lies wholly on the claim's side, is contradicted when wholly on the other,
and is open otherwise. No or little difference holds when the interval lies inside +-delta, and is contradicted when
wholly outside. A control can only take a `holds` away: if the interval of the excess, effect minus control, reaches 0,
the claim is open. A positive control says whether there is anything to judge: at the floor, or where the cause was not
learned, the verdict is "cannot judge". Of several conditions all must hold, and one can contradict.

With no effect a single verdict is false (holds or contradicted) in 5 of 100 cases: some fifty claims bring one or
two.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from course.chapters import FOLDER as CHAPTERS
from course.ledger.card import Finding, Verdict
from course.ledger.rules import Claim, Rule, chapter_of, get_claim
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval, bootstrap_interval, seed_interval

MIN_SEEDS = 5
MIN_GROUPS = 8  # items or clusters: with 4 or 5 of them 10 to 13 of 100 verdicts are false, with 8 about 8
RESAMPLES, RESAMPLES_STATISTIC = 10_000, 1_000  # means are resampled at once, any other statistic one by one


@dataclass(frozen=True, eq=False)
class Measurement:
    """Paired differences, system minus baseline: one per test item, or one per seed.

    values     [item] or [seed]; or rows [item, column] with a `statistic` of rows, as the correlation of two columns
    unit       as in the claim's rule
    clusters   one id per item: items that share a word, a sentence, a document
    seeds      True: the values are one difference per seed (both systems trained with it)
    statistic  rows -> number; None is the mean. The same items in the control: same rows, same order
    control    the same measured with the cause removed
    positive_control  what must lie above the rule's `at_least`, or nothing can be judged; items or seeds of its own
    baselines  {name: score}, and parts {name: number, text or Measurement}: shown, not judged
    data       what it was measured on, named in the verdict ("the world", "UD English EWT")
    """

    values: Sequence[float] | np.ndarray
    unit: str
    clusters: Sequence | None = None
    seeds: bool = False
    statistic: Callable[[np.ndarray], float] | None = None
    control: Measurement | None = None
    positive_control: Measurement | None = None
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Measurement] = field(default_factory=dict)
    data: str = ""
    note: str = ""

    def __post_init__(self) -> None:
        values = np.asarray(self.values, dtype=np.float64)
        if values.ndim != (1 if self.statistic is None else 2):
            wanted = "one number per item or seed" if self.statistic is None else "rows [item, column]"
            raise CourseError(f"Measurement got values of shape {values.shape}. Give {wanted}.")
        if self.seeds and (self.clusters is not None or self.statistic is not None):
            raise CourseError(
                "Measurement: seeds=True takes one number per seed, no clusters and no statistic. Compute it per seed."
            )
        object.__setattr__(self, "values", values)
        if self.clusters is not None:
            ids = self.clusters.tolist() if isinstance(self.clusters, np.ndarray) else list(self.clusters)
            object.__setattr__(self, "clusters", ids)


def by_seed(values: Sequence[float] | np.ndarray, unit: str = "points", **more) -> Measurement:
    """One difference per seed, with which both systems were trained. more: what else a Measurement has."""
    return Measurement(values, unit, seeds=True, **more)


@dataclass(frozen=True)
class Exact:
    """For a claim that holds or not, without chance: the largest error, and whether what must move has moved."""

    error: float
    unit: str
    holds: bool = True  # the other side of the law: False if something stayed that had to change
    detail: str = ""
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Measurement] = field(default_factory=dict)
    data: str = ""
    note: str = ""


Measured = Measurement | Exact | dict[str, Measurement | Exact]


def means(label: str, scores: Mapping, columns: Iterable | None = None) -> dict[str, float]:
    """Parts or baselines: the mean of each entry of `scores`, under the label with the entry's name in place of {}.

    columns  the entries are rows, one for each of them: a mean for each row, the column in place of the second {}
    """
    if columns is None:
        return {label.format(name): float(np.mean(values)) for name, values in scores.items()}
    rows = {(name, c): row for name, values in scores.items() for c, row in zip(columns, values, strict=True)}
    return {label.format(*place): float(np.mean(row)) for place, row in rows.items()}


@dataclass(frozen=True)
class ClaimCode:
    """A claim's function with the arguments that the full profile changes."""

    function: Callable[..., Measured]
    full: Mapping[str, object]

    def measure(self, profile: str, **overrides) -> Measured:
        return self.function(**((dict(self.full) if profile == "full" else {}) | overrides))


_CODE: dict[str, ClaimCode] = {}


def claim(claim_id: str, *, full: Mapping[str, object] | None = None) -> Callable:
    """Decorator: this function measures that claim. It stays an ordinary function."""

    def register(function: Callable[..., Measured]) -> Callable[..., Measured]:
        old = _CODE.get(claim_id)
        names = [f"{f.__module__}.{f.__qualname__}" for f in (old.function if old else function, function)]
        if names[0] != names[1]:  # a reloaded module replaces its own
            raise CourseError(f"Claim {claim_id} is measured twice, by {' and '.join(names)}. Keep one.")
        _CODE[claim_id] = ClaimCode(function, full or {})
        return function

    return register


def find_code(claim_id: str) -> ClaimCode:
    """The code of a claim, in `course/chapters/chNN/claims*.py`."""
    folder = CHAPTERS / f"ch{chapter_of(claim_id):02}"
    for module in pkgutil.iter_modules([str(folder)]):
        if module.name.startswith("claims"):
            importlib.import_module(f"course.chapters.{folder.name}.{module.name}")
    if claim_id not in _CODE:
        place = f"course/chapters/{folder.name}/claims.py"
        raise CourseError(f"Claim {claim_id} has no code yet. Write a function with @claim({claim_id!r}) in {place}.")
    return _CODE[claim_id]


def judge(claim: Claim | str, measured: Measured) -> Verdict:
    """Judge a measurement by the claim's rule; the same measurement has the same verdict.

    Raises CourseError if the measurement is not of the kind that the rule fixed (unit, items or seeds, clusters,
    control, conditions), is too small, has NaN, or has an interval of width zero.
    """
    claim = get_claim(claim) if isinstance(claim, str) else claim
    conditions = _conditions(claim, measured)
    findings = []
    for rule in claim.rules:
        try:
            findings.append(_judge_rule(rule, conditions[rule.name]))
        except CourseError as error:
            where = f"Claim {claim.id}" + (f", condition {rule.name!r}" if rule.name else "")
            raise CourseError(f"{where}: {error}") from error
    words = {finding.word for finding in findings}
    return Verdict(
        claim,
        next(word for word in ("contradicted", "cannot judge", "open", "holds") if word in words),
        tuple(findings),
        baselines=_merged(conditions, "baselines"),
        parts={
            name: effect_interval(part) if isinstance(part, Measurement) else part
            for name, part in _merged(conditions, "parts").items()
        },
        data="; ".join(dict.fromkeys(one.data for one in conditions.values() if one.data)),
        note=" ".join(one.note for one in conditions.values() if one.note),
    )


def difference_word(interval: Interval, rule: Rule) -> str:
    """Where the whole interval lies, seen from the claim's side of the threshold."""
    low, high = sorted(rule.sign * (end - rule.threshold) for end in (interval.low, interval.high))
    return "holds" if low > 0 else "contradicted" if high < 0 else "open"


def equivalence_word(interval: Interval, delta: float) -> str:
    """Where the interval lies, seen from -delta .. +delta."""
    if -delta < interval.low and interval.high < delta:
        return "holds"
    return "contradicted" if interval.low > delta or interval.high < -delta else "open"


def _judge_rule(rule: Rule, measured: Measurement | Exact) -> Finding:
    """The verdict of one rule with its intervals. CourseError where the measurement is not what the rule fixed."""
    if measured.unit != rule.unit:
        raise CourseError(f"measured in {measured.unit!r}, but the rule is in {rule.unit!r}. Convert, then judge.")
    if isinstance(measured, Exact):
        if math.isnan(measured.error):
            raise CourseError("the error is NaN. Find out why before judging.")
        right = measured.error <= rule.tolerance and measured.holds
        word = "holds" if right else "contradicted"
        return Finding(rule, word, error=float(measured.error), moved=bool(measured.holds), detail=measured.detail)
    for name, told in (("control", rule.control), ("positive control", rule.positive_control)):
        option = name.replace(" ", "_")
        if bool(told) != (getattr(measured, option) is not None):
            wanted = f"a {name} ({told})" if told else f"no {name}"
            raise CourseError(f"the rule names {wanted}. Give Measurement(..., {option}=...) exactly then.")
    effect = _judged_interval(rule, measured)
    control = excess = positive = None
    if rule.control:
        control = _judged_interval(rule, measured.control, "its control")
        excess = excess_interval(measured)
    if rule.positive_control:
        positive = effect_interval(measured.positive_control)
    return Finding(
        rule,
        verdict_word(rule, effect, excess, positive),
        effect=effect,
        control=control,
        excess=excess,
        positive=positive,
        n=len(measured.values),
        n_clusters=None if measured.clusters is None else len(set(measured.clusters)),
        per_seed=tuple(measured.values.tolist()) if measured.seeds else (),
    )


def verdict_word(rule: Rule, effect: Interval, excess: Interval | None, positive: Interval | None) -> str:
    """The verdict of one rule from its intervals: effect, effect less control, positive control."""
    if positive is not None and positive.low <= rule.at_least:
        return "cannot judge"
    if rule.kind == "equivalence":
        return equivalence_word(effect, rule.delta)
    word = difference_word(effect, rule)
    spoilt = word == "holds" and excess is not None and difference_word(excess, replace(rule, threshold=0.0)) != "holds"
    return "open" if spoilt else word


def _conditions(claim: Claim, measured: Measured) -> dict[str, Measurement | Exact]:
    """{condition name: measurement}; a claim with one rule has one condition without a name."""
    conditions = measured if isinstance(measured, dict) else {"": measured}
    names = [rule.name for rule in claim.rules]
    if set(conditions) != set(names):
        wanted = "one measurement" if names == [""] else f"a dict with the conditions {', '.join(map(repr, names))}"
        got = f"a dict with {', '.join(map(repr, conditions))}" if isinstance(measured, dict) else "one measurement"
        raise CourseError(f"Claim {claim.id}: its rule wants {wanted}, but its code returned {got}.")
    for rule in claim.rules:
        wanted, got = Exact if rule.kind == "exact" else Measurement, type(conditions[rule.name])
        if got is not wanted:
            raise CourseError(
                f"Claim {claim.id}: a rule of kind {rule.kind!r} wants {wanted.__name__}, but its code returned "
                f"{got.__name__}."
            )
    return conditions


def _judged_interval(rule: Rule, measured: Measurement, what: str = "it") -> Interval:
    """The interval of what decides. The design was fixed with the rule: a measurement may not choose it afterwards."""
    if measured.seeds != (rule.varies == "seeds"):
        raise CourseError(f"the rule says that {rule.varies} vary, but {what} came with seeds={measured.seeds}.")
    if (measured.clusters is None) == bool(rule.clusters):
        wanted = f"one cluster per {rule.clusters}" if rule.clusters else "no clusters"
        raise CourseError(f"the rule wants {wanted}, but {what} came with clusters={measured.clusters!r:.60}.")
    groups = len(measured.values) if measured.clusters is None else len(set(measured.clusters))
    needed, noun = (MIN_SEEDS, "seeds") if measured.seeds else (MIN_GROUPS, "clusters" if rule.clusters else "items")
    if groups < needed:
        raise CourseError(f"{groups} {noun} are too few to judge {what}. Measure {needed} or more.")
    interval = effect_interval(measured)
    if interval.zero_width:
        raise CourseError(
            f"{what} has an interval of width zero: nothing varied around {interval.estimate:g}, so there is no "
            "evidence of spread. Vary seeds or items, take a quantity that is not at its ceiling, or state the claim "
            "as exact."
        )
    return interval


def _merged(conditions: Mapping[str, Measurement | Exact], key: str) -> dict:
    """Baselines or parts of all conditions; a name that two conditions use is told apart by the condition."""
    merged: dict = {}
    for name, measured in conditions.items():
        for label, value in getattr(measured, key).items():
            merged[f"{label} ({name})" if label in merged else label] = value
    return merged


def effect_interval(measured: Measurement) -> Interval:
    """95 % interval of the mean (or of `statistic`): Student's t over seeds, bootstrap over items or clusters."""
    if measured.seeds:
        return seed_interval(measured.values)
    n = RESAMPLES if measured.statistic is None else RESAMPLES_STATISTIC
    return bootstrap_interval(measured.values, clusters=measured.clusters, n=n, statistic=measured.statistic)


def excess_interval(measured: Measurement) -> Interval:
    """Interval of effect minus control, which come from the same items or seeds."""
    other, statistic = measured.control, measured.statistic
    if len(measured.values) != len(other.values) or measured.clusters != other.clusters:
        raise CourseError("its control has other items or seeds. Measure both on the same ones, in the same order.")
    if statistic is None:
        return effect_interval(replace(measured, values=measured.values - other.values))
    width = measured.values.shape[1]
    joint = replace(
        measured,
        values=np.hstack([measured.values, other.values]),
        statistic=lambda rows: statistic(rows[:, :width]) - statistic(rows[:, width:]),
    )
    return effect_interval(joint)
