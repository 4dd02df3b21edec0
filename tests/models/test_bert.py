"""BERT beyond the battery: what it sees, what it is asked, gaps, pieces and words."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from course_lib.data.masking import Masking
from course_lib.errors import CourseError
from course_lib.models.bert import MaskedPairs, pretraining_loss
from course_lib.models.transformer import CHOICES
from course_lib.training import fit
from tests.models.battery import BANK, KOREAN, RIVER
from tests.models.small_berts import small_bert

NORMS = pytest.mark.parametrize("norm", CHOICES["norm"])


def masked_pairs(model, firsts, seconds=None, next=None, seed=0):
    batch = model.batch(firsts, seconds)
    masking = Masking(len(model.pieces), model.pieces.mask, model.pieces.special_ids)
    masked = masking(batch.ids["pieces"], batch.ids["real"], torch.Generator().manual_seed(seed))
    places = masked.rows, masked.columns, masked.answers
    return MaskedPairs(masked.ids, *places, batch.ids["segments"], batch.ids["real"], next)


def test_a_pair_is_one_row_and_both_sides_see_each_other():
    model = small_bert(BANK + RIVER).eval()
    batch = model.batch([BANK[:3], BANK], [RIVER[:2], RIVER])
    row = model.pieces.tokens(batch.ids["pieces"][0, : int(batch.ids["real"][0].sum())].tolist())
    assert row == ["[CLS]", *BANK[:3], "[SEP]", *RIVER[:2], "[SEP]"]
    assert batch.ids["segments"][0].tolist()[:8] == [0] * 5 + [1] * 3
    assert batch.segment[0].tolist()[:5] == [0, 0, 0, 1, 1]
    alone = model.states(model.batch([BANK[:3]])).layers[-1, 0]
    together = model.states(batch).layers[:, 0, :5]
    assert (alone - together[-1, :3]).abs().max() > 1e-6
    unpadded = model.states(model.batch([BANK[:3]], [RIVER[:2]])).layers[:, 0]
    torch.testing.assert_close(together, unpadded, rtol=1e-5, atol=1e-5)


@NORMS
def test_loss_asks_the_states_of_all_places_in_any_order_and_adds_both_means(norm):
    """The means themselves: `assert_equal_networks` in test_bert_files.py."""
    model = small_bert(BANK + RIVER, norm=norm).eval()
    batch = masked_pairs(model, [BANK, RIVER, BANK], [RIVER, BANK[:3], BANK], torch.tensor([True, False, False]))
    mixed = torch.randperm(len(batch.rows), generator=torch.Generator().manual_seed(1))
    mixed = replace(batch, **{name: getattr(batch, name)[mixed] for name in ("rows", "columns", "labels")})
    output = model(batch.input_ids, batch.token_type_ids, batch.attention_mask)
    logits = model.logits(output.hidden_states[-1], batch.rows, batch.columns)
    whole = pretraining_loss(logits, batch.labels, model.nsp(output.pooled), batch.is_next)
    for found in (model.loss(batch), model.loss(mixed)):
        torch.testing.assert_close(found, whole)
    torch.testing.assert_close(whole["loss"], whole["mlm"] + whole["nsp"])
    assert (whole["count"], whole["counts"]) == (len(batch.labels), {"nsp": 3, "nsp_accuracy": 3})
    without = model.loss(replace(batch, is_next=None))
    torch.testing.assert_close(without["loss"].detach(), whole["mlm"])
    assert "nsp" not in without


def test_accuracies_count_what_is_right():
    model = small_bert(BANK).eval()
    with torch.no_grad():
        model.mlm.bias[9], model.nsp.bias[1] = 99.0, 99.0
    ids, zeros = torch.full((3, 5), 7), torch.zeros(4, dtype=torch.long)
    next = torch.tensor([True, False, False])
    found = model.loss(MaskedPairs(ids, zeros, zeros, torch.tensor([9, 7, 9, 9]), is_next=next))
    assert found["mlm_accuracy"].item() == pytest.approx(3 / 4)
    assert found["nsp_accuracy"].item() == pytest.approx(2 / 3)


@NORMS
def test_it_learns_one_sentence_and_fills_its_gaps(norm):
    model = small_bert(BANK, norm=norm, dropout=0.0, attention_dropout=0.0)
    batches = [masked_pairs(model, [BANK] * 7, seed=seed) for seed in range(60)]
    fit(model, batches, epochs=1, learning_rate=1e-2, seed=0, show=False)
    for place in (1, 4, 7):
        gap = [*BANK[:place], "[MASK]", *BANK[place + 1 :]]
        ((best, probability), *others) = model.fill(gap, k=3)[0]
        assert best == BANK[place]
        assert 0.5 < probability < 1
        assert [p for _, p in others] == sorted((p for _, p in others), reverse=True)
    assert model.training
    assert model.fill(" ".join(gap)) == model.fill(gap)


def test_fill_gives_one_list_per_mask_and_knows_no_row_beyond_the_pieces():
    model = small_bert(BANK)
    with torch.no_grad():
        model.mlm.bias[len(model.pieces) :] = 9.0  # rows of the table that stand for nothing
    found = model.fill("[MASK] paid [MASK] wages", k=2)
    assert [len(answers) for answers in found] == [2, 2]
    assert {piece for answers in found for piece, _ in answers} <= set(model.pieces.vocabulary)
    assert model.fill("\ufeff[MASK]\u200b pa\u00adid\u200b \u200b[MASK] wages\u2060", k=2) == found
    with pytest.raises(CourseError, match=r"no word of 'She paid' is \[MASK\]"):
        model.fill("She paid")


def test_a_word_has_the_vector_of_its_first_piece():
    model = small_bert(["bank"], lowercase=True).eval()
    text = "the banks, Banked"
    words, pieces = model.batch([text]), model.batch([text], unit="piece")
    assert [text[a:b] for a, b in words.spans[0]] == ["the", "banks", ",", "Banked"]
    assert [text[a:b] for a, b in pieces.spans[0]] == ["t", "h", "e", "bank", "s", ",", "Bank", "e", "d"]
    for unit in ("word", "piece"):  # and no mask enters through a text
        assert model.pieces.mask not in model.batch(["the [MASK] bank", ["[MASK]"]], unit=unit).ids["pieces"]
    by_word, by_piece = model.encode([text])[0], model.encode([text], unit="piece")[0]
    np.testing.assert_array_equal(by_word, by_piece[:, [0, 3, 5, 6]])


def test_attentions_name_their_pieces_and_leave_padding_out():
    model = small_bert(BANK + KOREAN).eval()
    batch = model.batch([BANK[:2], KOREAN], [KOREAN[:1], BANK])
    weights, tokens = model.attentions(batch)
    assert tokens[0] == ["[CLS]", *BANK[:2], "[SEP]", *KOREAN[:1], "[SEP]"]
    n = len(tokens[1])
    assert [tuple(weight.shape) for weight in weights] == [(2, 3, n, n)] * 2
    for weight in weights:
        torch.testing.assert_close(weight.sum(-1), torch.ones(2, 3, n))
        assert not weight[0, :, :, len(tokens[0]) :].any()
        assert (weight[0, :, : len(tokens[0]), : len(tokens[0])] > 0).all()


def test_too_many_pieces_of_a_pair_are_named():
    model = small_bert(BANK, max_units=11)
    assert model.batch([["bank"] * 3], [["bank"] * 5]).ids["pieces"].shape == (1, 11)
    with pytest.raises(CourseError, match=r"pair 0 has 9 pieces; at most 8 fit. Shorten"):
        model.batch([["bank"] * 3], [["bank"] * 6])


@NORMS
def test_weights_start_small(norm):
    model = small_bert(norm=norm, d_model=126, d_ff=307)
    for name, parameter in model.named_parameters():
        if parameter.ndim == 2 and parameter.numel() > 10_000:
            assert parameter.std().item() == pytest.approx(0.02, rel=0.05), name
        elif "norm" not in name and parameter.ndim == 1:
            assert not parameter.any(), name


@pytest.mark.parametrize("name", ["dropout", "attention_dropout"])
def test_each_dropout_acts_in_training_only(name):
    model = small_bert(BANK, **({"dropout": 0.0, "attention_dropout": 0.0} | {name: 0.5}))
    batch = model.batch([BANK])
    first, second = (model.train().states(batch).sentence for _ in range(2))
    assert not first.equal(second)
    first, second = (model.eval().states(batch).sentence for _ in range(2))
    assert first.equal(second)
