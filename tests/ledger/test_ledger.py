import pytest

from course.ledger.ledger import recorded, run, run_and_record, show
from course_lib.errors import CourseError


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
    card = show("C9.2")
    assert (card.live, card.record) == (None, None)
    assert repr(card).endswith("not measured yet")


def test_live_and_recorded_stand_side_by_side(ledger):
    assert recorded("C9.1") is None
    assert run_and_record("C9.1").live.findings[0].n == 8
    card = show("C9.1", shift=-4.0)
    assert card.live.word == "contradicted"
    assert card.record.verdict.word == "holds"
    assert card.record.run["command"] == "course claims C9.1 --run --profile full --record"
    text = repr(card)
    assert "live (quick): contradicted: -3.9" in text
    assert f"recorded ({card.record.run['date']}, cpu" in text
    assert "published: 71.3 & more (A paper)" in text
    assert "13.17" not in text  # from memory only


def test_a_slow_claim_is_measured_only_when_asked_for(ledger, monkeypatch):
    rules = ledger / "claims.toml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("live = true", "live = false"), encoding="utf-8")
    assert show("C9.1").live is None
    assert show("C9.1", live=True).live.word == "holds"
    assert show("C9.1", shift=5.0).live.word == "holds"
    monkeypatch.setenv("COURSE_PROFILE", "full")
    assert show("C9.1").live.findings[0].n == 8


def test_nothing_is_recorded_when_judging_fails(ledger, monkeypatch):
    monkeypatch.setattr("course.ledger.judging.MIN_SEEDS", 11)
    with pytest.raises(CourseError, match="8 seeds are too few"):
        run_and_record("C9.1")
    assert not (ledger / "recorded").exists()
