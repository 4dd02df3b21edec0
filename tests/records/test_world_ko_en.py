"""Korean to English on the world: what is recorded is what the translator gives."""

import pytest

from course.lab.world_translator import translator, unseen_pairs, world_bleu, world_pairs
from course.records import translation_record
from course.records.translation_record import COMMANDS, recorded_translation
from course.records.world_ko_en import TEST_SEED, record
from course_lib.models.transformer import TransformerConfig


def test_the_record_is_that_of_the_translator(tmp_path, monkeypatch):
    monkeypatch.setattr(translation_record, "data_dir", lambda *parts: tmp_path.joinpath(*parts))
    small = TransformerConfig(d_model=16, n_heads=2, n_layers=1, d_ff=23, dropout=0.0)
    made = record(steps=40, n_test=11, n_pairs=150, config=small)
    kept = recorded_translation("world-ko-en")
    model = translator(0, steps=40, source="ko", target="en", n_pairs=150, config=small)
    pairs = [pair.parallel("ko") for pair in unseen_pairs(11, TEST_SEED, n_pairs=150)]
    for score, beam in zip(kept.scores, (1, 4), strict=True):
        ours = world_bleu(model, pairs, beam=beam)
        assert ours == 0 or score.bleu == pytest.approx(ours, abs=0.01)  # sacreBLEU smooths where ours says 0
    assert made.samples == kept.samples
    assert [sample.reference for sample in kept.samples] == [" ".join(p.target.words) for p in pairs[:10]]
    assert [sample.translation for sample in kept.samples] == model.translate([p.source for p in pairs])[:10]
    assert kept.facts["target words"] > 40 * 100
    assert kept.run["command"] == COMMANDS["world-ko-en"]
    assert kept.label == "CPU-scale"
    world_pairs.cache_clear()
