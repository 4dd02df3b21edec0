import json
import re

import pytest

from course.ledger.records import record_path
from course.ledger.report import claim_report, claims_command
from course_lib.errors import CourseError


def printed(capsys) -> str:
    return re.sub(r"\s+", " ", capsys.readouterr().out)


def test_the_table_lists_all_claims_with_their_recorded_verdict(ledger, capsys):
    claims_command("C9.1", measure=True, profile="full", record=True)
    capsys.readouterr()
    claims_command()
    text = printed(capsys)
    assert "C9.1 Up <b>is</b> up, 배도 그렇다. holds C9.2 Nobody has measured this. not measured yet" in text
    assert "Recorded: 1 holds, 1 not measured yet." in text
    assert "one or two are false by chance" in text


def test_run_measures_all_that_have_code(ledger, capsys):
    claims_command(measure=True)
    text = printed(capsys)
    assert "C9.1 holds: +4.0" in text
    assert "recorded live" in text
    assert not record_path("C9.1").exists()


def test_first_it_says_how_much_and_how_to_stop(ledger, capsys):
    claims_command(measure=True)
    assert printed(capsys).startswith(
        "1 claim, quick profile; 1 of them take seconds, the others longer. Ctrl+C stops."
    )
    claims_command("C9.1", measure=True, profile="full", record=True)
    path = record_path("C9.1")
    record = json.loads(path.read_text(encoding="utf-8"))
    record["run"]["seconds"] = "433"
    path.write_text(json.dumps(record), encoding="utf-8")
    capsys.readouterr()
    claims_command(measure=True, profile="full")
    assert printed(capsys).startswith("1 claim, full profile; 1 of them were recorded in 7 minutes together. Ctrl+C")
    path.write_text("{", encoding="utf-8")
    with pytest.raises(CourseError, match=r"Not measured: C9\.1"):
        claims_command(measure=True, profile="full")
    assert "; 0 of them were recorded in 0 minutes" in printed(capsys)


def test_a_profile_without_a_measurement_and_a_wrong_one_are_refused(ledger):
    with pytest.raises(CourseError, match="--run --profile full"):
        claims_command("C9.1", profile="full")
    for measure in (False, True):
        with pytest.raises(CourseError, match=r"There is no profile 'quik'\. Use one of: quick, full"):
            claims_command(profile="quik", measure=measure)


def test_an_id_may_be_in_lower_case(ledger, capsys):
    claims_command("c9.1")
    assert "C9.1 Up <b>is</b> up" in printed(capsys)
    with pytest.raises(CourseError, match=r"There is no claim 'C9\.7'"):
        claims_command("c9.7")


def test_one_failure_does_not_keep_the_others_back(ledger, capsys, monkeypatch):
    monkeypatch.setattr("course.ledger.judging.MIN_SEEDS", 11)
    with pytest.raises(CourseError, match=r"Not measured: C9\.1\."):
        claims_command(measure=True)
    assert "Claim C9.1: 5 seeds are too few" in printed(capsys)


def test_only_full_measurements_are_recorded(ledger):
    for wrong in ({}, {"measure": True}, {"measure": True, "profile": "quick"}, {"profile": "full"}):
        with pytest.raises(CourseError, match="--run --profile full --record"):
            claims_command("C9.1", record=True, **wrong)


def test_a_report_of_one_claim(ledger, capsys):
    claims_command("C9.1", measure=True, profile="full", record=True)
    text = capsys.readouterr().out
    for part in (
        "rule: difference. Control: no cause. Holds when", "live: 8 seeds", "recorded, baseline: majority 52",
        "recorded, without verdict: ratio 1.25", "recorded with: command course claims C9.1", "profile full",
        "measure and record: course claims C9.1",
    ):  # fmt: skip
        assert part in text
    assert "code: not written yet (course/chapters/ch09/claims.py)" in claim_report("C9.2")


def test_a_damaged_record_does_not_hide_the_ledger(ledger, capsys):
    record_path("C9.2").parent.mkdir()
    record_path("C9.2").write_text("{")
    claims_command()
    assert "Nobody has measured this. damaged record" in printed(capsys)
    with pytest.raises(CourseError, match=r"C9\.2\.json is damaged"):
        claims_command("C9.2")
