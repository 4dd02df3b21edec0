"""Recorded translators: their scores against sacreBLEU, the record as it was written, the world's from end to end."""

import pytest
import sacrebleu
import torch

from course.lab.world_models import translator, unseen_pairs, world_bleu, world_pairs
from course.records import world_ko_en
from course.records.translation import (
    COMMANDS,
    STORES,
    Sample,
    Score,
    TranslationRecord,
    recorded_translation,
    sacre_bleu,
)
from course_lib.errors import CourseError
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces

OURS = ["The cat sat on the mat, alone.", "He is 3.5 years old.", "A dog runs over green grass now."]
RIGHT = ["The cat sat on a mat, alone.", "He is 3.5 years old!", "A dog runs over the green grass now."]


@pytest.fixture(scope="module")
def model():
    pairs = [pair.parallel() for pair in world_pairs(150)]
    torch.manual_seed(1)
    pieces = Pieces.words(side.words for pair in pairs for side in (pair.source, pair.target))
    yield Translator(TransformerConfig(d_model=16, n_heads=2, n_layers=1, d_ff=23), pieces).eval()
    world_pairs.cache_clear()


@pytest.mark.parametrize("tokenize", ["13a", "none"])
def test_equals_sacrebleu(tokenize):
    found, signature = sacre_bleu(OURS, RIGHT, tokenize=tokenize, n=200)
    assert found.estimate == pytest.approx(sacrebleu.corpus_bleu(OURS, [RIGHT], tokenize=tokenize).score)
    assert found.low < found.estimate < found.high
    assert f"tok:{tokenize}" in signature
    assert "case:mixed" in signature


# A recorded translator comes back as it was written, and is shown as text, never as markup.


RECORD = TranslationRecord(
    "multi30k", "Captions", "CPU-scale", "Compare it with nothing.", ("English", "German"), 1_000, {"pieces": 5},
    {"parameters": 5_234_688, "epochs": 13.5},
    (Score("last", "greedy", 30.5, 29.25, 31.75), Score("mean of the last 5", "beam 4", 32.0, 31.0, 33.0)),
    "tok:13a", (Sample("A <b>man</b> & a dog.", "Ein Mann.", "Ein Mann und ein Hund."),),
    {"command": COMMANDS["multi30k"], "date": "2026-11-22", "device": "cpu"},
)  # fmt: skip


def test_comes_back_as_it_was_written(own_records):
    assert recorded_translation("multi30k") is None
    STORES["multi30k"].write(RECORD)
    assert recorded_translation("multi30k") == RECORD
    assert recorded_translation("world-ko-en") is None
    with pytest.raises(CourseError, match="There are: multi30k, world-ko-en"):
        recorded_translation("wmt14")


def test_label_scores_and_origin_are_shown_in_both_forms():
    told = ("CPU-scale, 1,000 test", "30.5 [29.2, 31.8]", "Compare it with", "5,234,688 parameters", "2026-11-22")
    assert all(part in text for part in told for text in (repr(RECORD), RECORD._repr_html_()))
    assert "A <b>man</b> & a dog." in repr(RECORD)
    assert "A &lt;b&gt;man&lt;/b&gt; &amp; a dog." in RECORD._repr_html_()


# Korean to English on the world: what is recorded is what the translator gives.


def test_the_record_is_that_of_the_translator(monkeypatch, own_records):
    small, model = TransformerConfig(d_model=16, n_heads=2, n_layers=1, d_ff=23, dropout=0.0), None

    def seen(seed, **given):
        nonlocal model
        assert (seed, given["source"], given["steps"]) == (0, "ko", 20)
        model = translator(seed, **given)
        return model

    monkeypatch.setattr(world_ko_en, "translator", seen)
    made = world_ko_en.record(steps=20, n_test=11, n_pairs=150, config=small)
    kept = recorded_translation("world-ko-en")
    pairs = [pair.parallel("ko") for pair in unseen_pairs(11, world_ko_en.TEST_SEED, n_pairs=150)]
    for score, beam in zip(kept.scores, (1, 4), strict=True):
        ours = world_bleu(model, pairs, beam=beam)
        assert ours == 0 or score.bleu == pytest.approx(ours, abs=0.01)  # sacreBLEU smooths where ours says 0
    assert made.samples == kept.samples
    assert [sample.reference for sample in kept.samples] == [" ".join(p.target.words) for p in pairs[:10]]
    assert [sample.translation for sample in kept.samples] == model.translate([p.source for p in pairs])[:10]
    assert kept.facts["target words"] > 20 * 100
    assert kept.run["command"] == COMMANDS["world-ko-en"]
    assert kept.label == "CPU-scale"
    world_pairs.cache_clear()
