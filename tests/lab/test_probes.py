"""Balanced weights, shuffled controls, and occurrences cut out of their sentences."""

from collections import Counter

import numpy as np
import pytest

from course.lab import probes
from course.lab.probes import Rows, SenseSplit, balanced, joined, layer_rows, sense_hits
from course_lib.data.records import SenseExample, Sentence
from course_lib.models.encoder import RandomEncoder


def example(word, sense, *around, at=0):
    words = [*around[:at], word, *around[at:]]
    return SenseExample(Sentence.of(words), at, word, sense)


def skewed(n_bank=7, n_key=3):
    """bank: money far more often than river; key: one each of two and more of the third."""
    train = [
        example(w, s, s, at=1) for w, s in (("bank", "money"), ("bank", "river"), ("key", "lock"), ("key", "piano"))
    ]
    test = [example("bank", "money", "x")] * n_bank + [example("bank", "river", "x")] * 2
    test += [example("key", "lock", "x")] * n_key + [example("key", "piano", "x")]
    return SenseSplit(2 * train, test, "made up")


def test_balanced_is_the_mean_over_words_of_balanced_accuracy():
    split = skewed()
    hits = np.random.default_rng(0).integers(2, size=len(split.test)).astype(float)
    by_word = []
    for word in ("bank", "key"):
        by_sense = {sense: [] for sense in {e.sense for e in split.test if e.word == word}}
        for hit, asked in zip(hits, split.test, strict=True):
            if asked.word == word:
                by_sense[asked.sense].append(hit)
        by_word.append(np.mean([np.mean(found) for found in by_sense.values()]))
    assert balanced(hits, split) == pytest.approx(100 * np.mean(by_word))
    assert 0 < balanced(hits, split) < 100
    assert split.weights().sum() == pytest.approx(2)


def test_only_senses_of_the_own_word_are_asked():
    split = skewed(1, 1)
    senses = ["money", "river", "lock", "piano"]
    train = np.array([np.eye(4)[senses.index(e.sense)] for e in split.train])
    # bank's occurrences are nearest to a sense of key, and then to their own
    test = np.array(
        [np.eye(4)[senses.index(e.sense)] + 3 * np.eye(4)[2 if e.word == "bank" else 0] for e in split.test]
    )
    assert sense_hits(Rows(train, test), split).tolist() == [1] * 5


def test_shuffling_moves_senses_within_a_word_and_part_only():
    split = skewed(13, 11)
    moved = split.shuffled(seed=1)
    for part in ("train", "test"):
        old, new = getattr(split, part), getattr(moved, part)
        assert Counter((e.word, e.sense) for e in old) == Counter((e.word, e.sense) for e in new)
        assert [(e.word, e.sentence) for e in old] == [(e.word, e.sentence) for e in new]
        assert [e.sense for e in old] != [e.sense for e in new]


def test_layer_rows_are_the_encoders_vectors_at_the_word(monkeypatch):
    monkeypatch.setattr(probes, "_CHUNK", 2)
    occurrences = [
        example("bank", s, "the", "of", "it", at=at) for s, at in (("a", 0), ("b", 1), ("a", 3), ("b", 2), ("a", 1))
    ]
    encoder = RandomEncoder(6)
    layers = layer_rows(encoder, SenseSplit(occurrences, occurrences[:3], ""))
    assert [rows.train.shape for rows in layers] == [(5, 6)] * 3
    for number, e in enumerate(occurrences):
        alone = encoder.encode([e.sentence])[0][:, e.position]
        for layer, rows in enumerate(layers):
            np.testing.assert_allclose(rows.train[number], alone[layer], atol=1e-6)
    assert np.ptp(layers[0].train, 0).max() == 0
    assert np.ptp(layers[1].train, 0).max() > 0


def test_a_word_of_two_sets_counts_twice():
    both = joined([skewed(), skewed(5, 5)])
    assert set(both.words) == {"bank", "key", "bank (2)", "key (2)"}
    assert both.weights().sum() == pytest.approx(4)
