"""Heads of attention: which row and column belong to which word, the head of a relation, a head switched off, queries
and keys."""

from itertools import islice

import numpy as np
import pytest
import torch

from course.lab import attention_heads
from course.world import World, WorldSentence
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.transformer import TransformerConfig
from course_lib.models.translator import Translator
from course_lib.text.pieces import Pieces
from tests.models.small_berts import small_bert


@pytest.fixture(scope="module")
def pairs():
    return list(islice(World(5).pairs(), 7))


def small_translator(pairs):
    torch.manual_seed(0)
    config = TransformerConfig(d_model=12, n_heads=3, n_layers=2, d_ff=17, dropout=0.0)
    return Translator(config, Pieces.words(pair[side].words for pair in pairs for side in ("en", "ko"))).eval()


@pytest.fixture(scope="module")
def model(pairs):
    return small_translator(pairs)


def test_shapes_are_those_of_the_words(model, pairs):
    tables = attention_heads.encoder_weights(model, pairs), attention_heads.cross_weights(model, pairs)
    for pair, own, cross in zip(pairs, *tables, strict=True):
        assert own.shape == (2, 3, len(pair.en), len(pair.en) + 1)
        assert cross.shape == (2, 3, len(pair.ko), len(pair.en) + 1)
        np.testing.assert_allclose(cross.sum(-1), 1, rtol=1e-5)  # nothing is lost to padding
        np.testing.assert_allclose(own.sum(-1), 1, rtol=1e-5)


def test_the_row_of_a_target_word_does_not_know_that_word(model, pairs):
    """Row j predicts word j: replacing the words from j on leaves rows up to j as they are, and moves row j + 1."""
    pair, other = pairs[0].parallel(), pairs[1].parallel()
    j = 2
    changed = type(pair)(pair.source, type(pair.target).of([*pair.target.words[:j], *other.target.words]), ())
    first, second = (model.cross_attentions(model.batch([p]))[0][0][0].numpy() for p in (pair, changed))
    np.testing.assert_allclose(first[:, : j + 1], second[:, : j + 1], atol=1e-6)
    assert np.abs(first[:, j + 1] - second[:, j + 1]).max() > 1e-6


def test_nothing_of_the_head_is_left_and_all_of_it_comes_back():
    attention = MultiHeadAttention(15, 3)
    states = torch.randn(2, 5, 15)
    before = attention(states)
    weight = attention.output.weight.detach().clone()
    with attention_heads.switched_off(attention, 1):
        without = attention(states)
        with torch.no_grad():
            attention.value.weight[5:10] += 1  # what the head reads does not matter any more
        torch.testing.assert_close(attention(states), without)
        with torch.no_grad():
            attention.value.weight[5:10] -= 1
    assert (without - before).abs().max() > 1e-3
    assert torch.equal(attention.output.weight, weight)
    with pytest.raises(RuntimeError), attention_heads.switched_off(attention, 0):
        raise RuntimeError
    assert torch.equal(attention.output.weight, weight)


def test_ablation_is_of_the_layer_and_head_asked_for():
    pairs = list(islice(World(5).pairs(), 70))  # more than one batch
    model = small_translator(pairs)
    found = attention_heads.ablation(model, pairs, 1, 2)
    with attention_heads.switched_off(model.decoder.layers[1].cross_attention, 2):
        assert attention_heads.translation_loss(model, pairs) == pytest.approx(found["loss without the chosen head"])
    assert attention_heads.translation_loss(model, pairs) == pytest.approx(found["loss with all heads, in nats"])
    with torch.no_grad():
        whole = float(model.loss(model.batch([pair.parallel() for pair in pairs]))["cross_entropy"])
    assert found["loss with all heads, in nats"] == pytest.approx(whole, rel=1e-5)
    assert found["loss without another head of its layer, mean"] != found["loss without the chosen head"]


def test_words_in_pieces_are_looked_at_with_the_sum_and_look_with_the_mean():
    bert = small_bert(["the", "dog"]).eval()
    sentences = [["the", "bat", "dog"], ["dog"], ["a", "tea"]]
    spans = [[(1, 2), (2, 5), (5, 6)], [(1, 2)], [(1, 2), (2, 5)]]  # pieces after [CLS]: bat is b ##a ##t
    weights, shown = bert.attentions(bert.batch(sentences))
    assert shown[0] == ["[CLS]", "the", "b", "##a", "##t", "dog", "[SEP]"]
    for number, (found, places) in enumerate(zip(attention_heads.word_weights(bert, sentences), spans, strict=True)):
        whole = torch.stack(weights)[:, number].detach().numpy()
        for i, (a, b) in enumerate(places):
            for j, (c, d) in enumerate(places):
                np.testing.assert_allclose(found[:, :, i, j], whole[:, :, a:b, c:d].sum(-1).mean(-1), rtol=1e-5)


def test_relations_by_hand():
    words = ["Minho", "gave", "a", "book", "to", "Vera", "because", "she", "was", "kind", "."]
    upos = ["PROPN", "VERB", "DET", "NOUN", "ADP", "PROPN", "SCONJ", "PRON", "AUX", "ADJ", "PUNCT"]
    heads, entities = (2, 0, 4, 2, 6, 2, 10, 10, 10, 2, 2), (1, 0, 0, 2, 0, 3, 0, 3, 0, 0, 0)
    blank = ("_",) * len(words)
    sentence = WorldSentence("en", tuple(words), tuple(upos), heads, blank, blank, entities, {}, "")
    assert attention_heads.relations(sentence) == {
        "pronoun to whom it means": {7: 5},
        "subject to its verb": {0: 1},
        "object to its verb": {3: 1},
        "noun after a preposition to its verb": {5: 1},
        "preposition to its noun": {4: 5},
    }


def test_the_head_that_was_planted_is_chosen_on_dev():
    """Head 2.1 of 2 x 3 looks at the right column, the others anywhere; offset +1 is right in three words of five."""
    draw = np.random.default_rng(0)
    gold = [{0: 1, 1: 2, 2: 3, 3: 0, 4: 1}, {}] * 5
    dev, test = ([draw.random((2, 3, 5, 6)) for _ in gold] for _ in range(2))
    for rows, asked in zip(dev, gold, strict=True):
        for row, column in asked.items():
            rows[1, 0, row, column] = 2
    found = attention_heads.relation_head(dev, gold, test, gold)
    assert (found.name, found.offset) == ("2.1", 1)
    assert found.offset_hits.mean() == pytest.approx(0.6)
    assert found.hits.shape == (2, 3, 25)
    assert found.right.mean() < 0.6  # there it looks anywhere: what was chosen is not chosen again on test
    assert found.sentences == [number for number in range(0, 10, 2) for _ in range(5)]
    assert attention_heads.relation_head(test, gold, dev, gold).hits[1, 0].all()


def test_no_word_is_its_own_answer(model, pairs):
    words = [pair.en.words for pair in pairs]
    for encoder in (model, small_bert([word for some in words for word in some], vocab_size=400).eval()):
        for rows, some in zip(attention_heads.looks(encoder, pairs), words, strict=True):
            assert rows.shape[-2:] == (len(some), len(some))
            assert not rows.diagonal(axis1=-2, axis2=-1).any()
        found = attention_heads.heads_by_relation(encoder, pairs, pairs)
        assert len(found["preposition to its noun"].right) == sum(pair.en.upos.count("ADP") for pair in pairs) > 0


def test_products_of_queries_and_keys_are_the_attention_weights_and_no_hook_stays_behind():
    bert = small_bert(["the", "dog", "barked"]).eval()
    batch = bert.batch([["the", "dog"]])
    queries, keys = attention_heads.queries_and_keys(bert, batch)
    weights, _ = bert.attentions(batch)
    assert len(queries) == len(keys) == len(weights) == bert.config.n_layers
    dim = bert.config.d_model // bert.config.n_heads
    for query, key, expected in zip(queries, keys, weights, strict=True):
        assert query.shape == (1, bert.config.n_heads, 4, dim)  # [CLS] the dog [SEP]
        own = (query @ key.transpose(-1, -2) / dim**0.5).softmax(-1)
        torch.testing.assert_close(own, expected, rtol=0, atol=1e-6)
    assert not any(layer.attention._forward_pre_hooks for layer in bert.stack.layers)
