"""The details of the Transformer's recipe, removed from the world's translator one at a time: no verdict."""

from __future__ import annotations

from dataclasses import replace

import torch

from course_lib.data.records import ParallelPair
from course_lib.experiments.world_translator import CONFIG, translator, unseen_pairs, world_bleu
from course_lib.models.translator import Translator
from course_lib.training.averaging import LastWeights

RECIPE = replace(CONFIG, dropout=0.1)  # what the paper has: dropout, and label smoothing 0.1


def details_removed(*, steps: int, n_test: int = 300, seed: int = 0) -> dict[str, float]:
    """{what was removed: BLEU or perplexity on unseen sentences of the world}; decoding with a beam where not said.

    The last weights come first; averaging and the beam are added to the same training, not to another one.
    """
    test = [pair.parallel() for pair in unseen_pairs(n_test, 1)]
    found: dict[str, float] = {}
    for name, config in (
        ("full recipe", RECIPE),
        ("without dropout", replace(RECIPE, dropout=0.0)),
        ("without label smoothing", replace(RECIPE, label_smoothing=0.0)),
    ):
        model = translator(seed, steps=0, config=config)
        last = LastWeights(model, keep=5, every=max(1, steps // 50))
        model = translator(seed, steps=steps, config=config, watchers=[last], model=model)
        found[f"{name}: BLEU"] = world_bleu(model, test, beam=4)
        found[f"{name}: perplexity"] = perplexity(model, test)
        if name == "full recipe":
            found["without a beam (greedy): BLEU"] = world_bleu(model, test)
            model.load_state_dict(last.mean())
            found["mean of the last 5 weights: BLEU"] = world_bleu(model, test, beam=4)
    return found


@torch.no_grad()
def perplexity(model: Translator, pairs: list[ParallelPair]) -> float:
    """exp of the plain cross-entropy per target word, not of the smoothed one."""
    return float(model.loss(model.batch(pairs))["cross_entropy"].exp())
