"""Claim C5.1: how many labels from scratch do the work of a few with pre-training; and the curves that are drawn."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course.chapters.ch04.claims_labels import reached_at
from course.lab.baselines import bag_of_words
from course.lab.controls import untrained
from course.lab.fine_tuning import FROM_SCRATCH, Tricks, classifier, for_target, general_lm, percent_right, tuned
from course.lab.tasks import Task, target_texts
from course.ledger import Measurement, claim
from course_lib.models.awd_lstm import AWDLSTM

SCRATCH, PRE_TRAINED, TARGET = "from scratch", "pre-trained", "pre-trained, then tuned on target text"
BAG = "bag of words"


@dataclass(frozen=True)
class LabelCurves:
    """Test accuracy in % over the number of labels: curves[system] is [size, seed], all on the same draws."""

    sizes: tuple[int, ...]
    curves: Mapping[str, Float[np.ndarray, "size seed"]]
    data: str


@claim(
    "C5.1",
    full={
        "source": "imdb",
        "lm": "awd-lstm-en",
        "sizes": (100, 500, 2_000),
        "few": 100,
        "min_steps": 50,
        "max_steps": 150,
        "lm_steps": 60,
        "n_test": 400,
    },
)
def few_labels_do_the_work_of_many(
    *,
    source: str = "handmade",
    lm: AWDLSTM | str = "",
    sizes: Sequence[int] = (25, 50, 100, 200),
    few: int = 50,
    min_steps: int = 30,
    max_steps: int = 60,
    lm_steps: int = 40,
    n_words: int = 80,
    n_test: int = 1_000,
    n_seeds: int = 5,
) -> Measurement:
    """log2 of the labels from scratch that reach the score of `few` labels with pre-training, over `few`.

    Where the curve from scratch never reaches it, its largest size counts: the factor is then at least so large.
    """
    texts = target_texts(source, n_words=n_words, n_train=max(sizes), n_test=n_test)
    model = general_lm(lm)
    steps = {"min_steps": min_steps, "max_steps": max_steps, "lm_steps": lm_steps, "n_seeds": n_seeds}
    scratch = label_curves(texts, model, sizes, systems=(SCRATCH, BAG), **steps)
    learned = label_curves(texts, model, (few,), systems=(PRE_TRAINED, TARGET), **steps)
    reached = {name: rows[0] for name, rows in learned.curves.items()}
    factors = {
        name: [label_equivalent(sizes, curve, score, few) for curve, score in zip(scratch_rows, scores, strict=True)]
        for scratch_rows in [scratch.curves[SCRATCH].T]
        for name, scores in reached.items()
    }
    capped = sum(not found for _, found in factors[PRE_TRAINED])
    return Measurement(
        [math.log2(factor) for factor, _ in factors[PRE_TRAINED]],
        "doublings of the labels",
        seeds=True,
        baselines={
            f"{name}, {n:,} labels: accuracy in %": float(row.mean())
            for name in (BAG, SCRATCH)
            for n, row in zip(sizes, scratch.curves[name], strict=True)
        },
        parts={
            **{f"{name}, {few:,} labels: accuracy in %": float(row.mean()) for name, row in reached.items()},
            "the language model has seen unlabelled target text": Measurement(
                [math.log2(factor) for factor, _ in factors[TARGET]], "doublings of the labels", seeds=True
            ),
            f"draws whose score {max(sizes):,} labels from scratch do not reach": float(capped),
        },
        data=f"{scratch.data}; up to {max(sizes):,} labels",
        note=f"In {capped} of {n_seeds} draws the factor is at least the one counted." if capped else "",
    )


def label_curves(
    texts: Task,
    lm: AWDLSTM,
    sizes: Sequence[int] = (25, 75, 200),
    *,
    systems: Sequence[str] = (SCRATCH, PRE_TRAINED, BAG),
    min_steps: int = 20,
    max_steps: int = 30,
    lm_steps: int = 40,
    n_seeds: int = 2,
) -> LabelCurves:
    """Accuracy of each system at each number of labels: same network, same draws, same steps.

    From scratch all layers learn at one constant rate. A draw of n labels gets two steps per batch of 16, but at least
    `min_steps` and at most `max_steps`. The defaults are what a chapter draws while one waits.
    """
    start = for_target(lm, texts.unlabelled)

    def encoder(system: str, seed: int) -> AWDLSTM:
        if system == TARGET:
            return tuned(start, texts.unlabelled, steps=lm_steps, seed=seed)
        return start if system == PRE_TRAINED else untrained(start, seed)

    def scores(system: str, seed: int) -> list[float]:
        drawn = [texts.draw(n, seed) for n in sizes]
        if system == BAG:
            return [bag_of_words(records, texts.test) for records in drawn]
        model, tricks, found = encoder(system, seed), FROM_SCRATCH if system == SCRATCH else Tricks(), []
        for records in drawn:
            steps = min(max_steps, max(min_steps, 2 * math.ceil(len(records) / 16)))
            trained = classifier(model, records, texts.labels, steps=steps, seed=seed, tricks=tricks)
            found.append(percent_right(trained, texts.test))
        return found

    curves = {system: np.array([scores(system, seed) for seed in range(n_seeds)]).T for system in systems}
    return LabelCurves(tuple(sizes), curves, texts.name)


def label_equivalent(
    sizes: Sequence[int], scores: Sequence[float], wanted: float, few: int = 100
) -> tuple[float, bool]:
    """(labels at which the curve `scores` over `sizes` first reaches `wanted`, over `few`; whether it does).

    Between two sizes the score grows evenly with the logarithm of the size. A score never reached counts as reached
    at the largest size; one that is passed at the smallest size, as reached there.
    """
    reached = reached_at(sizes, scores, wanted)
    return (sizes[-1] if reached is None else reached) / few, reached is not None
