"""Claims C5.2 and C5.3: what fine-tuning the language model adds, and what the tricks of classifier fine-tuning do.

Label curves and forgetting have files of their own.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from course.lab.baselines import bag_of_words
from course.lab.controls import untrained
from course.lab.fine_tuning import (
    Tricks,
    classifier,
    for_target,
    general_documents,
    general_lm,
    language_loss,
    percent_right,
    tuned,
)
from course.lab.tasks import Task, target_texts
from course.ledger import Measurement, claim
from course_lib.models.awd_lstm import AWDLSTM


@claim(
    "C5.2",
    full={
        "source": "imdb",
        "general": "enwiki2015",
        "lm": "awd-lstm-en",
        "n_labels": 200,
        "lm_steps": 60,
        "steps": 60,
        "n_general": 60_000,
    },
)
def fine_tuning_the_lm_adds(
    *,
    source: str = "handmade",
    general: str = "world",
    lm: AWDLSTM | str = "",
    n_labels: int = 100,
    lm_steps: int = 40,
    steps: int = 40,
    n_words: int = 80,
    n_general: int = 30_000,
    n_seeds: int = 5,
) -> Measurement:
    """One classifier on three language models: as it is, after steps on target text, after as many on general text.

    All three have the vocabulary of the target text. The language model is tuned anew with every seed.
    """
    texts = target_texts(source, n_words=n_words)
    start = for_target(general_lm(lm), texts.unlabelled)
    other = general_documents(general, n_general)
    held_out = [record.text.split() for record in texts.dev]
    scores: dict[str, list[float]] = {"none": [], "target": [], "general": []}
    losses: dict[str, list[float]] = {"target": [], "general": []}
    for seed in range(n_seeds):
        models = {"none": start}
        for name, documents in (("target", texts.unlabelled), ("general", other)):
            models[name] = tuned(start, documents, steps=lm_steps, seed=seed)
            losses[name].append(language_loss(models[name], held_out))
        records = texts.draw(n_labels, seed)
        for name, model in models.items():
            trained = classifier(model, records, texts.labels, steps=steps, seed=seed)
            scores[name].append(percent_right(trained, texts.test))
    found = {name: np.array(values) for name, values in scores.items()}
    bags = [bag_of_words(texts.draw(n_labels, seed), texts.test) for seed in range(n_seeds)]
    return Measurement(
        found["target"] - found["none"],
        "points",
        seeds=True,
        control=Measurement(found["general"] - found["none"], "points", seeds=True),
        baselines={
            "bag of words, logistic regression: accuracy in %": float(np.mean(bags)),
            "no language-model fine-tuning: accuracy in %": float(found["none"].mean()),
        },
        parts={
            "target perplexity before": math.exp(language_loss(start, held_out)),
            "target perplexity after steps on target text": math.exp(np.mean(losses["target"])),
            "target perplexity after steps on general text": math.exp(np.mean(losses["general"])),
            "fine-tuned on target text: accuracy in %": float(found["target"].mean()),
            "fine-tuned on general text: accuracy in %": float(found["general"].mean()),
        },
        data=f"{texts.name}, {n_labels:,} labels, texts cut to their last {n_words} words",
    )


@claim(
    "C5.3",
    full={
        "source": "sst2",
        "also": ("trec6",),
        "lm": "awd-lstm-en",
        "n_labels": 500,
        "steps": 120,
        "rates": (1e-3, 3e-3, 1e-2),
        "leave_out": True,
    },
)
def tricks_beat_plain_fine_tuning(
    *,
    source: str = "handmade",
    also: Sequence[str] = (),
    lm: AWDLSTM | str = "",
    n_labels: int = 100,
    steps: int = 48,
    rates: Sequence[float] = (3e-3, 1e-2),
    n_words: int = 80,
    n_seeds: int = 5,
    leave_out: bool = False,
) -> Measurement:
    """All tricks minus none, each with the rate that is best on dev over all seeds.

    also       further sets, shown as parts
    leave_out  show as parts what remains without each trick
    """
    texts = target_texts(source, n_words=n_words)
    model = general_lm(lm)
    gain, scores, chosen = _gain(texts, model, n_labels, steps, rates, n_seeds)
    parts: dict[str, float | Measurement] = {
        f"{name}: {what}": value
        for name in scores
        for what, value in (("accuracy in %", float(scores[name].mean())), ("best rate on dev", chosen[name]))
    }
    if leave_out:
        left = leave_one_out(texts, model, n_labels=n_labels, steps=steps, rate=chosen["all tricks"], n_seeds=n_seeds)
        parts |= {
            f"without {name}: accuracy minus all tricks": Measurement(row - left["all tricks"], "points", seeds=True)
            for name, row in left.items()
            if name != "all tricks"
        }
    for name in also:
        other = target_texts(name, n_words=n_words)
        parts[f"{other.name}: all tricks minus none"] = Measurement(
            _gain(other, model, n_labels, steps, rates, n_seeds)[0], "points", seeds=True
        )
    start = for_target(model, texts.unlabelled)
    rate = chosen["all tricks"]
    bags = [bag_of_words(texts.draw(n_labels, seed), texts.test) for seed in range(n_seeds)]
    plain = Tricks.none(chosen["no trick"])
    scratch = [_accuracy(texts, untrained(start, s), n_labels, steps, plain, s) for s in range(n_seeds)]
    last = [_accuracy(texts, start, n_labels, steps, Tricks(rate, opens="last layer"), s) for s in range(n_seeds)]
    return Measurement(
        gain,
        "points",
        seeds=True,
        baselines={
            "bag of words, logistic regression: accuracy in %": float(np.mean(bags)),
            "from scratch, no trick: accuracy in %": float(np.mean(scratch)),
            "last layer only: accuracy in %": float(np.mean(last)),
        },
        parts=parts,
        data=f"{texts.name}, {n_labels:,} labels, {steps} steps",
    )


def leave_one_out(
    texts: Task, lm: AWDLSTM, *, n_labels: int = 100, steps: int = 36, rate: float = 1e-2, n_seeds: int = 2
) -> dict[str, Float[np.ndarray, " seed"]]:
    """Test accuracy in % with "all tricks" and without each one: numbers for a figure, no verdict.

    All with the same rate, the best one of the whole recipe: a trick left out may want another.
    """
    start, whole = for_target(lm, texts.unlabelled), Tricks(rate)
    return {
        name: np.array([_accuracy(texts, start, n_labels, steps, tricks, seed) for seed in range(n_seeds)])
        for name, tricks in {"all tricks": whole, **whole.without()}.items()
    }


def _gain(
    texts: Task, lm: AWDLSTM, n_labels: int, steps: int, rates: Sequence[float], n_seeds: int
) -> tuple[np.ndarray, dict[str, np.ndarray], dict[str, float]]:
    """Per seed all tricks minus none in points; test accuracy of both; the rate of both that is best on dev."""
    start, scores, chosen = for_target(lm, texts.unlabelled), {}, {}
    for name, make in (("all tricks", Tricks), ("no trick", Tricks.none)):
        runs = {}
        for rate in rates:
            models = [_trained(texts, start, n_labels, steps, make(rate), seed) for seed in range(n_seeds)]
            runs[rate] = np.array([[percent_right(m, part) for part in (texts.dev, texts.test)] for m in models])
        chosen[name] = max(rates, key=lambda rate: runs[rate][:, 0].mean())
        scores[name] = runs[chosen[name]][:, 1]
    return scores["all tricks"] - scores["no trick"], scores, chosen


def _trained(texts: Task, lm: AWDLSTM, n_labels: int, steps: int, tricks: Tricks, seed: int):
    return classifier(lm, texts.draw(n_labels, seed), texts.labels, steps=steps, tricks=tricks, seed=seed)


def _accuracy(texts: Task, lm: AWDLSTM, n_labels: int, steps: int, tricks: Tricks, seed: int) -> float:
    return percent_right(_trained(texts, lm, n_labels, steps, tricks, seed), texts.test)
