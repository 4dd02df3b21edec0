"""A recorded translator comes back as it was written, and is shown as text, never as markup."""

import json

import pytest

from course.records import translation_record
from course.records.translation_record import (
    COMMANDS,
    Sample,
    Score,
    TranslationRecord,
    recorded_translation,
    translation_path,
    write_translation,
)
from course_lib.errors import CourseError

RECORD = TranslationRecord(
    "multi30k", "Captions", "CPU-scale", "Compare it with nothing.", ("English", "German"), 1_000, {"pieces": 5},
    {"parameters": 5_234_688, "epochs": 13.5},
    (Score("last", "greedy", 30.5, 29.25, 31.75), Score("mean of the last 5", "beam 4", 32.0, 31.0, 33.0)),
    "tok:13a", (Sample("A <b>man</b> & a dog.", "Ein Mann.", "Ein Mann und ein Hund."),),
    {"command": COMMANDS["multi30k"], "date": "2026-11-22", "device": "cpu"},
)  # fmt: skip


@pytest.fixture(autouse=True)
def _own_records(tmp_path, monkeypatch):
    monkeypatch.setattr(translation_record, "data_dir", lambda *parts: tmp_path.joinpath(*parts))


def test_comes_back_as_it_was_written():
    assert recorded_translation("multi30k") is None
    write_translation(RECORD)
    assert recorded_translation("multi30k") == RECORD
    assert recorded_translation("world-ko-en") is None


def test_label_scores_and_origin_are_shown_in_both_forms():
    for text in (repr(RECORD), RECORD._repr_html_()):
        for part in (
            "Captions: CPU-scale, 1,000 test sentences", "30.5 [29.2, 31.8]", "32.0 [31.0, 33.0]", "Compare it with",
            "5,234,688 parameters, 13.5 epochs", "2026-11-22 on cpu", COMMANDS["multi30k"], "Ein Mann und ein Hund.",
        ):  # fmt: skip
            assert part in text
    assert "A <b>man</b> & a dog." in repr(RECORD)
    assert "A &lt;b&gt;man&lt;/b&gt; &amp; a dog." in RECORD._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, "format 2, this version reads 1"),
        ({"scores": []}, "0 scores"),
        ({"scores": [{"bleu": 1}]}, r"damaged \(TypeError"),
        ({"name": "world-ko-en"}, "it holds 'world-ko-en'"),
    ],
)
def test_damaged_records_name_the_remedy(change, message):
    path = write_translation(RECORD)
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | change), encoding="utf-8")
    with pytest.raises(CourseError, match=message):
        recorded_translation("multi30k")
    path.write_text("[", encoding="utf-8")
    with pytest.raises(CourseError, match="record it again: python -m"):
        recorded_translation("multi30k")


def test_unknown_names():
    with pytest.raises(CourseError, match="There are: multi30k, world-ko-en"):
        recorded_translation("wmt14")


def test_what_the_project_holds_can_be_read(monkeypatch):
    from course_lib.config import data_dir

    monkeypatch.setattr(translation_record, "data_dir", data_dir)
    for name in COMMANDS:
        record = recorded_translation(name)
        assert (record is not None) == translation_path(name).exists()
        assert record is None or (record.label.startswith("CPU-scale") and record.samples)
