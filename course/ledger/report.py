"""What people ask the ledger for: a card in a notebook, a report in a terminal, the table in README.md.

show("C4.5")                       in a notebook: the card, measured live if that takes no more than about 8 s
judge("C4.5", my_measurement)      (judge.py) the same for a measurement of your own
run("C4.5", profile="full")        measure and judge, at recorded scale
course claims, course claims ID [--run] [--profile full] [--record], course claims --readme
"""

from __future__ import annotations

import time
from collections import Counter
from html import escape
from pathlib import Path

from course.ledger.card import NOT_MEASURED, WORDS, Card, Finding, Record, Verdict, interval_text, numbers
from course.ledger.judge import find_code, judge
from course.ledger.records import provenance, read_record, write_record
from course.ledger.rules import Claim, all_claims, get_claim
from course.settings import PROFILES
from course.settings import profile as chosen_profile
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import language, speaking, t

_STYLES = {"holds": "blue", "contradicted": "red", "open": "yellow"}
COMMAND = "course claims --readme"
BEGIN, END = f"<!-- claims, made by `{COMMAND}`: do not edit by hand -->", "<!-- end of claims -->"


def run(claim_id: str, profile: str | None = None, **overrides) -> Verdict:
    """Measure a claim with its own code, at the profile named or COURSE_PROFILE, and judge it."""
    claim, profile = get_claim(claim_id), _known_profile(profile or chosen_profile())
    return judge(claim, find_code(claim.id).measure(profile, **overrides))


def show(claim_id: str, *, live: bool | None = None, **overrides) -> Card:
    """The claim's card. None measures live where the claim is quick, in the full profile, or with `overrides`."""
    claim, profile = get_claim(claim_id), chosen_profile()
    if live is None:
        live = claim.live or profile == "full" or bool(overrides)
    return Card(claim, run(claim.id, profile, **overrides) if live else None, read_record(claim), profile)


def run_and_record(claim_id: str) -> Card:
    """Measure at the full profile and replace the claim's record. Nothing is written if measuring or judging fails."""
    claim, start = get_claim(claim_id), time.perf_counter()
    origin = provenance()  # of the code as it is when the measurement starts
    verdict = run(claim.id, "full")
    seconds = f"{time.perf_counter() - start:.0f}"
    write_record(verdict, {"command": claim.command, "profile": "full", **origin, "seconds": seconds})
    return Card(claim, verdict, read_record(claim), "full")


def _known_profile(profile: str) -> str:
    if profile not in PROFILES:
        raise CourseError(f"There is no profile {profile!r}. Use one of: {', '.join(PROFILES)}.")
    return profile


# ---------------------------------------------------------------- in a terminal


def claims_command(
    claim_id: str | None = None, *, measure: bool = False, profile: str | None = None, record: bool = False
) -> None:
    """Print the ledger or one claim; with `measure` measure it first, with `record` keep what was measured."""
    from rich.console import Console

    console = Console(highlight=False)
    if record and not (measure and profile == "full"):
        raise CourseError("Only full measurements are recorded. Use: course claims ID --run --profile full --record")
    if profile is not None and not measure:
        raise CourseError("--profile says how to measure. Use it with --run: course claims ID --run --profile full")
    profile = _known_profile(profile or chosen_profile())
    if claim_id is None:
        if measure:
            raise CourseError("Which claim is to be measured? Name it: course claims C4.5 --run")
        console.print(claims_table())
        return
    claim, card = get_claim(claim_id.upper()), None
    if measure:
        card = run_and_record(claim.id) if record else Card(claim, run(claim.id, profile), read_record(claim), profile)
    console.print(claim_report(claim.id, card), markup=False, soft_wrap=True)


def claims_table():
    """All claims with their recorded verdict, as a rich Table."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, caption_justify="left")
    table.add_column("id", no_wrap=True)
    table.add_column(t("claim"), overflow="fold")  # else a line of Hangul that just fits loses its end
    table.add_column(t(WORDS["recorded"]))
    counts: Counter[str] = Counter()
    for claim in all_claims().values():
        try:
            word = _word(read_record(claim))
        except CourseError:
            word = "damaged record"  # `course claims ID` says what to do
        counts[_counted_as(claim, word)] += 1
        table.add_row(claim.id, t(claim.sentence), Text(_told(word), style=_STYLES.get(word, "dim")))
    table.caption = t(
        "Recorded: {counts}. Of {n} such verdicts, one or two are false by chance.",
        counts=_counted(counts),
        n=len(all_claims()),
    )
    return table


def claim_report(claim_id: str, card: Card | None = None) -> str:
    """One claim as text: sentence, verdicts, published values, source, rule, baselines, parts, how it was recorded."""
    claim = get_claim(claim_id)
    card = card or Card(claim, record=read_record(claim))

    def line(*heads: str, says: str) -> str:
        return f"{', '.join(head for head in heads if head)}: {says}"

    lines = [repr(card), "", line(t("source"), says=t(claim.source))]
    lines += [line(t("rule"), t(rule.name), says=rule.text) for rule in claim.rules]
    for name, verdict in card.verdicts.items():
        how = t(WORDS[name])
        lines += [line(how, t(finding.rule.name), says=finding.design) for finding in verdict.findings]
        lines += [line(how, t("baseline"), says=number) for number in numbers(verdict.baselines)]
        lines += [line(how, t("without verdict"), says=number) for number in numbers(verdict.parts)]
    if card.record is not None:
        run = ", ".join(f"{key} {value}" for key, value in card.record.run.items())
        lines.append(line(t("recorded with"), says=run))
    return "\n".join([*lines, line(t("measure and record"), says=claim.command)])


def _word(record: Record | None) -> str:
    """The recorded verdict, as lists of all claims show it."""
    if record is None:
        return NOT_MEASURED
    return f"{record.verdict.word} (earlier rule)" if record.outdated else record.verdict.word


def _counted_as(claim: Claim, word: str) -> str:
    """An identity that mathematics grants is no finding about language: counted apart."""
    return "exact identity" if claim.exact and word == "holds" else word


def _counted(words: Counter[str]) -> str:
    return ", ".join(t("{n} {word}", n=count, word=_told(word)) for word, count in words.most_common())


def _told(word: str) -> str:
    """A word of `_word` or `_counted_as` in the reader's language."""
    plain = word.removesuffix(" (earlier rule)")
    told = t(WORDS[plain])
    return told if plain == word else t("{word} (earlier rule)", word=told)


# ---------------------------------------------------------------- in README.md


def claims_markdown() -> str:
    """A folded table: each claim with its recorded verdict and effect, and whether its notebook measures it live."""
    words: Counter[str] = Counter()
    rows = []
    for claim in all_claims().values():
        record = read_record(claim)
        words[_counted_as(claim, record.verdict.word if record else NOT_MEASURED)] += 1
        effects = "<br>".join(map(_effect, record.verdict.findings)) if record else ""
        live = t("yes") if claim.live else ""
        rows.append((claim.id, _text(t(claim.sentence)), _told(_word(record)), effects, live, _chapter(claim)))
    lines = [
        f"<details><summary>{t('All {n} claims: {counts}', n=len(rows), counts=_counted(words))}</summary>",
        "",
        t("| | claim | recorded verdict | effect, 95 % interval | also live | chapter |"),
        "| --- | --- | --- | --- | --- | --- |",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
        "</details>",
    ]
    return "\n".join(lines) + "\n"


def with_claims(page: str, name: str = "README.md") -> str:
    """The page with the present table between its two comment lines. Raises CourseError if they are not there."""
    before, begin, rest = page.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise CourseError(f"{name} has no place for the claims. Put these two lines where they belong:\n{BEGIN}\n{END}")
    with speaking("ko" if ".ko." in name else "en"):  # of the page, whatever its maker reads
        return f"{before}{BEGIN}\n{claims_markdown()}{END}{after}"


def write_page(path: Path) -> Path:
    """Bring the page up to date. Raises CourseError as `with_claims` does, or if it cannot be written."""
    page = with_claims(path.read_text(encoding="utf-8"), path.name)
    with atomic_file(path, "w") as file:
        file.write(page)
    return path


def readmes() -> list[Path]:
    """README.md, and its Korean, which has the same table in Korean."""
    return sorted(project_dir().glob("README*.md"))


def _effect(finding: Finding) -> str:
    rule = finding.rule
    name = f"{_text(t(rule.name))}: " if rule.name else ""
    if rule.kind == "exact":
        return name + _text(t("{error} {unit}", error=f"{finding.error:.3g}", unit=t(rule.unit)))
    # a clear effect may stay open because its control moves as well
    shown = finding.control is not None and finding.word == "open"
    control = t(", control {interval}", interval=interval_text(finding.control)) if shown else ""
    return name + _text(interval_text(finding.effect, rule.amount) + control)


def _chapter(claim: Claim) -> str:
    """Its number, with a link once the notebook is there."""
    folder = "notebooks/ko" if language() == "ko" else "notebooks"
    notebooks = sorted((project_dir() / folder).glob(f"{claim.chapter:02d}_*.ipynb"))
    return f"[{claim.chapter}]({folder}/{notebooks[0].name})" if notebooks else str(claim.chapter)


def _text(words: str) -> str:
    """Words that Markdown shows as they are."""
    return escape(words, quote=False).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")
