"""What the ledger says of a claim: finding, verdict and card, in words, in numbers, and as HTML.

Every page and every report takes its sentences and numbers from here. The card needs neither script nor style sheet:
claim; verdicts, each a sign, a word and a colour; a forest plot of effects and controls, live and recorded; baselines,
parts and published values; the rule. Text stays text (it wraps, follows the theme, is read aloud), the plot is an
<img>: both survive untrusted notebooks, and where a page drops the picture the text holds all of its numbers.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from course.ledger.forest_plot import COLOURS, WIDTH, Row, forest_svg
from course.ledger.rules import Claim, Reason, Rule, reasons
from course_lib.evaluation.intervals import Interval
from course_lib.language import key, language, t, t_label

Word = Literal["holds", "contradicted", "open", "cannot judge"]
NOT_MEASURED = "not measured yet"
_FEW = 4  # numbers beside the verdict that are shown at once; more are folded away
# what is said of a verdict, where it comes from, and where the reason lies that it does not hold
WORDS = {
    "holds": key("holds"),
    "contradicted": key("contradicted"),
    "open": key("verdict|open"),
    "cannot judge": key("cannot judge"),
    NOT_MEASURED: key("not measured yet"),
    "exact identity": key("exact identity"),
    "damaged record": key("damaged record"),
    "live": key("card|live"),
    "yours": key("your judge"),
    "the course's": key("the course's judge"),
    "recorded": key("card|recorded"),
    "quick": key("profile|quick"),
    "full": key("profile|full"),
    "field": key("reason|field"),
    "scale": key("reason|scale"),
    "test": key("reason|test"),
}
_SIGNS = {"holds": "●", "contradicted": "✕", "open": "◇", "cannot judge": "–", NOT_MEASURED: "□"}


@dataclass(frozen=True)
class Finding:
    """One rule and what was found. An exact rule has an `error`, every other an `effect`."""

    rule: Rule
    word: Word
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
    def sentence(self) -> str:
        """The verdict of this rule with its numbers and, if open or small, the reason."""
        rule = self.rule
        word = t(WORDS[self.word])
        if rule.kind == "exact":
            return f"{word}: {_exact_reason(self)}"
        text = f"{word}: {interval_text(self.effect, rule.amount)}"
        if self.word == "cannot judge":
            asked = t(rule.positive_control)
            values = {"asked": asked[:1].upper() + asked[1:], "interval": interval_text(self.positive)}
            return f"{text}. {t('{asked}: {interval}, not above {least}.', least=f'{rule.at_least:g}', **values)}"
        if rule.kind == "equivalence":
            return f"{text}, {t(_EQUIVALENCE[self.word], delta=f'±{rule.delta:g}')}."
        if self.control is not None:
            text += t(", control {interval}", interval=interval_text(self.control))
        return f"{text}. {_difference_reason(self)}".strip()

    @property
    def design(self) -> str:
        """312 occurrences in 9 clusters by word / 8 seeds / exact"""
        rule = self.rule
        if rule.kind == "exact":
            return t("kind|exact")
        head, of, rest = rule.item.partition(" of ")
        item = f"{head}s{of}{rest}" if language() == "en" else t(rule.item)
        if self.n_clusters is None:
            return t("{n} {item}", n=f"{self.n:,}", item=item)
        values = {"n": f"{self.n:,}", "item": item, "m": f"{self.n_clusters:,}", "clusters": t(rule.clusters)}
        return t("{n} {item} in {m} clusters by {clusters}", **values)


@dataclass(frozen=True)
class Verdict:
    """What the ledger says about a claim after one measurement. A notebook shows it as a card."""

    claim: Claim
    word: Word
    findings: tuple[Finding, ...]
    baselines: Mapping[str, float] = field(default_factory=dict)
    parts: Mapping[str, float | str | Interval] = field(default_factory=dict)
    data: str = ""
    note: str = ""

    @property
    def sentence(self) -> str:
        """The verdict over all rules, in the reader's language; a verdict on the world names the world."""
        where = f" {t('Measured on {data}.', data=t_label(self.data))}" if self.data else ""
        if len(self.findings) == 1:
            return self.findings[0].sentence + where
        inner = "; ".join(f"{t(finding.rule.name)} {finding.sentence.rstrip('.')}" for finding in self.findings)
        return f"{t(WORDS[self.word])}: {inner}.{where}"

    def __repr__(self) -> str:
        return f"{self.claim.id} {self.sentence}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        return Card(self.claim, live=self)._repr_mimebundle_()


@dataclass(frozen=True)
class Record:
    """A verdict of the full profile; run: command, profile, date, device, commit, versions, seconds."""

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
    by: str = "live"  # or "yours", "the course's": whose judge has come to it, from what was recorded

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """What there is of live and recorded; the last one rests on more."""
        both = {self.by: self.live, "recorded": self.record and self.record.verdict}
        return {name: verdict for name, verdict in both.items() if verdict is not None}

    @property
    def reason(self) -> Reason | None:
        """Why the verdict that rests on more does not hold, where that has been said."""
        words = [verdict.word for verdict in self.verdicts.values()]
        return reasons().get(self.claim.id) if words and words[-1] != "holds" else None

    def __repr__(self) -> str:
        """The card as text: what a terminal, a screen reader and an untrusted page get."""
        lines = [f"{self.claim.id} {t(self.claim.sentence)}"]
        if self.live is not None:
            profile = f" ({t(WORDS[self.profile])})" if self.by == "live" else ""
            lines.append(f"{t(WORDS[self.by])}{profile}: {self.live.sentence}")
        if self.record is not None:
            run = self.record.run
            outdated = f" {t('[judged by an earlier rule]')}" if self.record.outdated else ""
            made = f"{t(WORDS['recorded'])} ({run['date']}, {run['device']})"
            lines.append(f"{made}: {self.record.verdict.sentence}{outdated}")
        if len(lines) == 1:
            lines.append(t(WORDS[NOT_MEASURED]))
        if self.reason:
            values = {"where": t(WORDS[self.reason.reason]), "because": t(self.reason.because)}
            lines.append(t("we see the reason in the {where}: {because}", **values))
        lines += [f"{t('published')}: {value}" for value in self.claim.published]
        return "\n".join(lines)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": repr(self), "text/html": card_html(self)}


# ---------------------------------------------------------------- words and numbers


def interval_text(interval: Interval, amount: Callable[[str], str] = str) -> str:
    """+3.1 points [1.2, 5.0], `amount` adding the unit: two digits of the interval's half, which its width supports."""
    half = max(interval.width / 2, 1e-12)
    d = min(6, max(0, 1 - math.floor(math.log10(half))))
    # Rounded as the record keeps it, in six digits: a tie falls the same way live and recorded. Never -0.0.
    low, high, estimate = (
        round(float(f"{value:.6g}"), d) + 0.0 for value in (interval.low, interval.high, interval.estimate)
    )
    return f"{amount(f'{estimate:+.{d}f}')} [{low:.{d}f}, {high:.{d}f}]"


def numbers(values: Mapping[str, float | str | Interval]) -> list[str]:
    """Baselines or parts, each with four significant digits, or its interval, or the text itself."""
    lines = []
    for label, value in values.items():
        if isinstance(value, Interval):
            value = interval_text(value)
        lines.append(f"{t_label(label)} {t_label(value) if isinstance(value, str) else f'{value:.4g}'}")
    return lines


_EQUIVALENCE = {
    "holds": key("inside {delta}"),
    "contradicted": key("wholly outside {delta}"),
    "open": key("reaches beyond {delta}: neither equal nor different by that much"),
}


def _exact_reason(finding: Finding) -> str:
    rule, detail = finding.rule, f" {t_label(finding.detail).rstrip('.')}." if finding.detail else ""
    if rule.tolerance:
        within = finding.error <= rule.tolerance
        bound = t("at most {error}" if within else "more than {error}", error=f"{rule.tolerance:g}")
    else:
        bound = t("as it must be") if finding.error == 0 else t("where 0 is due")
    moved = "" if finding.moved else f" {t('But what must move did not.')}"
    return f"{t(rule.unit)} {finding.error:.3g}, {bound}.{moved}{detail}"


def _difference_reason(finding: Finding) -> str:
    rule, effect = finding.rule, finding.effect
    zero = f"{rule.threshold:g}"
    size = rule.amount(f"{rule.delta:g}")
    low, high = sorted(rule.sign * end for end in (effect.low, effect.high))
    if finding.word == "contradicted":
        if rule.side == "greater":
            return t("The interval lies wholly below {zero}, the claim says above.", zero=zero)
        return t("The interval lies wholly above {zero}, the claim says below.", zero=zero)
    if finding.word == "holds":
        small = rule.sign * effect.estimate < rule.delta
        return t("Smaller than the {size} called interesting beforehand.", size=size) if small else ""
    if rule.sign * rule.threshold < low:  # the control took the verdict away
        excess = interval_text(finding.excess)
        return t("The effect does not exceed its control: difference {interval}.", interval=excess)
    if high >= rule.delta:
        return t("The interval contains {zero}; an effect of {size} is still possible.", zero=zero, size=size)
    return t("The interval contains {zero}; an effect of {size} is excluded.", zero=zero, size=size)


# ---------------------------------------------------------------- HTML


def card_html(card: Card) -> str:
    """The card. Whatever stands in names, data and notes is text, never markup."""
    claim, verdicts = card.claim, card.verdicts
    lines = [f"<b>{escape(claim.id)}</b>&ensp;<b>{escape(t(claim.sentence))}</b>"]
    lines += [_verdict_lines(name, verdict, card) for name, verdict in verdicts.items()] or [_sign(NOT_MEASURED)]
    if card.reason:
        values = {"where": f"<b>{t(WORDS[card.reason.reason])}</b>", "because": escape(t(card.reason.because))}
        lines.append(t("We see the reason in the {where}: {because}", **values))
    published = t("Published")
    lines += [f"{published}: {escape(t(value.text))} <i>({escape(t(value.source))})</i>" for value in claim.published]
    if rows := _rows(card):
        svg = base64.b64encode(forest_svg(rows, t(claim.rules[0].unit)).encode()).decode()
        alt = t("The intervals above, drawn.")
        lines.append(f'<img src="data:image/svg+xml;base64,{svg}" width="{WIDTH}" style="max-width:100%" alt="{alt}">')
    for name, verdict in verdicts.items():
        lines += _numbers_html(name, verdict)
    lines += _origin(card)
    body = "".join(f'<div style="margin:3px 0">{line}</div>' for line in lines)
    colour = _colour([verdict.word for verdict in verdicts.values()][-1] if verdicts else NOT_MEASURED)
    box = f"border-left:5px solid {colour};padding:2px 12px;margin:4px 0;max-width:{WIDTH}px"
    box += ";word-break:keep-all;overflow-wrap:anywhere" if language() == "ko" else ""  # lines end between words
    return f'<div style="{box};line-height:1.45;font-size:13px">{body}{_rule(claim)}</div>'


def _sign(word: str) -> str:
    return f'<b><span style="color:{_colour(word)}">{_SIGNS[word]}</span> {t(WORDS[word])}</b>'


def _colour(word: str) -> str:
    return COLOURS.get(word, "#9a9a9a")


def _verdict_lines(name: str, verdict: Verdict, card: Card) -> str:
    """The word over all, then each finding with its numbers and reason."""
    how = t(WORDS[name])
    if name == "live":
        how += f", {t('{profile} profile', profile=t(WORDS[card.profile]))}"
    designs = "; ".join(dict.fromkeys(finding.design for finding in verdict.findings))
    on = t(", on {data}", data=t_label(verdict.data)) if verdict.data else ""
    lines = [f"{_sign(verdict.word)} ({escape(f'{how}{on}: {designs}')})"]
    for finding in verdict.findings:  # one condition says its own word; a single rule's has been said already
        name, said = finding.rule.name, finding.sentence
        said = f"{t(name)}: {said}" if name else said.removeprefix(f"{t(WORDS[finding.word])}: ")
        lines.append(f"&emsp;{escape(said)}")
    return "<br>".join(lines)


def _rows(card: Card) -> list[Row]:
    rows = []
    for rule in card.claim.rules:
        for name, verdict in card.verdicts.items():
            for finding in verdict.findings:
                if finding.rule.name != rule.name or finding.effect is None:
                    continue
                label = f"{t(rule.name)}, {t(WORDS[name])}" if rule.name else t(WORDS[name])
                rows.append(Row(label, finding.effect, finding.word, rule.delta, rule.threshold))
                if finding.control is not None:
                    rows.append(Row(t("its control"), finding.control, "", rule.delta))
    return rows


def _numbers_html(name: str, verdict: Verdict) -> list[str]:
    """Baselines, parts and the note of one verdict."""
    lines = []
    name = t(WORDS[name])
    for title, values in ((t("Baselines"), verdict.baselines), (t("Without verdict"), verdict.parts)):
        shown = list(map(escape, numbers(values)))
        if len(shown) > _FEW:
            head = t("{title} ({how}): {n} numbers", title=title, how=name, n=len(shown))
            lines.append(f"<details><summary>{head}</summary>{'<br>'.join(shown)}</details>")
        elif shown:
            lines.append(f"{title} ({name}): {'; '.join(shown)}")
    return lines + ([escape(t_label(verdict.note))] if verdict.note else [])


def _origin(card: Card) -> list[str]:
    """How the recorded value was made, and how to make it again."""
    command = f"<code>{escape(card.claim.command)}</code>"
    if card.record is None:
        return [t("Nothing recorded yet: {command}", command=command)]
    how = {name: card.record.run[name] for name in ("date", "device", "commit")}
    made = escape(t("Recorded {date} on {device}, commit {commit}.", **how))
    lines = [f"{made} {t('Again: {command}', command=command)}"]
    if card.record.outdated:
        says = t("The rule has changed since: this verdict is the earlier rule's. Record it again.")
        lines.append(f"<b>{says}</b>")
    return lines


def _rule(claim: Claim) -> str:
    lines = []
    for rule in claim.rules:
        name = f"<b>{escape(t(rule.name))}</b>: " if rule.name else ""
        lines.append(name + escape(rule.text))
    why = f" {t('It was chosen so since: {why}.', why=t(claim.delta_why))}" if claim.delta_why else ""
    source = escape(f"{why} {t('Source: {source}.', source=t(claim.source))}")
    head = t("Rule")
    return f"<details><summary>{head}</summary>{'<br>'.join(lines)}<br>{source}</details>"
