"""Scores of translations against sacreBLEU itself and the course's own BLEU."""

import pytest
import sacrebleu
import torch

from course.lab.world_translator import unseen_pairs, world_pairs
from course.records.translation_scores import sacre_bleu, target_pieces, translations
from course_lib.errors import CourseError
from course_lib.evaluation.bleu import bleu
from course_lib.models.decoding import greedy
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


def test_words_between_spaces_score_as_by_the_courses_bleu():
    assert sacre_bleu(OURS, RIGHT, tokenize="none", n=100)[0].estimate == pytest.approx(bleu(OURS, RIGHT))


def test_sentences_that_are_all_alike_leave_no_interval():
    found, _ = sacre_bleu(OURS[:1] * 5, RIGHT[:1] * 5, n=100)
    assert found.low == pytest.approx(found.estimate) == found.high


def test_translations_keep_the_order_of_the_sources(model):
    records = [pair.parallel().source for pair in unseen_pairs(7, 3, n_pairs=150)]
    assert translations(model, records, beam=1) == [greedy(model, [one])[0].text for one in records]


def test_pieces_of_so_many_steps(model):
    pairs = [pair.parallel() for pair in world_pairs(150)]
    batches = model.batches(pairs, tokens=200, seed=2)
    an_epoch, n_batches = sum(len(pair.target) + 1 for pair in pairs), len(list(batches(0)))
    assert target_pieces(batches, n_batches) == an_epoch
    first = next(batches(1)).target_mask[:, 1:].sum()
    assert target_pieces(batches, n_batches + 1) == an_epoch + int(first)


def test_unequal_numbers():
    with pytest.raises(CourseError, match="3 translations and 2 references"):
        sacre_bleu(OURS, RIGHT[:2])
