"""What the judge says: a finding for each rule of a claim, the verdict over them, and both in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from course.ledger.claims import Claim, Rule
from course_lib.evaluation.intervals import Interval


@dataclass(frozen=True)
class Finding:
    """One rule and what was found. An exact rule has an `error`, every other an `effect`."""

    rule: Rule
    word: str  # "holds", "contradicted", "open"
    sentence: str = ""
    effect: Interval | None = None
    control: Interval | None = None
    excess: Interval | None = None  # effect minus control
    error: float | None = None
    moved: bool = True  # exact: what must move has moved
    detail: str = ""
    n: int = 0  # items or seeds
    n_clusters: int | None = None
    per_seed: tuple[float, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """What the ledger says about a claim after one measurement. A notebook shows it as a card."""

    claim: Claim
    word: str
    sentence: str
    findings: tuple[Finding, ...]
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Interval] = field(default_factory=dict)
    data: str = ""
    note: str = ""

    def __repr__(self) -> str:
        return f"{self.claim.id} {self.sentence}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from course.ledger.ledger import Card

        return Card(self.claim, live=self)._repr_mimebundle_()


def decimals(interval: Interval) -> int:
    """Digits after the point that the interval's width supports: two significant digits of its half."""
    half = max(interval.width / 2, 1e-12)
    return min(6, max(0, 1 - math.floor(math.log10(half))))


def interval_text(interval: Interval, unit: str = "") -> str:
    """+3.1 points [1.2, 5.0]"""
    d = decimals(interval)
    estimate = f"{_round(interval.estimate, d):+.{d}f}" + (f" {unit}" if unit else "")
    return f"{estimate} [{_round(interval.low, d):.{d}f}, {_round(interval.high, d):.{d}f}]"


def number_text(value: float | str | Interval) -> str:
    """A baseline or a part: four significant digits, or its interval, or the text itself."""
    if isinstance(value, Interval):
        return interval_text(value)
    return value if isinstance(value, str) else f"{value:.4g}"


def design_text(finding: Finding) -> str:
    """312 occurrences in 9 clusters by word / 8 seeds / exact"""
    rule = finding.rule
    if rule.kind == "exact":
        return "exact"
    clusters = f" in {finding.n_clusters:,} clusters by {rule.clusters}" if finding.n_clusters is not None else ""
    return f"{finding.n:,} {_plural(rule.item)}{clusters}"


def finding_sentence(finding: Finding) -> str:
    """The verdict of one rule with its numbers and, if open or small, the reason."""
    rule = finding.rule
    if rule.kind == "exact":
        return f"{finding.word}: {_exact_reason(finding)}"
    if rule.kind == "equivalence":
        return f"{finding.word}: {interval_text(finding.effect, rule.unit)}, {_equivalence_reason(finding)}."
    text = f"{finding.word}: {interval_text(finding.effect, rule.unit)}"
    if finding.control is not None:
        text += f", control {interval_text(finding.control)}"
    return f"{text}. {_difference_reason(finding)}".strip()


def verdict_sentence(word: str, findings: Sequence[Finding], data: str) -> str:
    """The verdict over all rules; a verdict on the world names the world."""
    where = f" Measured on {data}." if data else ""
    if len(findings) == 1:
        return findings[0].sentence + where
    inner = "; ".join(f"{finding.rule.name} {finding.sentence.rstrip('.')}" for finding in findings)
    return f"{word}: {inner}.{where}"


def _exact_reason(finding: Finding) -> str:
    rule, detail = finding.rule, f" {finding.detail.rstrip('.')}." if finding.detail else ""
    if rule.tolerance:
        bound = f"{'at most' if finding.error <= rule.tolerance else 'more than'} {rule.tolerance:g}"
    else:
        bound = "as it must be" if finding.error == 0 else "where 0 is due"
    text = f"{rule.unit} {finding.error:.3g}, {bound}."
    return text + ("" if finding.moved else " But what must move did not.") + detail


def _equivalence_reason(finding: Finding) -> str:
    delta = f"±{finding.rule.delta:g}"
    if finding.word == "holds":
        return f"inside {delta}"
    if finding.word == "contradicted":
        return f"wholly outside {delta}"
    return f"reaches beyond {delta}: neither equal nor different by that much"


def _difference_reason(finding: Finding) -> str:
    rule, effect = finding.rule, finding.effect
    side, other = ("above", "below") if rule.side == "greater" else ("below", "above")
    zero = f"{rule.threshold:g}"
    size = f"{rule.delta:g} {rule.unit}"
    low, high = sorted(rule.sign * end for end in (effect.low, effect.high))
    if finding.word == "contradicted":
        return f"The interval lies wholly {other} {zero}, the claim says {side}." + _control_moves(finding, " The")
    if finding.word == "holds":
        small = rule.sign * effect.estimate < rule.delta
        return f"Smaller than the {size} called interesting beforehand." if small else ""
    if rule.sign * rule.threshold < low:  # the control took the verdict away
        moves = _control_moves(finding, "The")
        return moves or f"The effect does not exceed its control: difference {interval_text(finding.excess)}."
    reach = f"{size} is still possible" if high >= rule.delta else f"{size} is excluded"
    return f"The interval contains {zero}; an effect of {reach}."


def _control_moves(finding: Finding, start: str) -> str:
    control = finding.control
    if control is None or control.low <= 0 <= control.high:
        return ""
    too = "too" if control.estimate * finding.effect.estimate > 0 else "the other way"
    return f"{start} control moves {too}: {interval_text(control)} does not contain 0."


def _round(value: float, d: int) -> float:
    """As the record keeps it, in six digits: a tie falls the same way live and recorded. Never -0.0."""
    return round(float(f"{value:.6g}"), d) + 0.0


def _plural(noun: str) -> str:
    head, _, rest = noun.partition(" of ")
    return f"{head}s of {rest}" if rest else f"{noun}s"
