"""The one standard card of a claim, as HTML that needs neither script nor style sheet.

Claim; verdicts, each a sign, a word and a colour; a forest plot of effects and controls, live and recorded; baselines,
parts and published values; the rule. Text stays text (it wraps, follows the theme, is read aloud), the plot is an
<img>: both survive untrusted notebooks, and where a page drops the picture the text holds all of its numbers.
"""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from course.ledger.forest_plot import COLOURS, WIDTH, Row, forest_svg
from course.ledger.verdict import Finding, Verdict, design_text, number_text

if TYPE_CHECKING:
    from course.ledger.ledger import Card

NOT_MEASURED = "not measured yet"
_ALT = "The intervals above, drawn."
_FEW = 4  # numbers beside the verdict that are shown at once; more are folded away
_SIGNS = {"holds": "●", "contradicted": "✕", "open": "◇", NOT_MEASURED: "□"}


def card_html(card: Card) -> str:
    """The card. Whatever stands in names, data and notes is text, never markup."""
    verdicts = _verdicts(card)
    word = verdicts[-1][1].word if verdicts else NOT_MEASURED  # the recorded verdict rests on more
    lines = [f"<b>{escape(card.claim.id)}</b>&ensp;<b>{escape(card.claim.sentence)}</b>"]
    lines += [_verdict_lines(name, verdict, card) for name, verdict in verdicts] or [_sign(NOT_MEASURED)]
    if rows := _rows(card):
        svg = base64.b64encode(forest_svg(rows, card.claim.rules[0].unit).encode()).decode()
        lines.append(f'<img src="data:image/svg+xml;base64,{svg}" width="{WIDTH}" style="max-width:100%" alt="{_ALT}">')
    for name, verdict in verdicts:
        lines += _shown(name, verdict)
    lines += _origin(card)
    lines += [f"Published: {escape(value.text)} <i>({escape(value.source)})</i>" for value in card.claim.published]
    body = "".join(f'<div style="margin:3px 0">{line}</div>' for line in lines)
    box = f"border-left:5px solid {COLOURS.get(word, '#9a9a9a')};padding:2px 12px;margin:4px 0;max-width:{WIDTH}px"
    return f'<div style="{box};line-height:1.45;font-size:13px">{body}{_rule(card)}</div>'


def _verdicts(card: Card) -> list[tuple[str, Verdict]]:
    pairs = [("live", card.live), ("recorded", card.record.verdict if card.record else None)]
    return [(name, verdict) for name, verdict in pairs if verdict is not None]


def _sign(word: str) -> str:
    return f'<b><span style="color:{COLOURS.get(word, "#9a9a9a")}">{_SIGNS[word]}</span> {word}</b>'


def _verdict_lines(name: str, verdict: Verdict, card: Card) -> str:
    """The word over all, then each finding with its numbers and reason."""
    how = f"{name}, {card.profile} profile" if name == "live" else name
    designs = "; ".join(dict.fromkeys(design_text(finding) for finding in verdict.findings))
    on = f", on {verdict.data}" if verdict.data else ""
    head = f"{_sign(verdict.word)} ({escape(f'{how}{on}: {designs}')})"
    return head + "".join(f"<br>&emsp;{_finding(finding)}" for finding in verdict.findings)


def _finding(finding: Finding) -> str:
    """One condition says its own word; a claim with a single rule has said it already."""
    if finding.rule.name:
        return f"{escape(finding.rule.name)}: {escape(finding.sentence)}"
    return escape(finding.sentence.removeprefix(f"{finding.word}: "))


def _rows(card: Card) -> list[Row]:
    rows = []
    for rule in card.claim.rules:
        for name, verdict in _verdicts(card):
            for finding in verdict.findings:
                if finding.rule.name != rule.name or finding.effect is None:
                    continue
                label = f"{rule.name}, {name}" if rule.name else name
                rows.append(Row(label, finding.effect, finding.word, rule.delta, rule.threshold))
                if finding.control is not None:
                    rows.append(Row("its control", finding.control, "", rule.delta))
    return rows


def _shown(name: str, verdict: Verdict) -> list[str]:
    """Baselines, parts and the note of one verdict."""
    lines = []
    for title, values in (("Baselines", verdict.baselines), ("Without verdict", verdict.parts)):
        shown = [escape(f"{label} {number_text(value)}") for label, value in values.items()]
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


def _rule(card: Card) -> str:
    lines = []
    for rule in card.claim.rules:
        name = f"<b>{escape(rule.name)}</b>: " if rule.name else ""
        control = (
            f" Control: {rule.control}." if rule.control else f" No control: {rule.no_control}." * bool(rule.no_control)
        )
        lines.append(name + escape(f"{rule.quantity}.{control} {rule.words}"))
    why = f" It was chosen so since: {card.claim.delta_why}." if card.claim.delta_why else ""
    source = escape(f"{why} Source: {card.claim.source}.")
    return f"<details><summary>Rule, fixed before measuring</summary>{'<br>'.join(lines)}<br>{source}</details>"
