"""Claim C8.3: the whole network fine-tuned, against the same network frozen below a larger head.

Source: Devlin et al. 2019, arXiv:1810.04805, section 5.3 and table 7: names, the last four layers side by side, a
bidirectional LSTM of two layers over them. A frozen network says the same in each epoch, so its states are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import process_time

import numpy as np
from torch import nn

from course.lab.controls import opened, untrained
from course.lab.kept_states import KeptStates
from course.lab.learning import DEV_SEED, Recipe, best_rate, fine_tune, learn
from course.lab.tasks import Task, names
from course.ledger import Measurement, claim
from course_lib.models.encoder import ContextEncoder, Sentences
from course_lib.models.head_base import seeded
from course_lib.models.heads import TokenTagger

N_JOINED = 4


@dataclass(frozen=True)
class JoinedLayers:
    """The last `n` layers of an encoder side by side, as one layer."""

    encoder: ContextEncoder
    n: int = N_JOINED
    layer_names = ("joined",)
    reads_pairs = False

    @property
    def dims(self) -> tuple[int]:
        return (sum(self.encoder.dims[-self.n :]),)

    def encode(self, sentences: Sentences, *, layer: int | None = None) -> list[np.ndarray]:
        """[unit, dim] per sentence; there is no other layer than this one."""
        widths = self.encoder.dims[-self.n :]
        rows = (states[-self.n :] for states in self.encoder.encode(sentences))
        return [np.concatenate([row[:, :w] for row, w in zip(r, widths, strict=True)], axis=-1) for r in rows]


@dataclass(frozen=True)
class Scored:
    """Span F1 in % by seed; the chosen rate; CPU seconds of one training (median), states that are kept not counted."""

    f1: np.ndarray
    rate: float
    seconds: float


@claim(
    "C8.3",
    full={
        "source": "public",
        "n_labels": 800,
        "rates": (3e-4, 1e-3),
        "frozen_rates": (3e-3, 1e-2),
        "recipe": Recipe(min_steps=50, max_steps=100),
        "frozen_recipe": Recipe(epochs=8, min_steps=200, max_steps=400),
        "hidden": 64,
        "n_dev": 200,
        "n_test": 400,
        "n_layer_seeds": 5,
    },
)
def fine_tuning_beats_frozen(
    *,
    encoder: ContextEncoder | str = "bert-en",
    source: str = "handmade",
    language: str = "en",
    n_labels: int = 100,
    rates: Sequence[float] = (1e-3,),
    frozen_rates: Sequence[float] = (1e-2,),
    recipe: Recipe = Recipe(min_steps=20, max_steps=30),  # noqa: B008 (frozen)
    frozen_recipe: Recipe = Recipe(min_steps=200, max_steps=200),  # noqa: B008
    hidden: int = 32,
    n_dev: int = 40,
    n_test: int = 80,
    n_seeds: int = 5,
    n_layer_seeds: int = 2,
) -> Measurement:
    """Span F1 by seed: fine-tuned with a linear head minus frozen with the two-layer LSTM on joined layers.

    Same labels and seeds. Each system has the best of its rates on dev; heads on kept states take more steps:
    a step is cheap, and an LSTM that begins from nothing finds no name in the first hundred.
    n_layer_seeds  seeds of each single layer, which is shown and not judged
    """
    model = opened(encoder)
    task = names(source, language).limited(n_dev=n_dev, n_test=n_test).fitting(model)
    labels = task.labels

    def tuned(seed: int, rate: float, start: ContextEncoder = model) -> TokenTagger:
        return fine_tune(task, start, n_labels, seed, recipe.at(rate))

    def on(states: ContextEncoder, linear: bool = False) -> Callable[[int, float], TokenTagger]:
        def trained(seed: int, rate: float) -> TokenTagger:
            def make_head() -> TokenTagger:
                return task.head(states, seed) if linear else two_layer_tagger(states, labels, hidden, seed)

            return learn(make_head, task.draw(n_labels, seed), seed, frozen_recipe.at(rate))

        return trained

    layers = [KeptStates(model, layer) for layer in range(len(model.dims))]
    fine = scored(task, tuned, rates, n_seeds)
    frozen = scored(task, on(KeptStates(JoinedLayers(model))), frozen_rates, n_seeds)
    linear = scored(task, on(layers[-1], linear=True), frozen_rates, n_seeds)
    single = {
        name: scored(task, on(kept), frozen_rates, n_layer_seeds)
        for name, kept in zip(model.layer_names, layers, strict=True)
    }
    scratch = scored(task, lambda seed, rate: tuned(seed, rate, untrained(model, seed)), rates, n_seeds)
    before = process_time()
    model.encode([record.sentence for record in task.draw(n_labels, 0)])
    seconds = process_time() - before
    unit = "span F1 in %"
    drawn = [task.draw(n_labels, seed) for seed in range(n_seeds)]
    return Measurement(
        fine.f1 - frozen.f1,
        "F1 points",
        seeds=True,
        baselines={
            f"dictionary of training names: {unit}": float(np.mean([task.baseline(records) for records in drawn])),
            f"frozen with a linear head: {unit}": float(linear.f1.mean()),
            f"from scratch: {unit}": float(scratch.f1.mean()),
        },
        parts={
            f"fine-tuned with a linear head: {unit}": float(fine.f1.mean()),
            f"frozen with a 2-layer biLSTM head on {N_JOINED} layers: {unit}": float(frozen.f1.mean()),
            "frozen with a linear head, fine-tuned minus it": Measurement(fine.f1 - linear.f1, "F1 points", seeds=True),
            **{
                f"each single layer frozen, {name}, biLSTM head: {unit}": float(found.f1.mean())
                for name, found in single.items()
            },
            "time of both, fine-tuned: CPU seconds of one training": fine.seconds,
            "time of both, frozen: CPU seconds of one training": frozen.seconds + seconds,
            "time of both, of it reading the states once: CPU seconds": seconds,
            "learning rate, fine-tuned": fine.rate,
            "learning rate, frozen": frozen.rate,
        },
        data=f"{task.name}, {n_labels:,} labelled sentences",
    )


def scored(task: Task, trained: Callable[[int, float], TokenTagger], rates: Sequence[float], n_seeds: int) -> Scored:
    """trained: (seed, rate) -> tagger. The rate is the better one on dev, with a seed that is not measured."""
    rate = best_rate(rates, lambda rate: task.score(trained(DEV_SEED, rate), "dev"))
    f1, seconds = [], []
    for seed in range(n_seeds):
        before = process_time()
        head = trained(seed, rate)
        seconds.append(process_time() - before)
        f1.append(task.score(head))
    # the median: kept states that are met for the first time are read during one of these trainings
    return Scored(np.array(f1), rate, float(np.median(seconds)))


def two_layer_tagger(states: ContextEncoder, labels: Sequence[str], hidden: int, seed: int) -> TokenTagger:
    """A tagger with two layers of bidirectional LSTM between states and labels, where heads have one."""
    head = TokenTagger(states, labels, body="bilstm", hidden=hidden, tags="ner", seed=seed)
    with seeded(seed):
        head.lstm = nn.LSTM(
            states.dims[-1], hidden, num_layers=2, dropout=0.1, batch_first=True, bidirectional=True
        ).to(states.device)
    return head
