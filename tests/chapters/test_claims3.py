"""What chapter 3's claims are measured with: small language models, kept vectors, taggers on the same sentences."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from course.lab import lm_taggers, probes
from course.lab.controls import untrained, window_means
from course.lab.lm_taggers import checkpoints, rank_products
from course.lab.tasks import Task
from course.lab.world_models import static_vectors, train_bilm, train_cove
from course.world import World
from course_lib.data.records import Sentence, TaggedSentence
from course_lib.models.encoder import RandomEncoder, StaticVectors
from course_lib.models.word_vectors import WordVectors

TEXT = [["a", "b", "c", "d"][: 2 + number % 3] for number in range(30)]


def tagged(words, tags):
    return TaggedSentence(Sentence.of(words), {"ner": tuple(tags)})


def toy_task(n=23):
    """Names are what follows "Mr"; test names are new."""
    train = [tagged(["Mr", f"N{i}", "came", "x"], ["O", "B-PER", "O", "O"]) for i in range(n)]
    test = [tagged(["y", "Mr", f"T{i}", "came"], ["O", "O", "B-PER", "O"]) for i in range(7)]
    return Task("toy names", "tokens", train, [], test)


def toy_vectors():
    return WordVectors(["Mr", "came", "x", "y"], torch.randn(4, 5, generator=torch.Generator().manual_seed(0)))


@pytest.mark.parametrize("directions", ["both", "forward", "backward"])
@pytest.mark.parametrize("characters", [False, True])
def test_one_direction_is_as_wide_as_two_and_reads_only_its_side(directions, characters):
    model = train_bilm(TEXT, 0, steps=0, directions=directions, characters=characters, width=14)
    assert model.dims == (14, 14, 14)
    before, after = (model.encode([words], layer=-1)[0] for words in (["a", "b", "c"], ["a", "d", "c"]))
    moved = np.abs(before - after).max(1) > 1e-7
    assert moved.tolist() == [directions != "forward", True, directions != "backward"]


def test_window_means_by_hand():
    rows = np.array([[1.0, 2], [3, 4], [5, 9]], dtype=np.float32)
    np.testing.assert_allclose(window_means(rows, reach=1), [[3, 4], [3, 5.5], [3, 4]])
    np.testing.assert_allclose(window_means(rows), [[4, 6.5], [3, 5.5], [2, 3]])
    assert window_means(rows[:1]).tolist() == [[0, 0]]


def test_the_mean_of_rank_products_is_spearmans_correlation_within_each_seed():
    scores, quality = np.random.default_rng(0).normal(size=(5, 3)), [3.0, 1.0, 2.0, 5.0, 4.0]
    products = rank_products(scores, quality)
    expected = [spearmanr(column, quality).statistic for column in scores.T]
    np.testing.assert_allclose(products.mean(1), expected)
    assert rank_products(np.ones((5, 2)), quality).tolist() == [[0] * 5] * 2


def test_checkpoints_are_copies_of_one_training():
    kept = checkpoints([["w", "x", "y", "z"]] * 300, (1, 2, 3), width=6)
    weights = [model.softmax.linear.weight for model in kept]
    assert len(kept) == 3
    assert not torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[1], weights[2])


def test_sense_accuracy_of_an_encoder_that_sees_only_the_word_is_chance():
    parts = [[e for e in part if e.word == "bank"] for part in probes.cued("en", "left", n=197)]
    assert not {e.sentence.words for e in parts[0]} & {e.sentence.words for e in parts[1]}
    assert {e.sense for e in parts[0]} == {"bank.money", "bank.river"}
    assert probes.sense_accuracy(StaticVectors(["bank"], torch.ones(1, 6)), *parts) == 50
    assert probes.sense_accuracy(RandomEncoder(62, n_layers=1, seed=0), parts[0], parts[0]) > 60


def test_one_sided_is_the_mean_over_languages_and_sides_without_joint_cues():
    found = {(lang, side, "both"): np.full(2, value) for lang, value in (("en", 10.0), ("ko", 30.0)) for side in "lr"}
    found |= {("en", "both", "both"): np.full(2, 99.0), ("en", "l", "forward"): np.full(2, 99.0)}
    assert probes.one_sided(found, "both").tolist() == [20, 20]


def test_unseen_words_by_hand():
    task = replace(toy_task(), test=[tagged(["Mr", "N3", "T1", "came"], ["O", "B-PER", "B-PER", "O"])])
    assert lm_taggers.unseen_hits(task, [["O", "O", "B-PER", "O"]]) == 100  # N3 was seen
    assert lm_taggers.unseen_hits(task, [["O", "B-PER", "O", "O"]]) == 0
    assert np.isnan(lm_taggers.unseen_hits(replace(task, test=[]), []))


def test_states_reach_the_tagger():
    """Vectors that name the tag: the tagger with them finds all, without them the words say nothing."""
    bench = lm_taggers.TaggerBench(toy_task(), toy_vectors(), n_labels=13, steps=40, hidden=5)

    class Oracle(RandomEncoder):
        def states(self, batch):
            encoding = super().states(batch)
            known = torch.zeros_like(encoding.layers)
            after = batch.ids["words"][:, :-1] == self.batch([["Mr"]]).ids["words"][0, 0]
            known[:, :, 1:, 0] = 5 * after
            return replace(encoding, layers=known)

    assert bench.scores(Oracle(8), 1)[:, 0].tolist() == [100]


def test_cove_and_static_vectors_are_equally_wide_and_the_static_ones_stay():
    pairs = [pair.parallel() for pair in islice(World(3).pairs(), 130)]
    static = static_vectors([list(pair.source.words) for pair in pairs], 10)
    cove = train_cove(static, pairs, 0, steps=2)
    assert cove.dims[-1] == static.dim == 10
    torch.testing.assert_close(cove.static.embedding.weight, static.embedding.weight)
    fresh = untrained(cove)
    words = [list(pairs[0].source.words)]
    np.testing.assert_allclose(fresh.encode(words, layer=0)[0], cove.encode(words, layer=0)[0])
    assert np.abs(fresh.encode(words, layer=-1)[0] - cove.encode(words, layer=-1)[0]).max() > 1e-3
