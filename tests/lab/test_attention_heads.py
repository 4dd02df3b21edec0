"""Heads of attention: which row and column belong to which word, a head switched off, queries and keys."""

from itertools import islice

import numpy as np
import pytest
import torch

from course.lab.attention_heads import (
    ablation,
    cross_attention,
    cross_weights,
    encoder_weights,
    queries_and_keys,
    switched_off,
    translation_loss,
)
from course_lib.data.world import World
from course_lib.errors import CourseError
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.bert import Bert
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from tests.models.small_berts import small_bert

# Attention weights sentence by sentence: which row and which column belong to which word.


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


# A head that is switched off.


def test_nothing_of_the_head_is_left_and_all_of_it_comes_back():
    attention = MultiHeadAttention(15, 3)
    states = torch.randn(2, 5, 15)
    before = attention(states)[0]
    weight = attention.output.weight.detach().clone()
    with switched_off(attention, 1):
        without = attention(states)[0]
        with torch.no_grad():
            attention.value.weight[5:10] += 1  # what the head reads does not matter any more
        torch.testing.assert_close(attention(states)[0], without)
        with torch.no_grad():
            attention.value.weight[5:10] -= 1
    assert (without - before).abs().max() > 1e-3
    assert torch.equal(attention.output.weight, weight)


def test_comes_back_after_an_error():
    attention = MultiHeadAttention(6, 2)
    weight = attention.output.weight.detach().clone()
    with pytest.raises(RuntimeError), switched_off(attention, 0):
        raise RuntimeError
    assert torch.equal(attention.output.weight, weight)


@pytest.mark.parametrize("cross", [False, True])
def test_ablation_is_of_the_layer_and_head_asked_for(cross):
    pairs = list(islice(World(5).pairs(), 70))  # more than one batch
    config = TransformerConfig(d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0)
    model = Translator(config, Pieces.words(pair[side].words for pair in pairs for side in ("en", "ko"))).eval()
    found = ablation(model, pairs, 1, 2, cross=cross)
    layer = model.decoder.layers[1].cross_attention if cross else model.encoder.layers[1].attention
    with switched_off(layer, 2):
        assert translation_loss(model, pairs) == pytest.approx(found["loss without the chosen head"])
    assert translation_loss(model, pairs) == pytest.approx(found["loss with all heads, in nats"])
    with torch.no_grad():
        whole = float(model.loss(model.batch([pair.parallel() for pair in pairs]))["cross_entropy"])
    assert found["loss with all heads, in nats"] == pytest.approx(whole, rel=1e-5)
    assert found["loss without another head of its layer, mean"] != found["loss without the chosen head"]


# Queries and keys: their products are the model's own attention weights, and no hook stays behind.


WORDS = ["the", "dog", "barked"]


@pytest.fixture
def bert() -> Bert:
    return small_bert(WORDS).eval()


def test_products_are_the_attention_weights(bert):
    batch = bert.batch([["the", "dog"]])
    queries, keys = queries_and_keys(bert, batch)
    weights, _ = bert.attentions(batch)
    assert len(queries) == len(keys) == len(weights) == bert.config.n_layers
    dim = bert.config.d_model // bert.config.n_heads
    for query, key, expected in zip(queries, keys, weights, strict=True):
        assert query.shape == (1, bert.config.n_heads, 4, dim)  # [CLS] the dog [SEP]
        own = (query @ key.transpose(-1, -2) / dim**0.5).softmax(-1)
        torch.testing.assert_close(own, expected, rtol=0, atol=1e-6)


def test_a_later_reading_is_not_noted(bert):
    queries, _ = queries_and_keys(bert, bert.batch([WORDS]))
    bert.attentions(bert.batch([WORDS]))
    assert len(queries) == bert.config.n_layers
