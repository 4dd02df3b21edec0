"""Claim C5.4: what a language model forgets while it learns to classify, all layers at once or one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from course.lab.baselines import bag_of_words
from course.lab.fine_tuning import (
    Documents,
    Tricks,
    classifier,
    general_documents,
    general_lm,
    language_loss,
    percent_right,
)
from course.lab.tasks import Task, target_texts
from course.ledger import Measurement, claim
from course_lib.models.awd_lstm import AWDLSTM

WAYS = {"all at once": "at once", "gradual": "gradual"}


@dataclass(frozen=True)
class Forgetting:
    """One fine-tuning, watched: at `steps`, accuracy on target texts in % and loss on general text in nats per word."""

    steps: Int[np.ndarray, " place"]
    accuracy: Float[np.ndarray, " place"]
    loss: Float[np.ndarray, " place"]

    def loss_at(self, wanted: float) -> float:
        """The loss where the accuracy first reaches `wanted`, on the straight line between two places.

        Raises ValueError if it never does: ask for no more than the largest accuracy.
        """
        reached = np.flatnonzero(self.accuracy >= wanted)
        if not len(reached):
            raise ValueError(f"accuracy {wanted} is never reached, the largest is {self.accuracy.max()}")
        place = reached[0]
        if place == 0:
            return float(self.loss[0])
        (low, high), (before, after) = self.accuracy[place - 1 : place + 1], self.loss[place - 1 : place + 1]
        return float(before + (after - before) * (wanted - low) / (high - low))


@claim(
    "C5.4",
    full={
        "source": "imdb",
        "general": "enwiki2015",
        "lm": "awd-lstm-en",
        "n_labels": 500,
        "steps": 90,
        "every": 15,
        "n_general": 4_000,
        "n_dev": 150,
    },
)
def all_at_once_forgets(
    *,
    source: str = "handmade",
    general: str = "world",
    lm: AWDLSTM | str = "",
    n_labels: int = 200,
    steps: int = 48,
    every: int = 4,
    rate: float = 1e-2,
    n_words: int = 80,
    n_general: int = 3_000,
    n_dev: int = 500,
    n_seeds: int = 5,
) -> Measurement:
    """General-text loss, all layers at once minus gradual, both where they first reach the accuracy that both reach.

    Both have discriminative rates, the slanted triangle, the same steps and the same labels. The vocabulary is that of
    the language model, so that its old head still fits.
    """
    texts = target_texts(source, n_words=n_words, n_dev=n_dev)
    model = general_lm(lm)
    documents = general_documents(general, n_general)
    runs = {
        name: [
            forgetting(texts, model, documents, Tricks(rate, opens=opens), n_labels, steps, every, seed)
            for seed in range(n_seeds)
        ]
        for name, opens in {**WAYS, "last layer only": "last layer"}.items()
    }
    pairs = list(zip(runs["all at once"], runs["gradual"], strict=True))
    equal = [min(run.accuracy.max() for run in pair) for pair in pairs]
    losses = np.array([[run.loss_at(level) for run in pair] for pair, level in zip(pairs, equal, strict=True)])
    before = language_loss(model, documents)
    bags = [bag_of_words(texts.draw(n_labels, seed), texts.dev) for seed in range(n_seeds)]
    return Measurement(
        losses[:, 0] - losses[:, 1],
        "nats per word",
        seeds=True,
        baselines={
            "the language model before fine-tuning: loss in nats per word": before,
            "last layer only: loss in nats per word": _mean(run.loss[-1] for run in runs["last layer only"]),
            "last layer only: accuracy in %": _mean(run.accuracy.max() for run in runs["last layer only"]),
            "bag of words, logistic regression: accuracy in %": float(np.mean(bags)),
        },
        parts={
            "equal target accuracy, in %": float(np.mean(equal)),
            **{
                f"{name}, {what}": _mean(value(run) for run in runs[name])
                for name in WAYS
                for what, value in (
                    ("largest target accuracy in %", lambda run: run.accuracy.max()),
                    ("loss at the end, less the one before, in nats per word", lambda run: run.loss[-1] - before),
                )
            },
            **{
                f"{name}, loss over the steps {runs[name][0].steps.tolist()}": ", ".join(
                    f"{value:.2f}" for value in np.mean([run.loss for run in runs[name]], axis=0)
                )
                for name in WAYS
            },
        },
        data=f"{texts.name}, {n_labels:,} labels; general text of {general}, {sum(map(len, documents)):,} words",
    )


def forgetting(
    texts: Task,
    lm: AWDLSTM,
    documents: Documents,
    tricks: Tricks,
    n_labels: int = 200,
    steps: int = 48,
    every: int = 4,
    seed: int = 0,
) -> Forgetting:
    """A fine-tuning watched at step 0 and at every `every`-th: dev accuracy, general loss with the old head."""
    found: list[tuple[int, float, float]] = []

    def watch(step: int, model) -> None:
        if step % every == 0 or step == steps:
            loss = language_loss(model.encoder, documents, head=lm)
            found.append((step, percent_right(model, texts.dev), loss))

    classifier(lm, texts.draw(n_labels, seed), texts.labels, steps=steps, tricks=tricks, seed=seed, watch=watch)
    gold = [record.label for record in texts.dev]
    chance = 100 * max(gold.count(label) / len(gold) for label in texts.labels)
    rows = np.array([(0, chance, language_loss(lm, documents)), *found])
    return Forgetting(rows[:, 0].astype(int), rows[:, 1], rows[:, 2])


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(list(values)))
