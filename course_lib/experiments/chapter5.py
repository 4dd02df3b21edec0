"""The claims of chapter 5: ULMFiT. C5.2 is here; label curves, tricks and forgetting have files of their own."""

from __future__ import annotations

import math

import numpy as np

from course_lib.experiments.fine_tuning import (
    classifier,
    for_target,
    general_documents,
    general_lm,
    language_loss,
    percent_right,
    tuned,
)
from course_lib.experiments.measurement import Measurement, claim
from course_lib.experiments.target_texts import bag_of_words, target_texts
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
