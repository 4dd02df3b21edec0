"""Frozen layers side by side, a larger head over them, and claim C8.3 on a task of three tags."""

import numpy as np
import pytest
import torch

from course.chapters.ch08 import claims_frozen as chapter8_frozen
from course.chapters.ch08.claims_frozen import JoinedLayers, fine_tuning_beats_frozen, scored, two_layer_tagger
from course.lab.kept_states import KeptStates
from course.lab.learning import Recipe, learn
from course.ledger import judge
from tests.lab import four_samples

FEW = Recipe(rate=3e-2, epochs=1, min_steps=3, max_steps=4, batch_size=8)
TEXTS = ["Mina is in Rome .", "now", "the film was cold now ."]


def test_joined_layers_are_the_layers_in_order():
    bert = four_samples.bert(n_layers=3)
    joined, whole = JoinedLayers(bert, 2), bert.encode(TEXTS)
    assert joined.dims == (24,)
    for row, states in zip(joined.encode(TEXTS), whole, strict=True):
        np.testing.assert_array_equal(row, np.concatenate([states[2], states[3]], axis=1))
    kept = KeptStates(JoinedLayers(bert))
    assert kept.dims == (48,)
    np.testing.assert_allclose(kept.encode(TEXTS)[2][0], np.concatenate(list(whole[2]), axis=1), atol=1e-6)


def test_the_larger_head_has_two_layers_and_its_seed():
    kept = KeptStates(JoinedLayers(four_samples.bert()))  # 3 layers of 12
    head, again = (two_layer_tagger(kept, ("O", "B-PER"), 5, seed=3) for _ in range(2))
    lstm = sum(2 * 4 * 5 * (n_in + 5 + 2) for n_in in (36, 10))
    assert sum(p.numel() for p in head.parameters()) == lstm + 2 * (10 + 1)
    assert all(torch.equal(a, b) for a, b in zip(head.parameters(), again.parameters(), strict=True))


def test_a_frozen_head_learns_and_its_encoder_does_not():
    bert, task = four_samples.bert(), four_samples.names_task()
    before = {name: row.clone() for name, row in bert.state_dict().items()}
    states = KeptStates(JoinedLayers(bert))
    recipe = Recipe(rate=1e-2, min_steps=60, max_steps=60, batch_size=8)
    head = learn(lambda: two_layer_tagger(states, task.labels, 11, seed=0), task.train, 0, recipe)
    assert task.score(head) > 80
    assert all(torch.equal(row, before[name]) for name, row in bert.state_dict().items())


def test_a_system_is_scored_with_the_better_rate():
    task = four_samples.names_task()

    class Fixed:
        def __init__(self, seed, rate):
            self.right = rate == 0.2 and seed % 2 == 0

        def predict(self, records):
            return [list(r.tags["ner"]) if self.right else ["O"] * len(r.sentence) for r in records]

    found = scored(task, Fixed, (0.1, 0.2), 3)
    assert found.rate == 0.2  # right on dev: the seed of dev is even
    assert found.f1.tolist() == [100, 0, 100]


@pytest.fixture
def measured(monkeypatch):
    monkeypatch.setattr(chapter8_frozen, "names", lambda source, language: four_samples.names_task())
    return fine_tuning_beats_frozen(
        encoder=four_samples.bert(),
        n_labels=6,
        rates=(3e-2,),
        frozen_rates=(1e-2, 3e-2),
        recipe=FEW,
        frozen_recipe=FEW,
        hidden=5,
    )


def test_the_measurement_is_judged_and_has_its_parts(measured):
    verdict = judge("C8.3", measured)
    for wanted in ("dictionary of training names", "frozen with a linear head", "from scratch"):
        assert any(name.startswith(wanted) for name in verdict.baselines)
    for wanted, n in (("frozen with a linear head", 1), ("each single layer frozen", 3), ("time of both", 3)):
        assert sum(name.startswith(wanted) for name in verdict.parts) == n
    fine, frozen = (value for name, value in measured.parts.items() if name.endswith("span F1 in %")
                    and name.startswith(("fine-tuned", "frozen with a 2")))  # fmt: skip
    assert measured.values.mean() == pytest.approx(fine - frozen)
    times = {name: value for name, value in measured.parts.items() if name.startswith("time")}
    assert all(value >= 0 for value in times.values())
