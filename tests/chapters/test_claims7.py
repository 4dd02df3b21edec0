"""What chapter 7's claims are measured with, on networks and sentences small enough to know the answer."""

import numpy as np
import pytest
import torch

from course.chapters.ch07 import claims_masking, claims_objectives
from course.lab.learning import comes_to, searched_rate
from course.lab.probes import layer_rows, sense_split, world_probe
from course.lab.world_bert import (
    LEAKY,
    MASKED,
    Asked,
    Shares,
    new_bert,
    pair_rows,
    sentence_rows,
    train_bert,
    whole_words,
)
from course_lib.data.records import LabelledText, SentencePair
from course_lib.models.shipped import load

TEXT = (("the", "cat", "sees", "Mia", "'s", "dog", "."), ("the", "dog", "sleeps"), ("cats", "see", "the", "dog", "."))
PIECES = whole_words(TEXT)
ROWS = sentence_rows(TEXT, PIECES)


def small(objective="masked", seed=0, width=12, pieces=PIECES):
    return new_bert(pieces, seed, objective=objective, width=width)


def test_a_one_way_twin_sees_its_own_side_only():
    model, ids = small("left-to-right"), torch.tensor([ROWS[0].ids])
    for place in range(ids.shape[1]):
        changed = ids.clone()
        changed[0, place] = (ids[0, place] + 1) % len(PIECES)
        moved = (model(ids).hidden_states[-1] != model(changed).hidden_states[-1]).any(-1)[0].tolist()
        assert moved == [False] * place + [True] * (ids.shape[1] - place)


def test_twins_start_alike():
    masked, twin = small("masked"), small("left-to-right")
    for ours, theirs in zip(masked.parameters(), twin.parameters(), strict=True):
        assert torch.equal(ours, theirs)


def test_one_way_networks_are_asked_for_the_next_piece():
    [batch] = Asked(ROWS, PIECES, objective="left-to-right")()
    for row, column, answer in zip(*(t.tolist() for t in (batch.rows, batch.columns, batch.labels)), strict=True):
        assert batch.input_ids[row, column + 1] == answer
    assert len(batch.labels) == sum(len(row.ids) - 1 for row in ROWS)
    assert PIECES.padding not in batch.labels
    assert PIECES.cls not in batch.labels


def test_a_share_of_the_places_is_asked():
    [batch] = Asked(ROWS * 100, PIECES, objective="left-to-right", shares=Shares(predict=0.1), batch=300)()
    assert len(batch.labels) == pytest.approx(0.1 * 100 * sum(len(row.ids) - 1 for row in ROWS), rel=0.2)
    assert (batch.input_ids != PIECES.mask).all()  # nothing is hidden from a one-way network


def test_the_leaky_network_reads_what_it_is_asked_for():
    [leaky] = Asked(ROWS * 10, PIECES, shares=LEAKY, batch=30)()
    assert torch.equal(leaky.input_ids[leaky.rows, leaky.columns], leaky.labels)
    [masked] = Asked(ROWS * 10, PIECES, shares=MASKED, batch=30)()
    assert torch.equal(masked.labels, leaky.labels)  # the same places are asked
    assert not torch.equal(masked.input_ids, leaky.input_ids)


def test_pairs_have_two_segments_and_an_answer():
    documents = [TEXT, [("birds", "fly"), ("they", "sing", "well")]]
    pieces = whole_words(tuple(words for document in documents for words in document))
    rows = pair_rows(documents, ["home", "sky"], pieces)
    assert {row.follows for row in rows} == {True, False}
    [batch] = Asked(rows, pieces, nsp=True)()
    for ids, segments, real in zip(batch.input_ids, batch.token_type_ids, batch.attention_mask, strict=True):
        first_end = ids.tolist().index(pieces.sep)
        expected = [0] * (first_end + 1) + [1] * (int(real.sum()) - first_end - 1) + [0] * int((~real).sum())
        assert segments.tolist() == expected
    assert sum(batch.is_next.tolist()) == sum(row.follows for row in rows)


def test_half_of_the_pairs_follow_and_the_others_are_from_elsewhere():
    documents, topics = [[(f"d{d}s{s}",) for s in range(3 + d % 7)] for d in range(100)], list("ab" * 50)
    pieces = whole_words(tuple(words for document in documents for words in document))
    places = {pieces.ids(words)[0]: (d, s) for d, document in enumerate(documents) for s, words in enumerate(document)}
    rows = pair_rows(documents, topics, pieces)
    assert len({row.ids[1] for row in rows}) == len(rows) == sum(len(document) - 1 for document in documents)
    assert sum(row.follows for row in rows) == pytest.approx(len(rows) / 2, abs=1)
    for row in rows:
        (d, s), (e, t) = places[row.ids[1]], places[row.ids[3]]
        assert row.follows == (d == e and t == s + 1) == (topics[d] == topics[e])
    a, b, *_ = pieces.vocabulary[-3:]
    repeated = [[(a,), (b,)]] * 30 + [[(b,), (a,)]]  # a repeated sentence is no negative for itself
    for row in pair_rows(repeated, range(31), pieces):
        assert row.follows or row.ids[1] == row.ids[3]


def test_a_word_in_sight_moves_its_own_logits_and_a_hidden_one_does_not():
    model = small()
    hidden, seen = (
        [claims_masking.own_change(model, row, shares, n) for n, row in enumerate(ROWS)]
        for shares in (claims_masking.HIDDEN, LEAKY)
    )
    assert max(hidden) == 0
    assert min(seen) > 1e-3


def test_the_answer_comes_back_in_the_second_layer():
    one, two = claims_masking.crosstalk()
    assert one < 1e-6
    assert two > 1e-2


def test_a_leaky_network_learns_to_copy():
    model = train_bert(small(), ROWS, 0, steps=150, shares=LEAKY, rate=1e-2)
    assert claims_masking.masked_loss(model, ROWS, LEAKY) < 0.2


def test_training_changes_no_other_seed_and_zero_steps_nothing():
    fresh = small(seed=3)
    assert torch.equal(train_bert(small(seed=3), ROWS, 3, steps=0).mlm.bias, fresh.mlm.bias)
    first, again = (train_bert(small(seed=3), ROWS, 3, steps=3) for _ in range(2))
    for ours, theirs in zip(first.parameters(), again.parameters(), strict=True):
        assert torch.equal(ours, theirs)
    assert not torch.equal(first.mlm.bias, fresh.mlm.bias)


def test_loss_of_a_network_that_knows_nothing():
    model = small()
    torch.nn.init.zeros_(model.embedding.tokens.weight)
    assert claims_masking.masked_loss(model, ROWS * 11) == pytest.approx(np.log(len(PIECES)), rel=1e-5)


def test_occurrences_are_equally_many_and_share_no_sentence():
    train, test = claims_masking.occurrences(7, 3, n_sentences=200)
    for part in (train, test):
        words = [words[place] for words, place in part]
        assert len(set(words)) == 7
        assert all(words.count(word) == 3 for word in words)
    assert not {words for words, _ in train} & {words for words, _ in test}


def test_a_hidden_word_leaves_no_trace_of_itself():
    model = small()
    places = [(("the", word, "sleeps"), 1) for word in ("cat", "dog")]
    same = claims_masking.states_at(model, places, hidden=True, layer=-1)
    np.testing.assert_allclose(same[0], same[1], atol=1e-6)
    seen = claims_masking.states_at(model, places, hidden=False, layer=-1)
    assert np.abs(seen[0] - seen[1]).max() > 1e-2
    np.testing.assert_allclose(seen[1], model.encode([places[1][0]], layer=-1)[0][1], atol=1e-5)


def test_the_searched_rate_has_worse_neighbours():
    tried = []

    def score(rate):
        tried.append(rate)
        return -abs(np.log(rate / 2.5e-2))

    assert searched_rate(score, 3e-3) == pytest.approx(2.7e-2)
    assert max(tried) == pytest.approx(8.1e-2)
    assert len(tried) == len(set(tried)) == 5


def test_probe_knows_words_that_it_is_told():
    """An encoder whose vectors are the tags: layer 0 says nothing, layer 1 all."""
    pos = world_probe(5, 7)
    tag_of = {}
    for record in (*pos.words.task.train, *pos.words.task.test):
        tag_of |= dict(zip(record.sentence.words, record.tags["upos"], strict=True))
    names = sorted(set(pos.words.train_tags))

    class Knows:
        def encode(self, sentences, *, layer=None):
            told = [
                np.array([[tag_of[w] == name for name in names] for w in s.words], dtype=np.float32) for s in sentences
            ]
            return [np.stack([np.zeros_like(rows), rows]) for rows in told]

    found = pos.of(Knows())
    assert found.layer == 1
    assert found.score > 90 > found.layers[0]
    assert len(found.right) == len(pos.sentences)


def test_where_a_curve_comes_to_a_goal():
    """In log2 of the steps, on straight lines between the points."""
    assert comes_to(50, (2, 4, 8), (10, 20, 90), 8) == pytest.approx(2 + 30 / 70)
    assert comes_to(60, (2, 4, 8), (10, 70, 30), 8) == pytest.approx(1 + 50 / 60)  # the first time
    assert comes_to(5, (2, 4, 8), (10, 20, 90), 8) == 1  # there from the first point on
    assert comes_to(95, (2, 4, 8), (10, 20, 90), 8) == 3  # never


def test_next_sentences_that_were_read_are_told_by_a_network_that_always_says_yes():
    model = small()
    rows = pair_rows([TEXT] * 3, ["a", "b", "c"], PIECES)
    torch.nn.init.zeros_(model.nsp.weight)
    model.nsp.bias.data.copy_(torch.tensor([1.0, 0.0]))  # yes, it follows
    share = 100 * float(np.mean([row.follows for row in rows]))
    assert claims_objectives.next_right_of(model, rows) == pytest.approx(share)


def test_a_one_way_network_has_one_vector_for_both_senses_where_the_clue_follows():
    """Both sentences of a pair begin alike; a two-way network reads on."""
    split = sense_split("clue side").only(["bank", "seal"])
    pieces = whole_words(tuple(example.sentence.words for example in (*split.train, *split.test)))
    right = [example.cue == "right" for example in split.test]
    for way, same in (("left-to-right", True), ("masked", False)):
        one, other = layer_rows(small(way, pieces=pieces), split)[-1].test[right].reshape(6, 2, -1).swapaxes(0, 1)
        assert np.allclose(one, other, atol=1e-5) == same


def test_left_and_right_of_a_sense_stand_in_the_same_order():
    """The second measurement subtracts them one from one."""
    test = sense_split("clue side").test
    left, right = ([(e.word, e.sense) for e in test if e.cue == side] for side in ("left", "right"))
    assert left == right


class Told:
    """An encoder whose states are the senses of occurrences whose clue stands where it reads; else zeros."""

    def __init__(self, reads):
        split = sense_split("clue side")
        senses = sorted({example.sense for example in split.test})
        known = [*split.train, *(e for e in split.test if e.cue in reads)]
        self.rows = {e.sentence.words: np.eye(len(senses))[senses.index(e.sense)] for e in known}
        self.nothing = np.zeros(len(senses))

    def encode(self, sentences):
        return [np.tile(self.rows.get(s.words, self.nothing), (1, len(s), 1)) for s in sentences]


def test_both_sides_by_hand(monkeypatch):
    """The two-way network knows all, the one-way network nothing where the clue follows: half right there."""
    nets = {"both": Told({"left", "right", "both"}), "left": Told({"left", "both"}), "skipgram-en": load("skipgram-en")}
    monkeypatch.setattr(claims_objectives, "load", nets.get)
    monkeypatch.setattr(claims_objectives, "untrained", lambda net: Told(set()))
    found = claims_objectives.what_both_sides_bring(two_way="both", one_way="left")
    right, more = found.values()
    assert right.values.tolist() == more.values.tolist() == [50.0] * 14 * 2 * 3
    assert right.clusters == more.clusters == [e.word for e in sense_split("clue side").test if e.cue == "right"]
    shown = {side: right.parts[f"left, clue {side}: senses, in %"] for side in ("left", "right", "both")}
    assert shown == {"left": 100.0, "right": 50.0, "both": 100.0}
    assert right.parts["both, cut off after the word, clue right: senses, in %"] == 50.0
    assert right.baselines["both, untrained, clue left: senses, in %"] == 50.0


def test_overlap_and_bag_by_hand():
    pairs = [SentencePair("Mia sees the cat.", "The cat sees Mia.", "next"), SentencePair("A b", "c d", "other")]
    assert claims_objectives.overlap(pairs).tolist() == [[4.0], [0.0]]  # Mia, sees, cat and the full stop
    count = claims_objectives.bag_of([LabelledText("good good bad", "positive")])
    assert count([LabelledText("good new good", "negative")]).tolist() == [[0.0, 2.0]]


def test_cut_shares_nothing():
    parts = claims_objectives.cut([1, 2, 2, 3, 1, 4, 5], 2, 1)
    assert parts == ([1, 2], [3], [4, 5])
