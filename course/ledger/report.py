"""The ledger in a terminal: everything that `course claims [ID] [--run] [--profile full] [--record]` does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from course.ledger.claims import Claim, all_claims, get_claim
from course.ledger.ledger import Card, run, run_and_record
from course.ledger.measurement import find_code
from course.ledger.records import Record, read_record
from course.ledger.verdict import Verdict, design_text, number_text
from course.ledger.verdict_card import NOT_MEASURED
from course_lib.config import PROFILES, settings
from course_lib.errors import CourseError

_STYLES = {"holds": "blue", "contradicted": "red", "open": "yellow"}


def claims_command(
    claim_id: str | None = None, *, measure: bool = False, profile: str | None = None, record: bool = False
) -> None:
    """Print the ledger or one claim; with `measure` measure first, with `record` keep what was measured.

    claim_id may be in lower case. Raises CourseError for an unknown id or profile, for a `profile` without `measure`,
    for `record` without a full measurement, and after all claims were tried if some could not be measured.
    """
    from rich.console import Console

    console = Console(highlight=False)
    if record and not (measure and profile == "full"):
        raise CourseError("Only full measurements are recorded. Use: course claims ID --run --profile full --record")
    if profile is not None and profile not in PROFILES:
        raise CourseError(f"There is no profile {profile!r}. Use one of: {', '.join(PROFILES)}.")
    if profile is not None and not measure:
        raise CourseError(
            f"--profile says how to measure. Use it with --run: course claims ID --run --profile {profile}"
        )
    profile = profile or settings().profile
    if claim_id is not None:
        claim_id = claim_id.upper()
        card = _measure(get_claim(claim_id), profile, record) if measure else None
        console.print(claim_report(claim_id, card), markup=False, soft_wrap=True)
        return
    live, failed = {}, []
    measured = [claim for claim in all_claims().values() if measure and find_code(claim.id, claim.chapter) is not None]
    if measured:
        console.print(_announced(measured, profile), markup=False, soft_wrap=True)
    for claim in measured:
        try:
            live[claim.id] = _measure(claim, profile, record).live
            console.print(repr(live[claim.id]), markup=False, soft_wrap=True)
        except CourseError as error:
            failed.append(claim.id)
            console.print(str(error), style="red", markup=False, soft_wrap=True)
    console.print(claims_table(live))
    if failed:
        raise CourseError(f"Not measured: {', '.join(failed)}. The reasons stand above.")


def claims_table(live: Mapping[str, Verdict] | None = None):
    """All claims with their recorded verdict, as a rich Table; `live` adds what was measured just now."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, caption_justify="left")
    for name in ("id", "claim", "recorded", *(["live"] if live else [])):
        table.add_column(name, no_wrap=name == "id")
    words: Counter[str] = Counter()
    for claim in all_claims().values():
        word = _recorded_word(claim)
        words[word] += 1
        row = [claim.id, claim.sentence, Text(word, style=_STYLES.get(word, "dim"))]
        if live:
            word = live[claim.id].word if claim.id in live else ""
            row.append(Text(word, style=_STYLES.get(word, "dim")))
        table.add_row(*row)
    counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
    table.caption = f"Recorded: {counts}. Of {len(all_claims())} such verdicts, one or two are false by chance."
    return table


def claim_report(claim_id: str, card: Card | None = None) -> str:
    """One claim as text: sentence, verdicts, published values, source, rule, baselines, parts, how it was recorded."""
    claim = get_claim(claim_id)
    card = card or Card(claim, record=read_record(claim))
    lines = [repr(card), "", f"source: {claim.source}"]
    for rule in claim.rules:
        control = f" Control: {rule.control}." if rule.control else ""
        lines.append(f"rule{f', {rule.name}' if rule.name else ''}: {rule.quantity}.{control} {rule.words}")
    if card.live is not None:
        lines += _shown("live", card.live)
    if card.record is not None:
        lines += _shown("recorded", card.record.verdict)
        lines.append("recorded with: " + ", ".join(f"{key} {value}" for key, value in card.record.run.items()))
    if find_code(claim.id, claim.chapter) is None:
        lines.append(f"code: not written yet (course/chapters/ch{claim.chapter:02}/claims.py)")
    else:
        lines.append(f"measure and record: {claim.command}")
    return "\n".join(lines)


def _announced(claims: Sequence[Claim], profile: str) -> str:
    """How much is about to be measured, and how to stop. Only full measurements have kept their time."""
    if profile == "full":
        seconds = [float(record.run.get("seconds", 0)) for record in map(_good_record, claims) if record is not None]
        time = f"{len(seconds)} of them were recorded in {sum(seconds) / 60:.0f} minutes together"
    else:
        time = f"{sum(claim.live for claim in claims)} of them take seconds, the others longer"
    many = f"{len(claims)} claim{'s' * (len(claims) != 1)}"
    return f"{many}, {profile} profile; {time}. Ctrl+C stops. `course claims ID --run` measures one."


def _good_record(claim: Claim) -> Record | None:
    try:
        return read_record(claim)
    except CourseError:
        return None


def _measure(claim: Claim, profile: str, record: bool) -> Card:
    if record:
        return run_and_record(claim.id)
    return Card(claim, run(claim.id, profile), read_record(claim), profile)


def _recorded_word(claim: Claim) -> str:
    try:
        record = read_record(claim)
    except CourseError:
        return "damaged record"  # `course claims ID` says what to do
    if record is None:
        return NOT_MEASURED
    return f"{record.verdict.word} (earlier rule)" if record.outdated else record.verdict.word


def _shown(name: str, verdict: Verdict) -> list[str]:
    lines = []
    for finding in verdict.findings:
        lines.append(f"{name}{f', {finding.rule.name}' if finding.rule.name else ''}: {design_text(finding)}")
    for title, values in (("baseline", verdict.baselines), ("without verdict", verdict.parts)):
        lines += [f"{name}, {title}: {label} {number_text(value)}" for label, value in values.items()]
    return lines
