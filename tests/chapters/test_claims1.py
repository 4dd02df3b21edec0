"""What chapter 1's claims are measured with: counted company, its controls, accuracy under ties."""

from collections import Counter

import numpy as np
import pytest
import torch

from course.chapters.ch01 import claims as chapter1
from course.lab import company, controls
from course.ledger import judge
from course_lib.text.vocabulary import Vocabulary

TEXT = [["a", "b", "c"], ["b", "a"], ["c", "d", "a", "b"], ["d"]]


def brute_ppmi(sentences, words, window):
    pairs = Counter(
        (w, sentence[j])
        for sentence in sentences
        for i, w in enumerate(sentence)
        for j in range(max(0, i - window), min(len(sentence), i + window + 1))
        if j != i
    )
    total = sum(pairs.values())
    left, right = Counter(), Counter()
    for (w, c), n in pairs.items():
        left[w] += n
        right[c] += n
    return [
        [max(0.0, np.log(pairs[w, c] * total / (left[w] * right[c]))) if pairs[w, c] else 0.0 for c in words]
        for w in words
    ]


@pytest.mark.parametrize("window", [1, 2, 3])
def test_ppmi_equals_counting_pair_by_pair(window):
    vocabulary = Vocabulary.from_sentences(TEXT)
    rows = company.ppmi_rows(TEXT, vocabulary, len(vocabulary), window)
    expected = torch.tensor(brute_ppmi(TEXT, vocabulary.words, window), dtype=torch.float32)
    torch.testing.assert_close(rows, expected, rtol=1e-5, atol=1e-6)


def test_shuffling_keeps_counts_and_lengths_and_little_else():
    text = [[f"w{i % 7}" for i in range(n)] for n in (3, 5, 11)] * 20
    moved = controls.shuffled_text(text, seed=1)
    assert [len(s) for s in moved] == [len(s) for s in text]
    assert Counter(w for s in moved for w in s) == Counter(w for s in text for w in s)
    assert moved != text
    within = controls.shuffled_sentences(text, seed=1)
    assert [sorted(s) for s in within] == [sorted(s) for s in text]
    assert within != text


def test_centred_cosines_keep_nothing_that_a_word_has_with_everybody():
    rows = torch.randn(13, 5) + 3  # all rows lean the same way: every cosine is large
    centred = company.centred_cosines(rows)
    np.testing.assert_allclose(np.nanmean(centred, 1), 0, atol=1e-2)
    plain = torch.nn.functional.normalize(rows, dim=1)
    assert float((plain @ plain.T).mean()) > 0.5


def test_topics_find_planted_groups():
    rng = np.random.default_rng(0)
    groups = [["ship", "sea", "sail"], ["bread", "oven", "dough"]]
    text = [list(rng.choice(groups[block % 2], 4)) for block in range(60) for _ in range(5)]
    topics = company.word_topics(text, [w for g in groups for w in g], n_topics=2, block=5)
    assert len(set(topics[:3])) == len(set(topics[3:])) == 1
    assert topics[0] != topics[3]


@pytest.mark.parametrize(
    ("rows", "labels", "expected"),
    [
        (torch.ones(21, 3), [*"0101", *["0"] * 17], 1 / 2),  # equal vectors: chance, however skewed the senses
        (torch.ones(23, 3), [*"012012", *["0"] * 17], 1 / 3),
        (torch.tensor([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]]), "aabb", 1),
        (torch.tensor([[1.0, 0], [1, 0.1], [0, 1], [0.1, 1]]), "abab", 0),
    ],
)
def test_accuracy_under_ties_by_hand(rows, labels, expected):
    assert chapter1.tied_accuracy(rows, list(labels)) == pytest.approx(expected)


def test_small_runs_return_what_the_rules_ask_for(monkeypatch):
    rng = np.random.default_rng(0)
    words = [f"{letter}{n}" for letter in "abc" for n in range(40)]
    groups = np.array(words).reshape(3, 40)
    text = [list(rng.choice(groups[rng.integers(3)], 7)) for _ in range(3_000)]
    monkeypatch.setattr(chapter1, "text", lambda source, n_words: text)
    first = chapter1.same_company_similar_vectors(n_rows=100, n_pairs=300)
    assert judge("C1.1", first).word == "holds"  # words of a group keep each other's company
    third = chapter1.negative_sampling_keeps_the_neighbours(vocab_size=100, n_queries=50)
    assert judge("C1.3", third).findings[0].n == 50
