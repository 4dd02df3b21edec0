"""Recorded verdicts: one file per claim, `data/recorded/C4.5.json`, written whole or not at all, only by `--record`.

A record holds the rule it was judged by; if the rule in `data/claims.toml` has changed since, it is `outdated`. And it
holds where it comes from (`provenance`): date, device, versions, commit; no machine name, no path.
"""

from __future__ import annotations

import datetime
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from course.ledger.card import Record, Verdict
from course.ledger.rules import Claim, get_claim
from course.records.store import read_recorded, typed, write_recorded
from course_lib.config import data_dir, project_dir
from course_lib.errors import CourseError
from course_lib.evaluation.intervals import Interval
from course_lib.language import speaking

_SHOWN = ("date", "device", "commit")  # of a run


def record_path(claim_id: str) -> Path:
    return data_dir("recorded", f"{claim_id}.json")


def write_record(verdict: Verdict, run: Mapping[str, str]) -> Path:
    """Put the verdict in the place of the claim's old record. ValueError for a number that is NaN or infinite."""
    assert verdict.data, f"Claim {verdict.claim.id}: a recorded value names its data: Measurement(..., data=...)"
    with speaking("en"):
        sentence = verdict.sentence  # for who reads the file: the card says it anew, from the numbers
    document = {
        "claim": verdict.claim.id,
        "verdict": verdict.word,
        "sentence": sentence,
        "data": verdict.data,
        "note": verdict.note,
        "run": dict(run),
        "findings": [asdict(finding) for finding in verdict.findings],
        "baselines": dict(verdict.baselines),
        "parts": {name: asdict(part) if isinstance(part, Interval) else part for name, part in verdict.parts.items()},
    }
    path = record_path(verdict.claim.id)
    write_recorded(path, _plain(document))
    return path


def read_record(claim: Claim | str) -> Record | None:
    """The claim's record, or None. Raises CourseError for a file that is damaged, foreign or of a newer format."""
    claim = get_claim(claim) if isinstance(claim, str) else claim
    path = record_path(claim.id)

    def build(document: dict) -> Record:
        if document["claim"] != claim.id:
            remedy = f"Restore it with git, or record it again: {claim.command}"
            raise CourseError(f"{path} holds claim {document['claim']}, not {claim.id}. {remedy}")
        told = {name: document[name] for name in ("findings", "baselines", "parts", "data", "note")}
        verdict = typed(Verdict, {"claim": claim, "word": document["verdict"]} | told, "verdict")
        if lacking := [key for key in _SHOWN if key not in document["run"]]:
            raise KeyError(lacking[0])
        repr(verdict)  # a record that cannot be said is damaged
        return Record(verdict, dict(document["run"]))

    return read_recorded(path, claim.command, build)


def _plain(value):
    """Six significant digits are enough, and NumPy's numbers become Python's."""
    if isinstance(value, Mapping):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    if hasattr(value, "item"):
        value = value.item()
    return float(f"{value:.6g}") if isinstance(value, float) else value


def provenance() -> dict[str, str]:
    """Where a value measured now comes from."""
    import torch

    from course_lib.device import choose_device

    device = choose_device()
    if device.type == "cuda":
        name = torch.cuda.get_device_name(device)
    else:
        name = f"{device.type} ({platform.machine()}, {torch.get_num_threads()} threads)"
    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "device": name,
        "commit": commit(),
        "versions": f"Python {platform.python_version()}, torch {torch.__version__}",
    }


def commit() -> str:
    """The git commit, with "and changes" if files differ from it; "unknown" where there is no git or no commit.

    New records do not count as changes, or the second of two claims recorded in a row would look worse than the first.
    """
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "unknown"
    changes = _git("status", "--porcelain", "--", ".", ":(exclude)data/recorded")
    return f"{head} and changes" if changes or changes is None else head


def _git(*arguments: str) -> str | None:
    command = ["git", *arguments]
    try:
        done = subprocess.run(command, cwd=project_dir(), capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
