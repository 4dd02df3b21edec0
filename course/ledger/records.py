"""Recorded verdicts: one file per claim, `data/recorded/C4.5.json`, written whole or not at all, only by `--record`.

A record holds the rule it was judged by. If the rule in `data/claims.toml` has changed since, the record says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from course.ledger.claims import Claim, Rule
from course.ledger.verdict import Finding, Verdict
from course.records.store import read_recorded, write_recorded
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval

FORMAT = 1
_INTERVALS = ("effect", "control", "excess")
_WORDS = ("holds", "contradicted", "open")
_SHOWN = ("date", "device", "commit")  # of a run


@dataclass(frozen=True)
class Record:
    """A verdict of the full profile; run: command, profile, date, device, commit, code, versions, seconds."""

    verdict: Verdict
    run: Mapping[str, str]

    @property
    def outdated(self) -> bool:
        """The rule has changed since: the verdict is not the present rule's."""
        return tuple(finding.rule for finding in self.verdict.findings) != self.verdict.claim.rules


def record_path(claim_id: str) -> Path:
    return data_dir("recorded", f"{claim_id}.json")


def write_record(verdict: Verdict, run: Mapping[str, str]) -> Path:
    """Put the verdict in the place of the claim's old record. Raises CourseError if it cannot be written."""
    if not verdict.data:
        raise CourseError(
            f"Claim {verdict.claim.id}: a recorded value names its data. Give Measurement(..., data=...)."
        )
    document = {
        "format": FORMAT,
        "claim": verdict.claim.id,
        "verdict": verdict.word,
        "sentence": verdict.sentence,
        "data": verdict.data,
        "note": verdict.note,
        "run": dict(run),
        "findings": [asdict(finding) for finding in verdict.findings],
        "baselines": dict(verdict.baselines),
        "parts": {name: asdict(part) if isinstance(part, Interval) else part for name, part in verdict.parts.items()},
    }
    path = record_path(verdict.claim.id)
    try:
        write_recorded(path, _plain(document))
    except ValueError:
        raise CourseError(f"Claim {verdict.claim.id}: a number is NaN or infinite, which is not recorded.") from None
    return path


def read_record(claim: Claim) -> Record | None:
    """The claim's record, or None. Raises CourseError for a file that is damaged, foreign or of a newer format."""
    path = record_path(claim.id)

    def build(document: dict) -> Record:
        if document["claim"] != claim.id:
            remedy = f"Restore it with git, or record it again: {claim.command}"
            raise CourseError(f"{path} holds claim {document['claim']}, not {claim.id}. {remedy}")
        verdict, run = _verdict(claim, document), dict(document["run"])
        if odd := {verdict.word, *(finding.word for finding in verdict.findings)} - {*_WORDS}:
            raise ValueError(f"there is no verdict {next(iter(odd))!r}")
        if lacking := [key for key in _SHOWN if key not in run]:
            raise KeyError(lacking[0])
        return Record(verdict, run)

    return read_recorded(path, FORMAT, claim.command, build)


def _verdict(claim: Claim, document: dict) -> Verdict:
    return Verdict(
        claim,
        document["verdict"],
        document["sentence"],
        tuple(_finding(finding) for finding in document["findings"]),
        baselines=document["baselines"],
        parts={name: Interval(**part) if isinstance(part, dict) else part for name, part in document["parts"].items()},
        data=document["data"],
        note=document["note"],
    )


def _finding(stored: dict) -> Finding:
    intervals = {key: Interval(**stored[key]) if stored[key] else None for key in _INTERVALS}
    return Finding(**stored | intervals | {"rule": Rule(**stored["rule"]), "per_seed": tuple(stored["per_seed"])})


def _plain(value):
    """Six significant digits are enough, and NumPy's numbers become Python's."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    return float(f"{value:.6g}") if isinstance(value, float) else value
