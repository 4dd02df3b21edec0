"""Claim C6.10: a deep post-norm Transformer without warm-up, and what the paper's other details are worth."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch

from course.lab.world_models import (
    TRANSLATOR,
    Text,
    lm_text,
    new_lm,
    streams,
    train_lm,
    translator,
    unseen_pairs,
    world_bleu,
)
from course.ledger.measurement import Measurement, claim
from course_lib.errors import CourseError
from course_lib.evaluation.losses import mean_loss
from course_lib.models.transformer import TransformerConfig
from course_lib.training.averaging import LastWeights
from course_lib.training.schedules import linear_decay, rise_and_fall

CONFIG = TransformerConfig(d_model=64, n_heads=4, n_layers=6, d_ff=256, dropout=0.0)
RATES = (3e-4, 1e-3, 3e-3)
RECIPE = replace(TRANSLATOR, dropout=0.1)  # what the paper has: dropout, and label smoothing 0.1
SCHEDULES = {"with warm-up": rise_and_fall, "without warm-up": linear_decay}


@claim("C6.10", full={"steps": 400, "n_sentences": 6_000, "detail_steps": 300, "pre_norm_seeds": 2})
def post_norm_needs_warmup(
    *,
    n_layers: int = 6,
    steps: int = 60,
    n_sentences: int = 2_000,
    rates: Sequence[float] = RATES,
    n_seeds: int = 5,
    pre_norm_seeds: int = 1,
    detail_steps: int = 0,
) -> Measurement:
    """Validation loss after `steps` steps, without minus with warm-up, per seed; the rate is chosen on dev, once.

    A run whose loss stops being a number counts with the unigram loss: it has learned nothing.
    pre_norm_seeds  of the same with pre-norm, as a part
    detail_steps    of world translators with one detail of the paper removed each; 0 leaves them out
    """
    text, dev, test = lm_text(n_sentences), lm_text(200, part=1), lm_text(400, part=2)
    nothing = unigram_loss(text, test)

    def run(norm: str, schedule: str, rate: float, seed: int, held_out: Text) -> float:
        model = new_lm(replace(CONFIG, n_layers=n_layers, norm=norm), text, seed)
        try:
            train_lm(model, text, seed, steps=steps, rate=rate, schedule=SCHEDULES[schedule])
        except CourseError:  # fit's word for a loss that is not a finite number
            return math.nan
        return mean_loss(model, streams(model, held_out, 0)())

    best = {
        name: min(rates, key=lambda rate: np.nan_to_num(run("post", name, rate, 1_000, dev), nan=math.inf))
        for name in SCHEDULES
    }
    raw = {name: np.array([run("post", name, best[name], s, test) for s in range(n_seeds)]) for name in SCHEDULES}
    losses = {name: np.nan_to_num(found, nan=nothing) for name, found in raw.items()}
    pre = {name: [run("pre", name, best[name], s, test) for s in range(pre_norm_seeds)] for name in SCHEDULES}
    return Measurement(
        losses["without warm-up"] - losses["with warm-up"],
        "nats per token",
        seeds=True,
        baselines={"unigram loss": nothing},
        parts={f"post-norm, {name}: validation loss": float(found.mean()) for name, found in losses.items()}
        | {f"post-norm, {name}: learning rate": rate for name, rate in best.items()}
        | {
            f"post-norm, {name}: runs that diverged or ended no better than unigrams": float(
                (np.isnan(raw[name]) | (losses[name] >= nothing)).sum()
            )
            for name in SCHEDULES
        }
        | {
            f"pre-norm, {name}, same rate: validation loss": float(np.mean(found))
            for name, found in pre.items()
            if found
        }
        | (details_removed(detail_steps) if detail_steps else {}),
        data=f"sentences of the world, {n_layers} layers, {steps} steps",
    )


def unigram_loss(text: Text, test: Text) -> float:
    """Nats per token of a guess by frequency alone, [BOS] and [EOS] included; one more is counted for unknown words."""
    counts = Counter(word for words in text for word in words)
    ends = {"[BOS]": len(text), "[EOS]": len(text)}
    total = counts.total() + sum(ends.values()) + 1
    scores = [-math.log((counts[word] or 1) / total) for words in test for word in words]
    scores += [-math.log(count / total) for count in ends.values() for _ in test]
    return float(np.mean(scores))


def details_removed(steps: int) -> dict[str, float]:
    """{what was removed: BLEU or perplexity on unseen sentences of the world}; decoding with a beam where not said.

    The last weights come first; averaging and the beam are added to the same training, not to another one.
    """
    test = [pair.parallel() for pair in unseen_pairs(300, 1)]
    found: dict[str, float] = {}
    for name, config in (
        ("full recipe", RECIPE),
        ("without dropout", replace(RECIPE, dropout=0.0)),
        ("without label smoothing", replace(RECIPE, label_smoothing=0.0)),
    ):
        model = translator(0, steps=0, config=config)
        last = LastWeights(model, keep=5, every=max(1, steps // 50))
        model = translator(0, steps=steps, config=config, watchers=[last], model=model)
        found[f"{name}: BLEU"] = world_bleu(model, test, beam=4)
        with torch.no_grad():  # of the plain cross-entropy per target word, not of the smoothed one
            found[f"{name}: perplexity"] = float(model.loss(model.batch(test))["cross_entropy"].exp())
        if name == "full recipe":
            found["without a beam (greedy): BLEU"] = world_bleu(model, test)
            model.load_state_dict(last.mean())
            found["mean of the last 5 weights: BLEU"] = world_bleu(model, test, beam=4)
    return found
