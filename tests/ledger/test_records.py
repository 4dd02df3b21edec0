import json
import os
import subprocess

import pytest

from course.ledger import Exact, all_claims, judge, read_record, records, run
from course.ledger.card import interval_text
from course.ledger.records import record_path, write_record
from course.ledger.rules import reasons
from course_lib.evaluation.intervals import Interval

RUN = {"command": "c", "profile": "full", "date": "2026-02-03", "device": "cpu", "commit": "abc"}


def test_a_record_gives_back_what_was_written(ledger):
    verdict = run("C9.1", "full")
    write_record(verdict, RUN)
    record = read_record("C9.1")
    assert (record.verdict.word, record.verdict.sentence) == (verdict.word, verdict.sentence)
    assert record.verdict.data == "a <real> set"
    assert record.run == RUN
    written, read = verdict.findings[0], record.verdict.findings[0]
    for name in ("effect", "control", "excess"):
        assert getattr(read, name).low == pytest.approx(getattr(written, name).low, rel=1e-5)
    assert read.per_seed == written.per_seed
    assert read.rule == written.rule
    assert record.verdict.parts["top & bottom"].estimate == pytest.approx(1.15625)  # 1 + 1.25 / 8, by hand
    assert record.verdict.parts["ratio"] == 1.25
    assert not record.outdated


def test_an_exact_verdict_is_recorded_too(ledger):
    write_record(judge("C9.2", Exact(0.0, "largest error", detail="All rows.", data="a table")), RUN)
    finding = read_record("C9.2").verdict.findings[0]
    assert (finding.word, finding.error, finding.effect, finding.detail) == ("holds", 0.0, None, "All rows.")


@pytest.mark.parametrize("claim", all_claims().values(), ids=lambda claim: claim.id)
def test_a_recorded_sentence_says_what_its_numbers_say(claim):
    record = read_record(claim)
    assert record, f"no record. Run: course claims {claim.id} --run --profile full --record"
    assert json.loads(record_path(claim.id).read_text(encoding="utf-8"))["sentence"] == record.verdict.sentence


def test_each_verdict_that_does_not_hold_has_a_reason_and_no_other():
    found = {claim.id: read_record(claim) for claim in all_claims().values()}
    assert [claim_id for claim_id, record in found.items() if record is None] == [], "these have no record"
    assert set(reasons()) == {claim_id for claim_id, record in found.items() if record.verdict.word != "holds"}


def test_a_tie_falls_the_same_way_live_and_recorded():
    live, recorded = (Interval(-4.0, 6.0, estimate) for estimate in (0.75 - 1e-12, 0.75))
    assert interval_text(live) == interval_text(recorded)


def test_what_may_not_be_recorded(ledger):
    with pytest.raises(AssertionError, match="a recorded value names its data"):
        write_record(run("C9.1", data=""), RUN)
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_record(judge("C9.2", Exact(float("inf"), "largest error", data="a table")), RUN)
    assert not record_path("C9.1").exists()


def git(folder, *arguments):
    identity = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def test_the_commit_is_named_and_changes_are_marked(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "project_dir", lambda: tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert records.commit() == "unknown"
    git(tmp_path, "init")
    assert records.commit() == "unknown"
    (tmp_path / "a.txt").write_text("a")
    git(tmp_path, "add", "a.txt")
    git(tmp_path, "commit", "-m", "one")
    clean = records.commit()
    assert len(clean) == 12
    (tmp_path / "data" / "recorded").mkdir(parents=True)
    (tmp_path / "data" / "recorded" / "C1.1.json").write_text("{}")
    assert records.commit() == clean
    (tmp_path / "a.txt").write_text("b")
    assert records.commit() == f"{clean} and changes"


def test_provenance_names_no_machine_and_no_path():
    found = records.provenance()
    assert set(found) == {"date", "device", "commit", "versions"}
    assert found["device"].startswith("cpu (")
    assert not [value for value in found.values() if os.sep in value]
