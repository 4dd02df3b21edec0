"""All claims as one Markdown table: `course claims --markdown`. README.md holds it between two comment lines.

`python -m course.ledger.claim_page` writes it there anew, after a claim or a record has changed.
"""

from __future__ import annotations

from collections import Counter
from html import escape
from pathlib import Path

from course.ledger.claims import Claim, all_claims
from course.ledger.records import Record, read_record
from course.ledger.verdict import Finding, interval_text
from course.ledger.verdict_card import NOT_MEASURED
from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file

COMMAND = "python -m course.ledger.claim_page"
BEGIN, END = f"<!-- claims, made by `{COMMAND}`: do not edit by hand -->", "<!-- end of claims -->"


def claims_markdown() -> str:
    """A folded table: each claim with its recorded verdict and effect, and whether its notebook measures it live.

    Raises CourseError for a damaged record.
    """
    words: Counter[str] = Counter()
    rows = []
    for claim in all_claims().values():
        record = read_record(claim)
        word = NOT_MEASURED if record is None else record.verdict.word
        words[word] += 1
        earlier = " (earlier rule)" if record is not None and record.outdated else ""
        live = "yes" if claim.live else ""
        rows.append((claim.id, _text(claim.sentence), word + earlier, _effects(record), live, _chapter(claim)))
    counts = ", ".join(f"{count} {word}" for word, count in words.most_common())
    lines = [
        f"<details><summary>All {len(rows)} claims: {counts}</summary>",
        "",
        "| | claim | recorded verdict | effect, 95 % interval | also live | chapter |",
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
    return f"{before}{BEGIN}\n{claims_markdown()}{END}{after}"


def write_page(path: Path | None = None) -> Path:
    """Bring README.md up to date. Raises CourseError as `with_claims` does, or if it cannot be written."""
    path = project_dir() / "README.md" if path is None else path
    page = with_claims(path.read_text(encoding="utf-8"), path.name)
    with atomic_file(path, "w") as file:
        file.write(page)
    return path


def _effects(record: Record | None) -> str:
    if record is None:
        return ""
    return "<br>".join(_effect(finding) for finding in record.verdict.findings)


def _effect(finding: Finding) -> str:
    rule = finding.rule
    name = f"{_text(rule.name)}: " if rule.name else ""
    if rule.kind == "exact":
        return name + _text(f"{finding.error:.3g} {rule.unit}")
    # a clear effect may stay open because its control moves as well
    shown = finding.control is not None and finding.word == "open"
    control = f", control {interval_text(finding.control)}" if shown else ""
    return name + _text(interval_text(finding.effect, rule.unit) + control)


def _chapter(claim: Claim) -> str:
    """Its number, with a link once the notebook is there."""
    found = sorted((project_dir() / "notebooks").glob(f"{claim.chapter:02d}_*.ipynb"))
    return f"[{claim.chapter}](notebooks/{found[0].name})" if found else str(claim.chapter)


def _text(words: str) -> str:
    """Words that Markdown shows as they are."""
    return escape(words, quote=False).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


if __name__ == "__main__":
    try:
        print(f"Written: {write_page()}")
    except CourseError as error:
        raise SystemExit(str(error)) from None
