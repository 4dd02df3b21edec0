"""What chapter 6's claims are measured with, on networks and sentences small enough to know the answer."""

from itertools import islice, pairwise
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from course.chapters.ch06 import claims_attention, claims_sequence, claims_trained
from course.lab.losses import mean_loss
from course.lab.recall import guessing
from course.lab.world_models import lm_text, new_lm, streams, trained_translator
from course.world import World
from course_lib.errors import CourseError
from course_lib.models.transformer import TransformerConfig
from course_lib.training.schedules import rise_and_fall

SMALL = TransformerConfig(d_model=10, n_heads=2, n_layers=2, d_ff=13, dropout=0.0)


@pytest.fixture(scope="module")
def pairs():
    return list(islice(World(3).pairs(), 60))


def test_an_lstm_waits_for_each_word_and_attention_does_not():
    lstm, attention = (claims_sequence._by_hand(name, 16) for name in ("LSTM", "attention"))
    three, five, seven = (claims_sequence.sequential_depth(lstm, n, 16) for n in (3, 5, 7))
    assert seven - five == five - three > 2
    assert claims_sequence.sequential_depth(attention, 3, 16) == claims_sequence.sequential_depth(attention, 7, 16)


def test_depth_counts_the_longest_way():
    assert claims_sequence.sequential_depth(lambda x: x.exp().exp().exp() + x, 2, 3) == 5  # the input is a node too


def test_timing_gives_one_number_a_round():
    for measure in (claims_sequence.recurrence_is_serial, claims_sequence.recurrence_waits_on_a_gpu):
        found = measure(width=8, tokens=64, lengths=(4, 16), n_rounds=5, device="cpu")
        assert len(found.values) == 5
        assert found.parts["LSTM, 16 words: ms per step"] > 0


def test_load_is_told_from_distance(monkeypatch):
    """A network that knows all of two pairs and half of the others, at any distance; and one that only guesses."""
    draw = np.random.default_rng(0)

    class Known:
        def __init__(self, net, steps, rate, seed):
            self.net = net

        def right(self, load, seed, n=2_000):
            share = 1.0 if self.net == "attention" or load == 2 else 0.5 + guessing(load) / 2
            return draw.random(40_000) < share, draw.integers(load, size=40_000)

    monkeypatch.setattr(claims_sequence, "trained", Known)
    monkeypatch.setattr(claims_sequence, "answered", lambda model, load, seed, n=2_000: model.right(load, seed, n))
    found = claims_sequence.attention_keeps_apart(n_seeds=3)
    assert found.values == pytest.approx([50] * 3, abs=2)
    assert found.control.values == pytest.approx([0] * 3, abs=3)
    assert found.positive_control.values == pytest.approx([100] * 3)
    assert found.parts["LSTM, 32 pairs: right, in %"] == pytest.approx(50 + 50 * guessing(32), abs=2)
    for load in (2, 16, 32):
        assert claims_sequence.beyond_guessing(draw.random(40_000) < guessing(load), load) == pytest.approx(0, abs=2)


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
    learned = claims_attention.steps_to_learn(16, 0.25, 3e-2, 2, 200)
    assert (learned < 100).all()
    assert claims_attention.steps_to_learn(16, 0.25, 1e-6, 2, 9).tolist() == [9, 9]


def test_answers_of_two_look_ups_are_ordered():
    model = claims_attention.TwoLookUps(8, 2, 2)
    batch = claims_attention.questions(5, seed=1)
    first, second = batch["values"][:, 0], batch["values"][:, 1]
    assert model.gold(batch).tolist() == (first * claims_attention.PAIR_VALUES + second).tolist()
    assert all(len(set(row)) == claims_attention.PAIR_SLOTS for row in batch["symbols"].tolist())


def test_one_look_up_is_learned_by_one_head():
    assert claims_attention.accuracy(1, 1, 32, 200, 1e-2, 0) > 40  # chance is 6


def test_alignments_are_those_of_the_world(pairs):
    pair = next(p for p in pairs if any(place is not None for place in p.en.antecedents))
    [gold] = claims_trained.alignments([pair])
    assert {(english, korean) for korean, english in gold.items()} <= set(pair.alignment)


def test_the_diagonal_and_the_nearest_noun_by_hand(pairs):
    pair = next(p for p in pairs if len(p.en) != len(p.ko))
    straight = {row: round(row * (len(pair.en) - 1) / (len(pair.ko) - 1)) for row in range(len(pair.ko))}
    assert claims_trained.diagonal([pair], [straight]) == 100
    assert claims_trained.diagonal([pair], [{row: column + 1 for row, column in straight.items()}]) == 0


def test_the_nearest_person_by_hand():
    for between, right in (((), True), (("met", "the", "actor"), True), (("met", "Vera"), False)):
        words = ("Minho", *between, "he")
        upos = tuple("PROPN" if word.istitle() else "PRON" if word == "he" else "X" for word in words)
        pair = SimpleNamespace(en=SimpleNamespace(upos=upos, antecedents=(*[None] * (len(words) - 1), 0)))
        assert claims_trained.nearest_person([pair]).tolist() == [right]


def test_a_model_that_looks_ahead_is_caught(monkeypatch):
    text = lm_text(30)
    model = new_lm(SMALL, text, 0).eval()
    still, moved = claims_sequence.largest_changes(model, text[:7])
    assert still == 0
    assert moved > 1e-4
    monkeypatch.setattr(model, "forward", lambda ids: claims_sequence.unmasked(model, ids))
    assert claims_sequence.largest_changes(model, text[:7])[0] > 1e-4


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


def test_a_head_is_held_against_the_best_rule():
    found = claims_trained.heads_find_structure(model=trained_translator(0, steps=1), n_sentences=23)
    rules = {"pronoun to whom it means": "nearest name or pronoun", "object to its verb": "best fixed offset"}
    assert "aligned word: the diagonal, in %" in found["aligned word"].baselines
    for of, rival in rules.items():
        [beaten] = (value for label, value in found[of].baselines.items() if rival in label)
        assert found[of].values.mean() == pytest.approx(found[of].parts[f"{of}: right, in %"] - beaten)
