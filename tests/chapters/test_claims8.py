"""What chapter 8's claims are measured with, on networks and tasks small enough to know the answer."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from course.chapters.ch08 import claims as chapter8
from course.chapters.ch08.claims import best_for_all, scored, two_layer_tagger
from course.lab.controls import untrained
from course.lab.kept_states import KeptStates
from course.lab.learning import Recipe, best_rate, fine_tune
from course.lab.tasks import KINDS
from course.ledger import judge
from course.ledger.rules import get_claim
from tests.lab import four_samples

FEW = Recipe(rate=1e-2, epochs=1, min_steps=5, max_steps=8, batch_size=8)
FEWER = Recipe(rate=3e-2, epochs=1, min_steps=3, max_steps=4, batch_size=8)


@pytest.fixture
def small(monkeypatch):
    """Small tasks in the place of the handmade ones; arguments of a measurement that is over in seconds."""
    monkeypatch.setattr(chapter8, "four_tasks", lambda source, **sizes: four_samples.tasks())
    return {"encoder": four_samples.bert(), "recipe": FEW, "rates": (1e-2,), "n_test": 7, "n_spans": 7}


def test_a_recipe_s_steps_and_rates():
    recipe = Recipe(epochs=3, min_steps=5, max_steps=20, batch_size=8, warmup=0.2)
    assert [recipe.steps(n) for n in (1, 16, 17, 1_000)] == [5, 6, 9, 20]
    factors = [recipe.schedule(step, 10) for step in range(10)]
    np.testing.assert_allclose(factors, [0.5, 1.0, *[(11 - step) / 9 for step in range(3, 11)]])


def test_from_scratch_is_the_same_network_with_other_numbers():
    bert = four_samples.bert()
    first, again, other = untrained(bert, 1), untrained(bert, 1), untrained(bert, 2)
    assert (first.config, first.pieces) == (bert.config, bert.pieces)
    rows = [model.embedding.tokens.weight for model in (first, again, other, bert)]
    assert torch.equal(rows[0], rows[1])
    assert not torch.equal(rows[0], rows[2])
    assert not torch.equal(rows[0], rows[3])


@pytest.mark.parametrize("frozen", [False, True])
def test_fine_tuning_leaves_the_start_alone_and_frozen_its_copy_too(frozen):
    bert = four_samples.bert()
    before = {name: row.clone() for name, row in bert.state_dict().items()}
    head = fine_tune(four_samples.names_task(), bert, 8, 0, FEW, frozen=frozen)
    assert all(torch.equal(row, before[name]) for name, row in bert.state_dict().items())
    moved = any(not torch.equal(row, before[name]) for name, row in head.encoder.state_dict().items())
    assert moved is not frozen
    assert not bert.frozen


@pytest.mark.parametrize("kind", KINDS)
def test_every_task_is_learned_by_the_same_recipe(kind):
    task = four_samples.tasks()[kind]
    recipe = Recipe(rate=1e-2, min_steps=120, max_steps=120, batch_size=8)
    head = fine_tune(task, four_samples.bert(), len(task.train), 0, recipe)
    assert task.score(head) > 80
    assert task.score(head) > task.majority() + 20


def test_the_better_rate_is_chosen_and_one_alone_is_not_tried():
    assert best_rate((1e-9, 1e-2, 1e-1), {1e-9: 50, 1e-2: 70, 1e-1: 70}.get) == 1e-2
    assert best_rate((1e-9,), lambda rate: pytest.fail("tried")) == 1e-9


def test_the_rate_for_all_is_the_best_on_the_mean():
    assert best_for_all({"a": {0.1: 90, 0.2: 80}, "b": {0.1: 50, 0.2: 70}}) == 0.2
    assert best_for_all({"a": {0.1: 90, 0.2: 70}, "b": {0.1: 50, 0.2: 70}}) == 0.1


@pytest.fixture
def words(monkeypatch):
    """One small task in the place of the public ones, of a network that has learned pairs before."""
    model = fine_tune(four_samples.pair_task(), four_samples.bert(), 9, 0, FEW).encoder.eval()
    monkeypatch.setattr(chapter8, "word_task", lambda name, *sizes: (four_samples.names_task(), model))
    chapter8.tuned_score.cache_clear()
    yield {"n_labels": 5, "recipe": FEW}
    chapter8.tuned_score.cache_clear()


def test_pre_trained_and_from_scratch_are_judged(words):
    found = chapter8.pre_trained_beats_scratch(**words)
    assert list(found) == [rule.name for rule in get_claim("C8.2").rules] == list(chapter8.NETWORKS)
    assert len(judge("C8.2", found).findings) == 3
    for name, measured in found.items():
        majority, _, scratch = measured.baselines.values()
        pre_trained, above, over = measured.parts.values()
        assert measured.values.mean() == pytest.approx(pre_trained - scratch)
        assert above.values.mean() == pytest.approx(scratch - majority)
        assert over.values.mean() == pytest.approx(pre_trained - [*measured.baselines.values()][1])
        assert all(f"({name})" in label for label in [*measured.baselines, *measured.parts])


def test_pre_trained_that_is_from_scratch_gains_nothing(words, monkeypatch):
    monkeypatch.setattr(chapter8, "untrained", lambda encoder, seed: encoder)
    found = chapter8.pre_trained_beats_scratch(**words, n_seeds=2)
    assert all(not measured.values.any() for measured in found.values())


def test_public_words_are_cut_into_parts_that_share_nothing(monkeypatch):
    task = four_samples.names_task()
    chapter8.word_task.cache_clear()
    monkeypatch.setattr(chapter8, "opened", lambda name: four_samples.bert())
    monkeypatch.setattr(chapter8, "tagged", lambda *of: replace(task, dev=[]))
    found, _ = chapter8.word_task("tags", "public", 3, 4)
    chapter8.word_task.cache_clear()
    texts = [{" ".join(record.sentence.words) for record in part} for part in (found.train, found.dev, found.test)]
    assert [len(part) for part in texts] == [len(task.train) - 3, 3, 4]
    assert not texts[0] & texts[1]


def test_one_recipe_is_judged_by_what_it_costs(small):
    found = chapter8.one_recipe_serves_four_tasks(**small | {"rates": (1e-4, 3e-2)}, n_labels=5)
    verdict = judge("C8.4", found)
    starts = ["bag of words (sentence)", "word overlap (pair)", "dictionary (tokens)", "overlap window (span)"]
    assert [name.split(":")[0] for name in verdict.baselines] == starts
    one, best, over = ([*found.parts.values()][part::3] for part in range(3))
    assert found.values.mean() == pytest.approx(np.mean(best) - np.mean(one))
    for score, alone, gain in zip(one, found.baselines.values(), over, strict=True):
        assert gain.values.mean() == pytest.approx(score - alone)


def test_the_larger_head_has_two_layers_and_its_seed():
    kept = KeptStates(four_samples.bert(), beside=range(3))  # 3 layers of 12
    task = four_samples.names_task()
    head, again = (two_layer_tagger(kept, task, 5, seed=3) for _ in range(2))
    lstm = sum(2 * 4 * 5 * (n_in + 5 + 2) for n_in in (36, 10))
    assert sum(p.numel() for p in head.parameters()) == lstm + len(task.labels) * (10 + 1)
    assert all(torch.equal(a, b) for a, b in zip(head.parameters(), again.parameters(), strict=True))


def test_a_system_is_scored_with_the_better_rate():
    task = four_samples.names_task()

    class Fixed:
        def __init__(self, seed, rate):
            self.right = rate == 0.2 and seed % 2 == 0

        def predict(self, records):
            return [list(r.tags["ner"]) if self.right else ["O"] * len(r.sentence) for r in records]

    found = scored(task, Fixed, (0.1, 0.2), range(3))
    assert (found.rate, found.dev) == (0.2, 100)  # right on dev: the seed of dev is even
    assert found.scores.tolist() == [100, 0, 100]
    assert scored(task, Fixed, (0.1,), ()).scores.size == 0


def test_fine_tuned_and_frozen_are_judged(words):
    measured = chapter8.fine_tuning_beats_frozen(**words, frozen_rates=(1e-2, 3e-2), frozen_recipe=FEWER, hidden=5)
    assert list(measured) == [rule.name for rule in get_claim("C8.3").rules]
    assert len(judge("C8.3", measured).findings) == 2
    for name, found in measured.items():
        _, linear, _ = found.baselines.values()
        fine, top, large, over_large, *rest = found.parts.values()
        assert found.values.mean() == pytest.approx(fine - linear)
        assert over_large.values.mean() == pytest.approx(fine - large)
        on_dev, seconds = rest[:-3], rest[-3:]
        assert len(on_dev) == 3
        assert all(value >= 0 for value in seconds)
        assert all(f"({name})" in label for label in [*found.baselines, *found.parts])
        if max(on_dev) == on_dev[-1] > max(on_dev[:-1]):
            assert top == linear
