"""The translator of the world: its text, unseen sentences, and its training."""

from types import SimpleNamespace

import pytest

from course.lab import world_models
from course.lab.world_models import translator, unseen_pairs, world_bleu, world_pairs
from course_lib.models.transformer import TransformerConfig

SMALL = TransformerConfig(d_model=16, n_heads=2, n_layers=1, d_ff=23, dropout=0.0)
N_PAIRS = 150


@pytest.fixture(scope="module", autouse=True)
def _small_text():
    world_pairs.cache_clear()
    yield
    world_pairs.cache_clear()


def test_unseen_pairs_are_new_and_of_known_words():
    known = world_pairs(N_PAIRS)
    found = unseen_pairs(13, 1, n_pairs=N_PAIRS)
    assert len(found) == len({pair.en.words for pair in found}) == 13
    for language in ("en", "ko"):
        assert not {pair[language].words for pair in found} & {pair[language].words for pair in known}
        words = {word for pair in known for word in pair[language].words}
        assert all(word in words for pair in found for word in pair[language].words)


@pytest.mark.parametrize("source", ["en", "ko"])
def test_learns_either_direction(source):
    start, model = (translator(0, steps=n, tokens=200, n_pairs=N_PAIRS, config=SMALL, source=source) for n in (0, 25))
    pairs = [pair.parallel(source) for pair in world_pairs(N_PAIRS)[:5]]
    before, after = (one.loss(one.batch(pairs))["cross_entropy"].item() for one in (start, model))
    assert after < before - 0.5
    assert not model.training
    assert 0 <= world_bleu(model, pairs) <= 100
    assert pairs[0].target.words[0] in model.pieces.tokenizer


def test_bleu_of_the_reference_is_100(monkeypatch):
    pairs = [pair.parallel() for pair in world_pairs(N_PAIRS)[:7]]
    right = [SimpleNamespace(text=" ".join(pair.target.words)) for pair in pairs]
    monkeypatch.setattr(world_models, "greedy", lambda model, sources: right)
    monkeypatch.setattr(world_models, "beam_search", lambda model, sources, beam: [SimpleNamespace(text="x")] * 7)
    assert world_bleu(None, pairs) == pytest.approx(100)
    assert world_bleu(None, pairs, beam=4) == 0
