"""What the ledger says of a claim: finding, verdict and card, in words, in numbers, and as HTML.

Every page and every report takes its sentences and numbers from here. The card needs neither script nor style sheet:
claim; verdicts, each a sign, a word and a colour; a forest plot of effects and controls, live and recorded; baselines,
parts and published values; the rule. Text stays text (it wraps, follows the theme, is read aloud), the plot is an
<img>: both survive untrusted notebooks, and where a page drops the picture the text holds all of its numbers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from course.ledger.forest_plot import COLOURS, WIDTH, Row, forest_svg
from course.ledger.rules import Claim, Reason, Rule, reasons
from course_lib.evaluation.intervals import Interval

NOT_MEASURED = "not measured yet"
_ALT = "The intervals above, drawn."
_FEW = 4  # numbers beside the verdict that are shown at once; more are folded away
_SIGNS = {"holds": "●", "contradicted": "✕", "open": "◇", "cannot judge": "–", NOT_MEASURED: "□"}


@dataclass(frozen=True)
class Finding:
    """One rule and what was found. An exact rule has an `error`, every other an `effect`."""

    rule: Rule
    word: str  # "holds", "contradicted", "open", "cannot judge"
    sentence: str = ""
    effect: Interval | None = None
    control: Interval | None = None
    excess: Interval | None = None  # effect minus control
    positive: Interval | None = None  # the positive control
    error: float | None = None
    moved: bool = True  # exact: what must move has moved
    detail: str = ""
    n: int = 0  # items or seeds
    n_clusters: int | None = None
    per_seed: tuple[float, ...] = ()

    @property
    def design(self) -> str:
        """312 occurrences in 9 clusters by word / 8 seeds / exact"""
        rule = self.rule
        if rule.kind == "exact":
            return "exact"
        clusters = f" in {self.n_clusters:,} clusters by {rule.clusters}" if self.n_clusters is not None else ""
        head, of, rest = rule.item.partition(" of ")
        return f"{self.n:,} {head}s{of}{rest}{clusters}"


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
        return Card(self.claim, live=self)._repr_mimebundle_()


@dataclass(frozen=True)
class Record:
    """A verdict of the full profile; run: command, profile, date, device, commit, code, versions, seconds."""

    verdict: Verdict
    run: Mapping[str, str]

    @property
    def outdated(self) -> bool:
        """The rule has changed since: the verdict is not the present rule's."""
        return tuple(finding.rule for finding in self.verdict.findings) != self.verdict.claim.rules


@dataclass(frozen=True)
class Card:
    """A claim with its live and its recorded verdict, either of which may be missing. A notebook draws it."""

    claim: Claim
    live: Verdict | None = None
    record: Record | None = None
    profile: str = "quick"  # of the live verdict

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What there is of "live" and "recorded"; the last one rests on more."""
        both = {"live": self.live, "recorded": self.record and self.record.verdict}
        return {name: verdict for name, verdict in both.items() if verdict is not None}

    @property
    def reason(self) -> Reason | None:
        """Why the verdict that rests on more does not hold, where that has been said."""
        words = [verdict.word for verdict in self.verdicts.values()]
        return reasons().get(self.claim.id) if words and words[-1] != "holds" else None

    def __repr__(self) -> str:
        """The card as text: what a terminal, a screen reader and an untrusted page get."""
        lines = [f"{self.claim.id} {self.claim.sentence}"]
        if self.live is not None:
            lines.append(f"live ({self.profile}): {self.live.sentence}")
        if self.record is not None:
            run = self.record.run
            outdated = " [judged by an earlier rule]" if self.record.outdated else ""
            lines.append(f"recorded ({run['date']}, {run['device']}): {self.record.verdict.sentence}{outdated}")
        if len(lines) == 1:
            lines.append(NOT_MEASURED)
        if self.reason:
            lines.append(f"the reason lies in the {self.reason.reason}: {self.reason.because}")
        lines += [f"published: {value.text} ({value.source})" for value in self.claim.published]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": card_html(self)}


# ---------------------------------------------------------------- words and numbers


def interval_text(interval: Interval, unit: str = "") -> str:
    """+3.1 points [1.2, 5.0]: two significant digits of the interval's half, which its width supports."""
    half = max(interval.width / 2, 1e-12)
    d = min(6, max(0, 1 - math.floor(math.log10(half))))
    # Rounded as the record keeps it, in six digits: a tie falls the same way live and recorded. Never -0.0.
    low, high, estimate = (
        round(float(f"{value:.6g}"), d) + 0.0 for value in (interval.low, interval.high, interval.estimate)
    )
    return f"{estimate:+.{d}f}" + (f" {unit}" if unit else "") + f" [{low:.{d}f}, {high:.{d}f}]"


def numbers(values: Mapping[str, float | str | Interval]) -> list[str]:
    """Baselines or parts, each with four significant digits, or its interval, or the text itself."""
    lines = []
    for label, value in values.items():
        if isinstance(value, Interval):
            value = interval_text(value)
        lines.append(f"{label} {value if isinstance(value, str) else f'{value:.4g}'}")
    return lines


def finding_sentence(finding: Finding) -> str:
    """The verdict of one rule with its numbers and, if open or small, the reason."""
    rule = finding.rule
    if rule.kind == "exact":
        return f"{finding.word}: {_exact_reason(finding)}"
    text = f"{finding.word}: {interval_text(finding.effect, rule.unit)}"
    if finding.word == "cannot judge":
        asked = rule.positive_control[:1].upper() + rule.positive_control[1:]
        return f"{text}. {asked}: {interval_text(finding.positive)}, not above {rule.at_least:g}."
    if rule.kind == "equivalence":
        reason = {
            "holds": f"inside ±{rule.delta:g}",
            "contradicted": f"wholly outside ±{rule.delta:g}",
            "open": f"reaches beyond ±{rule.delta:g}: neither equal nor different by that much",
        }[finding.word]
        return f"{text}, {reason}."
    control = f", control {interval_text(finding.control)}" if finding.control is not None else ""
    return f"{text}{control}. {_difference_reason(finding)}".strip()


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
    moved = "" if finding.moved else " But what must move did not."
    return f"{rule.unit} {finding.error:.3g}, {bound}.{moved}{detail}"


def _difference_reason(finding: Finding) -> str:
    rule, effect = finding.rule, finding.effect
    side, other = ("above", "below") if rule.side == "greater" else ("below", "above")
    zero = f"{rule.threshold:g}"
    size = f"{rule.delta:g} {rule.unit}"
    low, high = sorted(rule.sign * end for end in (effect.low, effect.high))
    if finding.word == "contradicted":
        return f"The interval lies wholly {other} {zero}, the claim says {side}."
    if finding.word == "holds":
        small = rule.sign * effect.estimate < rule.delta
        return f"Smaller than the {size} called interesting beforehand." if small else ""
    if rule.sign * rule.threshold < low:  # the control took the verdict away
        return f"The effect does not exceed its control: difference {interval_text(finding.excess)}."
    reach = f"{size} is still possible" if high >= rule.delta else f"{size} is excluded"
    return f"The interval contains {zero}; an effect of {reach}."


# ---------------------------------------------------------------- HTML


def card_html(card: Card) -> str:
    """The card. Whatever stands in names, data and notes is text, never markup."""
    claim, verdicts = card.claim, card.verdicts
    lines = [f"<b>{escape(claim.id)}</b>&ensp;<b>{escape(claim.sentence)}</b>"]
    lines += [_verdict_lines(name, verdict, card) for name, verdict in verdicts.items()] or [_sign(NOT_MEASURED)]
    if card.reason:
        lines.append(f"The reason lies in the <b>{card.reason.reason}</b>: {escape(card.reason.because)}")
    lines += [f"Published: {escape(value.text)} <i>({escape(value.source)})</i>" for value in claim.published]
    if rows := _rows(card):
        svg = base64.b64encode(forest_svg(rows, claim.rules[0].unit).encode()).decode()
        lines.append(f'<img src="data:image/svg+xml;base64,{svg}" width="{WIDTH}" style="max-width:100%" alt="{_ALT}">')
    for name, verdict in verdicts.items():
        lines += _numbers_html(name, verdict)
    lines += _origin(card)
    body = "".join(f'<div style="margin:3px 0">{line}</div>' for line in lines)
    colour = _colour([verdict.word for verdict in verdicts.values()][-1] if verdicts else NOT_MEASURED)
    box = f"border-left:5px solid {colour};padding:2px 12px;margin:4px 0;max-width:{WIDTH}px"
    return f'<div style="{box};line-height:1.45;font-size:13px">{body}{_rule(claim)}</div>'


def _colour(word: str) -> str:
    return COLOURS.get(word, "#9a9a9a")


def _sign(word: str) -> str:
    return f'<b><span style="color:{_colour(word)}">{_SIGNS[word]}</span> {word}</b>'


def _verdict_lines(name: str, verdict: Verdict, card: Card) -> str:
    """The word over all, then each finding with its numbers and reason."""
    how = f"{name}, {card.profile} profile" if name == "live" else name
    designs = "; ".join(dict.fromkeys(finding.design for finding in verdict.findings))
    on = f", on {verdict.data}" if verdict.data else ""
    lines = [f"{_sign(verdict.word)} ({escape(f'{how}{on}: {designs}')})"]
    for finding in verdict.findings:  # one condition says its own word; a single rule's has been said already
        name = finding.rule.name
        said = f"{name}: {finding.sentence}" if name else finding.sentence.removeprefix(f"{finding.word}: ")
        lines.append(f"&emsp;{escape(said)}")
    return "<br>".join(lines)


def _rows(card: Card) -> list[Row]:
    rows = []
    for rule in card.claim.rules:
        for name, verdict in card.verdicts.items():
            for finding in verdict.findings:
                if finding.rule.name != rule.name or finding.effect is None:
                    continue
                label = f"{rule.name}, {name}" if rule.name else name
                rows.append(Row(label, finding.effect, finding.word, rule.delta, rule.threshold))
                if finding.control is not None:
                    rows.append(Row("its control", finding.control, "", rule.delta))
    return rows


def _numbers_html(name: str, verdict: Verdict) -> list[str]:
    """Baselines, parts and the note of one verdict."""
    lines = []
    for title, values in (("Baselines", verdict.baselines), ("Without verdict", verdict.parts)):
        shown = list(map(escape, numbers(values)))
        if len(shown) > _FEW:
            fold = f"<summary>{title} ({name}): {len(shown)} numbers</summary>{'<br>'.join(shown)}"
            lines.append(f"<details>{fold}</details>")
        elif shown:
            lines.append(f"{title} ({name}): {'; '.join(shown)}")
    return lines + ([escape(verdict.note)] if verdict.note else [])


def _origin(card: Card) -> list[str]:
    """How the recorded value was made, and how to make it again."""
    command = f"<code>{escape(card.claim.command)}</code>"
    if card.record is None:
        return [f"Nothing recorded yet: {command}"]
    run = card.record.run
    lines = [escape(f"Recorded {run['date']} on {run['device']}, commit {run['commit']}.") + f" Again: {command}"]
    if card.record.outdated:
        lines.append("<b>The rule has changed since: this verdict is the earlier rule's. Record it again.</b>")
    return lines


def _rule(claim: Claim) -> str:
    lines = []
    for rule in claim.rules:
        name = f"<b>{escape(rule.name)}</b>: " if rule.name else ""
        lines.append(name + escape(rule.text))
    why = f" It was chosen so since: {claim.delta_why}." if claim.delta_why else ""
    source = escape(f"{why} Source: {claim.source}.")
    return f"<details><summary>Rule, fixed before measuring</summary>{'<br>'.join(lines)}<br>{source}</details>"
