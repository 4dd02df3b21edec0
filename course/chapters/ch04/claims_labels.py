"""Claim C4.7: how many labels a task network saves when ELMo is added to it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from course.lab.controls import opened, opened_table, untrained
from course.lab.learning import PLAIN, for_task, learn
from course.lab.tasks import Task, names
from course.ledger import Measurement, claim
from course_lib.models.baselines import StaticVectors
from course_lib.models.elmo import ELMo
from course_lib.models.encoder import ContextEncoder
from course_lib.models.frozen_states import FrozenStates
from course_lib.models.taglm import TagLM
from course_lib.models.word_vectors import WordVectors

PLACEMENTS = {"input": ("input",), "output": ("output",), "both": ("input", "output")}


@claim("C4.7", full={"source": "wnut17", "sizes": (100, 400, 1_600), "steps": 200})
def elmo_needs_fewer_labels(
    *,
    source: str = "handmade",
    sizes: Sequence[int] = (25, 75, 200),
    n_seeds: int = 5,
    steps: int = 80,
    hidden: int = 32,
    encoder: ContextEncoder | str = "bilm-en",
    vectors: WordVectors | str = "skipgram-en",
) -> Measurement:
    """Learning curves of one named-entity tagger with and without ELMo: same labels, same seeds."""
    encoder, vectors = opened(encoder), opened_table(vectors)
    task = names(source)
    table = for_task(vectors, task)
    learned, random = (kept_states(model, task) for model in (encoder, untrained(encoder)))

    def f1(states: FrozenStates | None, places: Sequence[str], n_labels: int, seed: int) -> float:
        def make_head() -> TagLM:
            elmo = None
            if states is not None:
                elmo = ELMo(states.encoder, places, dropout=0.25)
                elmo.states = states
            words = StaticVectors.from_word_vectors(table)
            return TagLM(task.labels, words, lm=elmo, hidden=hidden, tags=task.tags, seed=seed)

        return task.score(learn(make_head, task.sample(n_labels, seed), seed, replace(PLAIN, min_steps=steps)))

    def curve(states: FrozenStates | None, at: Sequence[int], places: Sequence[str] = ("input",)) -> np.ndarray:
        """Span F1 in %: [size, seed]."""
        return np.array([[f1(states, places, n, seed) for seed in range(n_seeds)] for n in at])

    without, added, control = curve(None, sizes), curve(learned, sizes), curve(random, sizes)
    placed = {name: curve(learned, sizes[-1:], places)[0] for name, places in PLACEMENTS.items() if name != "input"}
    placed["input"] = added[-1]
    return Measurement(
        [saved_labels(sizes, *pair) for pair in zip(without.T, added.T, strict=True)],
        "halvings of the labels",
        seeds=True,
        baselines={
            f"static vectors, span F1 in % at {sizes[-1]:,} sentences": float(without[-1].mean()),
            "an untrained biLM of equal size added: halvings of the labels": float(
                np.mean([saved_labels(sizes, *pair) for pair in zip(without.T, control.T, strict=True)])
            ),
        },
        parts={
            **{
                f"{name} ELMo, span F1 in % at {n:,} sentences": float(row.mean())
                for name, rows in (("with", added), ("without", without))
                for n, row in zip(sizes, rows, strict=True)
            },
            **{f"ELMo at {name}, span F1 in % at all labels": float(row.mean()) for name, row in placed.items()},
        },
        data=f"{task.name}, up to {sizes[-1]:,} labelled sentences",
    )


def saved_labels(sizes: Sequence[int], without: Sequence[float], added: Sequence[float]) -> float:
    """log2(labels that `without` needs for its best score / labels that `added` needs for the same score).

    Between two sizes the score grows evenly with the logarithm of the size. A score that `added` never reaches counts
    as reached at twice all labels; one that it reaches at the smallest size, as reached there: it may need fewer.
    """
    best = max(without)
    needed = [reached_at(sizes, scores, best) or 2 * sizes[-1] for scores in (without, added)]
    return math.log2(needed[0] / needed[1])


def reached_at(sizes: Sequence[int], scores: Sequence[float], wanted: float) -> float | None:
    """The labels at which the curve `scores` over `sizes` first reaches `wanted`; None if it never does."""
    if scores[0] >= wanted:
        return sizes[0]
    for (low, below), (high, above) in pairwise(zip(sizes, scores, strict=True)):
        if above >= wanted:
            return low * (high / low) ** ((wanted - below) / (above - below))
    return None


def kept_states(encoder: ContextEncoder, task: Task) -> FrozenStates:
    """The encoder's layers for all sentences of the task, computed once and shared by all taggers."""
    states = FrozenStates(encoder)
    states.keep([record.sentence for record in (*task.train, *task.test)], megabytes=1_024)
    return states
