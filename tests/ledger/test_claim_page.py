import pytest
from typer.testing import CliRunner

from course.cli import app
from course.ledger.claim_page import BEGIN, COMMAND, END, claims_markdown, with_claims, write_page
from course.ledger.claims import get_claim
from course.ledger.ledger import run_and_record
from course.ledger.records import read_record, record_path
from course.ledger.verdict import interval_text
from course_lib.config import project_dir
from course_lib.errors import CourseError


def test_readme_holds_the_present_table():
    page = (project_dir() / "README.md").read_text(encoding="utf-8")
    assert page == with_claims(page), f"README.md is stale. Run: {COMMAND}"


def test_a_row_says_verdict_and_effect(ledger):
    run_and_record("C9.1")
    lines = claims_markdown().splitlines()
    assert lines[0] == "<details><summary>All 2 claims: 1 holds, 1 not measured yet</summary>"
    assert lines[4].startswith("| C9.1 | Up &lt;b&gt;is&lt;/b&gt; up, 배도 그렇다. | holds | +4.")
    assert " points [" in lines[4]
    assert "control" not in lines[4]
    assert lines[5].startswith("| C9.2 | Nobody has measured this. | not measured yet |  | yes | ")


def test_an_open_verdict_shows_the_control_that_may_be_the_reason():
    row = next(line for line in claims_markdown().splitlines() if line.startswith("| C2.5 |"))
    record = read_record(get_claim("C2.5"))
    control = record.verdict.findings[0].control
    assert (record.verdict.word == "open") == (f"control {interval_text(control)}" in row)


def test_a_verdict_of_an_earlier_rule_says_so(ledger):
    run_and_record("C9.1")
    rules = ledger / "claims.toml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("delta = 2.0", "delta = 3.0"), encoding="utf-8")
    assert "| holds (earlier rule) |" in claims_markdown()


def test_only_what_stands_between_the_lines_is_written(ledger, tmp_path):
    path = tmp_path / "PAGE.md"
    path.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow | 배\n", encoding="utf-8")
    write_page(path)
    assert path.read_text(encoding="utf-8") == f"above\n{BEGIN}\n{claims_markdown()}{END}\nbelow | 배\n"
    path.write_text(f"above\n{END}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"PAGE\.md has no place for the claims"):
        write_page(path)


def test_a_damaged_record_is_not_called_unmeasured(ledger):
    record_path("C9.2").parent.mkdir()
    record_path("C9.2").write_text("{")
    with pytest.raises(CourseError, match=r"C9\.2\.json is damaged"):
        claims_markdown()


def test_the_command_prints_the_table_alone(ledger):
    found = CliRunner().invoke(app, ["claims", "--markdown"])
    assert found.stdout == claims_markdown()
    found = CliRunner().invoke(app, ["claims", "C9.1", "--markdown"])
    assert isinstance(found.exception, CourseError)
