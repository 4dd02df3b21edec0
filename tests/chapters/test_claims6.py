"""What chapter 6's claims are measured with, on networks and sentences small enough to know the answer."""

from itertools import islice, pairwise

import numpy as np
import pytest
import torch
from torch import nn

from course.chapters.ch06 import claims_attention, claims_sequence, claims_trained
from course.lab.world_models import lm_text, new_lm, streams, trained_translator
from course.ledger import judge
from course_lib.data.world import World
from course_lib.errors import CourseError
from course_lib.evaluation.losses import mean_loss
from course_lib.models.transformer import TransformerConfig
from course_lib.text.vocabulary import Vocabulary
from course_lib.training.schedules import rise_and_fall

SMALL = TransformerConfig(d_model=10, n_heads=2, n_layers=2, d_ff=13, dropout=0.0)


@pytest.fixture(scope="module")
def pairs():
    return list(islice(World(3).pairs(), 60))


def test_variance_and_its_failure_for_entries_of_mean_one():
    found = claims_attention.variance_of_scores(widths=(7, 50), n_draws=20_000)
    assert found.error < 0.05
    # var(q.k) is d ((sigma^2 + 1)^2 - 1) = 3 d for mean 1 and sigma 1: twice as much more than the formula says
    assert found.parts["entries of mean 1: relative error of the formula"] == pytest.approx(2, abs=0.15)


def test_softmax_numbers_hold_and_the_notes_sign_does_not():
    found = claims_attention.differences_saturate()
    assert judge("C6.4", found).word == "holds"
    assert found.parts["Jacobian with plus off the diagonal, as in the notes: largest error"] > 0.4


def test_jacobian_by_hand():
    jacobian = claims_attention.softmax_jacobian(torch.tensor([0.25, 0.75]))
    assert jacobian.tolist() == [[0.1875, -0.1875], [-0.1875, 0.1875]]


def test_an_lstm_waits_for_each_word_and_attention_does_not():
    lstm, attention = (claims_sequence._by_hand(name, 16) for name in ("LSTM", "attention"))
    three, five, seven = (claims_sequence.sequential_depth(lstm, n, 16) for n in (3, 5, 7))
    assert seven - five == five - three > 2
    assert claims_sequence.sequential_depth(attention, 3, 16) == claims_sequence.sequential_depth(attention, 7, 16)


def test_depth_counts_the_longest_way():
    assert claims_sequence.sequential_depth(lambda x: x.exp().exp().exp() + x, 2, 3) == 5  # the input is a node too


def test_timing_gives_one_number_a_round():
    found = claims_sequence.recurrence_is_serial(width=8, tokens=64, lengths=(4, 16), n_rounds=5, device="cpu")
    assert len(found.values) == 5
    assert found.parts["LSTM, 16 words: ms per step"] > 0


def test_distance_sets_share_no_sentence_and_hold_every_distance():
    train, dev, test = claims_sequence.splits(13, 7)
    beginnings = [{(*one.before, one.word) for one in part} for part in (train, dev, test)]
    assert not beginnings[0] & beginnings[1] | beginnings[1] & beginnings[2] | beginnings[0] & beginnings[2]
    assert {one.distance for one in train} == set(range(21))
    far = [one for one in test if one.task == "copying" and one.distance == 20]
    assert far
    assert all(one.before[2] == one.word for one in far)  # Anna said apple ... and apple


def test_networks_of_equal_size_read_no_padding():
    words = Vocabulary.from_sentences([["a", "b", "c", "d"]], min_count=1)
    items = [claims_sequence.Asked("copying", 0, tuple(text), "d") for text in ("abc", "ca")]
    sizes = {}
    for net in claims_sequence.NETS:
        model = claims_sequence.NextWord(net, words, 16).eval()
        sizes[net] = sum(p.numel() for p in model.parameters())
        both, alone = model.batch(items), model.batch(items[1:])
        torch.testing.assert_close(model(both["ids"], both["lengths"])[1:], model(alone["ids"], alone["lengths"]))
    assert sizes["attention"] == pytest.approx(sizes["LSTM"], rel=0.05)


def test_far_is_the_mean_of_the_tasks():
    items = [claims_sequence.Asked(task, d, ("a",), "b") for task in ("agreement", "copying") for d in (3, 16, 20)]
    right = np.array([False, True, True, True, False, True])  # 100 % and 50 % where it is far
    assert claims_sequence.far(items, right) == 75.0


def test_scores_of_unit_entries_vary_with_d_k():
    torch.manual_seed(0)
    nets = claims_attention.LookUps(5, 64, 1.0)
    scores = nets.query.detach() @ nets.key.detach().transpose(1, 2)
    assert float(scores.var()) == pytest.approx(64, rel=0.1)


def test_look_ups_equal_attention_written_out():
    nets = claims_attention.LookUps(2, 7, 0.5)
    asked, symbols, values = (
        torch.tensor([[3], [1]]),
        torch.tensor([[[3, 1, 2]], [[0, 1, 5]]]),
        torch.tensor([[[4, 0, 6]]] * 2),
    )
    for net in range(2):
        scores = nets.key[net, symbols[net, 0]] @ nets.query[net, asked[net, 0]] * 0.5
        expected = scores.softmax(0) @ nets.value[net, values[net, 0]] @ nets.output[net]
        torch.testing.assert_close(nets(asked, symbols, values)[net, 0], expected)


def test_steps_count_until_learned_and_stop_at_the_most():
    learned = claims_attention.steps_to_learn(16, 0.25, 3e-2, 2, 200, 64, 0)
    assert (learned < 100).all()
    assert claims_attention.steps_to_learn(16, 0.25, 1e-6, 2, 9, 64, 0).tolist() == [9, 9]


def test_answers_of_two_look_ups_are_ordered():
    model = claims_attention.TwoLookUps(8, 2, 2)
    batch = claims_attention.questions(5, seed=1)
    first, second = batch["values"][:, 0], batch["values"][:, 1]
    assert model.gold(batch).tolist() == (first * claims_attention.PAIR_VALUES + second).tolist()
    assert all(len(set(row)) == claims_attention.PAIR_SLOTS for row in batch["symbols"].tolist())


def test_one_look_up_is_learned_by_one_head():
    assert claims_attention.accuracy(1, 1, 32, 200, 1e-2, 0) > 40  # chance is 6


def test_relations_of_the_world(pairs):
    pair = next(p for p in pairs if any(place is not None for place in p.en.antecedents))
    [gold] = claims_trained.antecedents([pair])
    assert all(pair.en.upos[row] == "PRON" and column < row for row, column in gold.items())
    [gold] = claims_trained.syntactic_heads([pair])
    assert all(pair.en.heads[row] == column + 1 for row, column in gold.items())
    assert pair.en.heads.index(0) not in gold
    [gold] = claims_trained.alignments([pair])
    assert {(english, korean) for korean, english in gold.items()} <= set(pair.alignment)


def test_the_head_that_was_planted_is_chosen():
    """Head (1, 0) of 2 x 3 looks at the right column, the others anywhere."""
    draw = np.random.default_rng(0)
    gold = [{0: 1, 1: 2, 2: 3, 3: 0, 4: 1} for _ in range(7)]
    weights = [draw.random((2, 3, 5, 6)) for _ in gold]
    for rows, asked in zip(weights, gold, strict=True):
        for row, column in asked.items():
            rows[1, 0, row, column] = 2
    chosen = claims_trained.choose(weights, gold)
    assert (chosen.layer, chosen.head) == (1, 0)
    assert claims_trained.hits(weights, gold, chosen).all()
    assert chosen.offset == 1
    assert claims_trained.offset_hits(gold, chosen.offset).mean() == pytest.approx(0.6)


def test_the_diagonal_and_the_nearest_noun_by_hand(pairs):
    pair = next(p for p in pairs if len(p.en) != len(p.ko))
    straight = {row: round(row * (len(pair.en) - 1) / (len(pair.ko) - 1)) for row in range(len(pair.ko))}
    assert claims_trained.diagonal([pair], [straight]) == 100
    assert claims_trained.diagonal([pair], [{row: column + 1 for row, column in straight.items()}]) == 0
    place = next(i for i, tag in enumerate(pair.en.upos) if tag in claims_trained.NOUNS)
    assert claims_trained.nearest_noun([pair], [{place + 1: place}]) == 100
    assert claims_trained.nearest_noun([pair], [{place: place}]) == 0


def test_a_model_that_looks_ahead_is_caught(monkeypatch):
    text = lm_text(30)
    model = new_lm(SMALL, text, 0).eval()
    still, moved = claims_sequence.largest_changes(model, text[:7])
    assert still == 0
    assert moved > 1e-4
    monkeypatch.setattr(model, "forward", lambda ids: claims_sequence.unmasked(model, ids))
    assert claims_sequence.largest_changes(model, text[:7])[0] > 1e-4


def test_order_is_lost_without_positions_only():
    found = claims_sequence.order_needs_positions(n_sentences=7)
    assert found.error < 1e-5
    assert found.holds
    assert found.parts["A sees B / B sees A, without positions: largest difference of the mean vector"] < 1e-5
    assert found.parts["A sees B / B sees A, with positions: largest difference of the mean vector"] > 1e-2


def test_warm_up_rises_to_one_then_falls_to_almost_zero():
    rates = [rise_and_fall(step, 50) for step in range(50)]
    assert rates[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert all(a > b for a, b in pairwise(rates[4:]))
    assert 0 < rates[-1] < 0.05


def test_unigram_loss_by_hand():
    # a 2, b 1, [BOS] 1, [EOS] 1 and one for unknown words: 6; test: a c, [BOS], [EOS]
    assert claims_trained.unigram_loss([["a", "a", "b"]], [["a", "c"]]) == pytest.approx(
        (3 * np.log(6) + np.log(3)) / 4
    )


def test_a_run_that_diverges_counts_as_having_learned_nothing(monkeypatch):
    def diverges(model, text, seed, *, schedule, **rest):
        if schedule is claims_trained.linear_decay:
            raise CourseError("fit: the loss is nan")
        return model

    monkeypatch.setattr(claims_trained, "train_lm", diverges)
    monkeypatch.setattr(claims_trained, "CONFIG", SMALL)
    found = claims_trained.post_norm_needs_warmup(n_layers=1, n_sentences=40, rates=(1e-3,), n_seeds=2)
    assert found.parts["post-norm, without warm-up: validation loss"] == found.baselines["unigram loss"]
    assert found.parts["post-norm, without warm-up: runs that diverged or ended no better than unigrams"] == 2


def test_validation_loss_is_a_mean_over_all_tokens():
    text = lm_text(37)
    model = new_lm(SMALL, text, 0).eval()
    nn.init.zeros_(model.embedding.tokens.weight)  # every piece is as likely as another
    assert mean_loss(model, streams(model, text, 0)()) == pytest.approx(np.log(len(model.pieces)), rel=1e-5)


def test_names_of_baselines_are_written_down(monkeypatch):
    """Not cut out of docstrings, which python -OO leaves out and anybody may reword."""
    for rule in (claims_trained.nearest_noun, claims_trained.diagonal):
        monkeypatch.setattr(rule, "__doc__", None)
    found = claims_trained.heads_find_structure(model=trained_translator(0, steps=1), n_sentences=23)
    assert "antecedent: nearest noun or name before the pronoun, in %" in found["antecedent"].baselines
    assert "aligned word: the diagonal, in %" in found["aligned word"].baselines
