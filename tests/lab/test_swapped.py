"""The task of the swapped words: what is swapped, what stays apart, what a network reads of it."""

from collections import Counter

import numpy as np
import pytest
import torch

import course_lib
from course.by_hand.ulmfit import fine_tune, new_head
from course.lab import swapped
from course.lab.baselines import bag_of_words


@pytest.fixture(scope="module")
def task():
    return swapped.Swapped()


def test_one_pair_of_different_words_is_swapped_and_marks_stay():
    words = ("a", "a", ",", "b", "c", ".")
    for seed in range(7):
        assert swapped.swapped(words, seed) == ["a", "a", ",", "c", "b", "."]
    many = [f"w{i}" for i in range(11)]
    seen = set()
    for seed in range(200):
        moved = [i for i, (a, b) in enumerate(zip(many, swapped.swapped(many, seed), strict=True)) if a != b]
        assert len(moved) == 2
        assert moved[1] == moved[0] + 1
        seen.add(moved[0])
    assert seen == set(range(10))


def test_the_parts_share_no_sentence_and_half_is_swapped(task):
    parts = (task.train, task.dev, task.test)
    assert [len(part) for part in parts[1:]] == [swapped.N_DEV, swapped.N_TEST]
    assert len(task.train) > 1_000
    # an order of words aside: a sentence and its swapped form are one
    bags = [{tuple(sorted(record.text.split())) for record in part} for part in parts]
    originals = {" ".join(words) for words in swapped.sentences()}
    assert sum(map(len, bags)) - len(set().union(*bags)) <= 2  # an anagram may be another sentence
    for part in parts:
        count = Counter(record.label for record in part)
        assert abs(count["whole"] - count["swapped"]) <= 1
        assert all((record.text in originals) == (record.label == "whole") for record in part)


def test_samples_grow_and_differ_by_seed(task):
    assert task.sample(30, 3) == task.sample(200, 3)[:30]
    assert task.sample(30, 3) != task.sample(30, 4)


def test_a_network_reads_the_mark_and_the_words_without_padding(task):
    records = task.dev[:7]
    ids, real, labels = task.batch(records)
    assert real.sum(1).tolist() == [1 + len(record.text.split()) for record in records]
    assert labels.tolist() == [int(record.label == "swapped") for record in records]
    lm = task.network().eval()
    with torch.no_grad():
        states = lm(ids)
        alone = lm(ids[3:4, : int(real[3].sum())])
    torch.testing.assert_close(states[3, real[3]], alone[0])
    expected = task.encoder.states(task.encoder.batch([record.text.split() for record in records])).layers[-1][
        3, : alone.shape[1] - 1
    ]
    torch.testing.assert_close(alone[0, 1:], expected[:, : lm.dim])


def test_fewer_rows_give_the_same_states(task):
    whole, records = course_lib.load(swapped.NETWORK), [record.text.split() for record in task.test[:30]]
    assert len(task.encoder.vocabulary) < len(whole.vocabulary) / 2
    for mine, theirs in zip(task.encoder.encode(records), whole.encode(records), strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_each_copy_learns_alone_and_without_layers_stays_frozen(task):
    before = task.network().state_dict()
    rows = task.batch(task.sample(40, 0))
    torch.manual_seed(0)
    moved, frozen, head = task.network(), task.network(), new_head(task.network().dim, 2)
    fine_tune(moved, head, *rows, steps=3, gradual=False)
    frozen.layers = []
    fine_tune(frozen, head, *rows, steps=3)
    assert not torch.equal(moved.state_dict()["encoder.embedding.weight"], before["encoder.embedding.weight"])
    for model in (frozen, task.network()):
        assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    blank = task.network(pretrained=False, seed=1)
    assert not torch.equal(blank.encoder.embedding.weight, moved.encoder.embedding.weight)
    assert 0 <= task.accuracy(frozen, head, "dev") <= 100


def test_counting_words_and_pairs_is_near_chance(task):
    assert abs(bag_of_words(task.sample(800, 0), task.dev) - 50) < 9
