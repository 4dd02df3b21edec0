import re
import sys

import pytest

from course.ledger import read_record, run, show
from course.ledger.records import record_path
from course.ledger.report import (
    BEGIN,
    COMMAND,
    END,
    claims_command,
    claims_markdown,
    readmes,
    run_and_record,
    with_claims,
    write_page,
)
from course_lib.errors import CourseError
from tests.mistakes import mistakes


def test_run_measures_at_the_profile_and_judges(ledger, monkeypatch):
    quick = run("C9.1")
    assert (quick.word, quick.findings[0].n, quick.data) == ("holds", 5, "the world")
    monkeypatch.setenv("COURSE_PROFILE", "full")
    assert run("C9.1").findings[0].n == 8
    assert run("C9.1", profile="quick").findings[0].n == 5
    assert run("C9.1", shift=-4.0).word == "contradicted"
    with pytest.raises(CourseError, match=r"no profile 'fast'\. Use one of: quick, full"):
        run("C9.1", profile="fast")


def test_a_claim_without_code(ledger):
    with pytest.raises(CourseError, match=r"C9\.2 has no code yet.*ch09.claims\.py"):
        run("C9.2")
    card = show("C9.2", live=False)
    assert (card.live, card.record) == (None, None)
    assert repr(card).endswith("not measured yet")
    html = card._repr_mimebundle_()["text/html"]
    assert "</span> not measured yet" in html
    assert "<img" not in html


def test_live_and_recorded_stand_side_by_side(ledger):
    assert read_record("C9.1") is None
    assert run_and_record("C9.1").live.findings[0].n == 8
    card = show("C9.1", shift=-4.0)
    assert card.live.word == "contradicted"
    assert card.record.verdict.word == "holds"
    assert card.record.run["command"] == "course claims C9.1 --run --profile full --record"
    text = repr(card)
    assert "live (quick): contradicted: -3.9" in text
    assert f"recorded ({card.record.run['date']}, cpu" in text
    assert "published: 71.3 & more (A paper)" in text


def test_a_slow_claim_is_measured_only_when_asked_for(ledger, monkeypatch):
    rules = ledger / "claims.toml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("live = true", "live = false"), encoding="utf-8")
    assert show("C9.1").live is None
    assert show("C9.1", live=True).live.word == "holds"
    assert show("C9.1", shift=5.0).live.word == "holds"
    monkeypatch.setenv("COURSE_PROFILE", "full")
    assert show("C9.1").live.findings[0].n == 8


def test_nothing_is_recorded_when_judging_fails(ledger, monkeypatch):
    monkeypatch.setattr(sys.modules["course.ledger.judge"], "MIN_SEEDS", 11)
    with pytest.raises(CourseError, match="8 seeds are too few"):
        run_and_record("C9.1")
    assert not (ledger / "recorded").exists()


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


RECORDS = ({}, {"measure": True}, {"measure": True, "profile": "quick"}, {"profile": "full"})
test_what_does_not_fit_together_is_refused = mistakes(
    *((wrong | {"claim_id": "C1.1", "record": True}, "--run --profile full --record") for wrong in RECORDS),
    ({"claim_id": "C1.1", "profile": "full"}, "--run --profile full"),
    ({"measure": True, "profile": "quik"}, "no profile 'quik'"),
    of=lambda given: claims_command(**given),
)


def test_a_report_of_one_claim(ledger, capsys):
    claims_command("c9.1", measure=True)
    assert "live (quick): holds: +4.0" in capsys.readouterr().out
    assert not record_path("C9.1").exists()
    claims_command("C9.1", measure=True, profile="full", record=True)
    text = capsys.readouterr().out
    told = ("Control: no cause", "live: 8 seeds", "baseline: majority 52", "ratio 1.25", "record: course claims C9.1")
    assert [part for part in told if part not in text] == []


def test_a_damaged_record_does_not_hide_the_ledger(ledger, capsys):
    record_path("C9.2").parent.mkdir()
    record_path("C9.2").write_text("{")
    claims_command()
    assert "Nobody has measured this. damaged record" in printed(capsys)
    for said in (lambda: claims_command("C9.2"), claims_markdown):  # nor does README.md call it unmeasured
        with pytest.raises(CourseError, match=r"C9\.2\.json is damaged"):
            said()


def test_readme_and_its_korean_hold_the_present_table():
    pages = {path.name: path.read_text(encoding="utf-8") for path in readmes()}
    assert set(pages) == {"README.md", "README.ko.md"}
    assert [name for name, page in pages.items() if page != with_claims(page, name)] == [], f"stale. Run: {COMMAND}"


def test_a_row_says_verdict_and_effect(ledger):
    run_and_record("C9.1")
    lines = claims_markdown().splitlines()
    assert lines[0] == "<details><summary>All 2 claims: 1 holds, 1 not measured yet</summary>"
    assert lines[4].startswith("| C9.1 | Up &lt;b&gt;is&lt;/b&gt; up, 배도 그렇다. | holds | +4.")
    assert " points [" in lines[4]
    assert "control" not in lines[4]
    assert lines[5].startswith("| C9.2 | Nobody has measured this. | not measured yet |  | yes | ")


def test_only_what_stands_between_the_lines_is_written(ledger, tmp_path):
    path = tmp_path / "PAGE.md"
    path.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow | 배\n", encoding="utf-8")
    write_page(path)
    assert path.read_text(encoding="utf-8") == f"above\n{BEGIN}\n{claims_markdown()}{END}\nbelow | 배\n"
    path.write_text(f"above\n{END}\n", encoding="utf-8")
    with pytest.raises(CourseError, match=r"PAGE\.md has no place for the claims"):
        write_page(path)
