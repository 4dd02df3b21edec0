"""Attention weights sentence by sentence: which row and which column belong to which word."""

from itertools import islice

import numpy as np
import pytest
import torch

from course.lab.head_weights import cross_attention, cross_weights, encoder_weights
from course_lib.data.world import World
from course_lib.errors import CourseError
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces


@pytest.fixture(scope="module")
def pairs():
    return list(islice(World(5).pairs(), 7))


@pytest.fixture(scope="module")
def model(pairs):
    torch.manual_seed(0)
    config = TransformerConfig(d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0)
    return Translator(config, Pieces.words(pair[side].words for pair in pairs for side in ("en", "ko"))).eval()


@pytest.mark.parametrize("source", ["en", "ko"])
def test_shapes_are_those_of_the_words(model, pairs, source):
    target = "ko" if source == "en" else "en"
    for pair, own, cross in zip(
        pairs, encoder_weights(model, pairs, source), cross_weights(model, pairs, source), strict=True
    ):
        assert own.shape == (2, 3, len(pair[source]), len(pair[source]) + 1)
        assert cross.shape == (2, 3, len(pair[target]), len(pair[source]) + 1)
        np.testing.assert_allclose(cross.sum(-1), 1, rtol=1e-5)  # nothing is lost to padding
        np.testing.assert_allclose(own.sum(-1), 1, rtol=1e-5)


def test_a_sentence_alone_gives_the_same(model, pairs):
    for of in (encoder_weights, cross_weights):
        np.testing.assert_allclose(of(model, pairs)[3], of(model, pairs[3:4])[0], atol=1e-6)


def test_the_row_of_a_target_word_does_not_know_that_word(model, pairs):
    """Row j predicts word j: replacing the words from j on leaves rows up to j as they are, and moves row j + 1."""
    pair, other = pairs[0].parallel(), pairs[1].parallel()
    j = 2
    changed = type(pair)(pair.source, type(pair.target).of([*pair.target.words[:j], *other.target.words]), ())
    first, second = (model.cross_attentions(model.batch([p]))[0][0][0].numpy() for p in (pair, changed))
    np.testing.assert_allclose(first[:, : j + 1], second[:, : j + 1], atol=1e-6)
    assert np.abs(first[:, j + 1] - second[:, j + 1]).max() > 1e-6


def test_the_heatmap_has_the_gold_alignment(model, pairs):
    pair = pairs[0]
    found = cross_attention(model, pair)
    assert found.weights.shape[2:] == found.gold.shape == (len(found.targets), len(found.sources))
    assert {(int(e), int(k)) for k, e in np.argwhere(found.gold)} == set(pair.alignment)
    assert found.sources[-1] == "[EOS]"
    assert not found.gold[:, -1].any()


def test_sub_words_are_refused(model, pairs):
    pieces = Pieces.bpe([pair.en.words for pair in pairs], 60)
    with pytest.raises(CourseError, match="sub-words"):
        encoder_weights(Translator(model.config, pieces), pairs)
