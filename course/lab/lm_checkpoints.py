"""Does a better language model make a better tagger? Checkpoints of one training, and how F1 follows perplexity."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from course.lab.company import Text
from course.lab.world_bilm import new_bilm, train_bilm
from course_lib.device import seed_everything
from course_lib.models.lstm_lm import BiLM


def checkpoints(text: Text, marks: Sequence[int], width: int) -> list[BiLM]:
    """Copies of one language model after so many steps of its training."""
    seed_everything(0)
    model, kept = new_bilm(text, width=width, min_count=2), []

    def keep(step: int, losses: dict) -> None:
        if step in marks:
            kept.append(copy.deepcopy(model).eval())

    train_bilm(text, 0, steps=max(marks), model=model, watchers=[keep])
    return kept


def quality(model: BiLM, text: Text) -> float:
    """Minus log perplexity per word of `text` in nats, the mean of the directions."""
    return -float(np.mean(np.log(list(model.perplexity([model.document(text)]).values()))))


def rank_products(
    scores: Float[np.ndarray, "model seed"], qualities: Sequence[float]
) -> Float[np.ndarray, "seed model"]:
    """Per tagger run the product of its standardised ranks, by score and by quality, among the runs of its seed.

    The mean over a seed's runs is Spearman's correlation within that seed; 0 where all its scores are the same.
    """
    return np.stack([_standard_ranks(column) * _standard_ranks(qualities) for column in scores.T])


def _standard_ranks(values: Sequence[float]) -> np.ndarray:
    from scipy.stats import rankdata

    ranks = rankdata(values)  # ties share their mean rank
    return (ranks - ranks.mean()) / (ranks.std() or 1.0)
