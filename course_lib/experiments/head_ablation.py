"""Switching one attention head off, and what that costs the task."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch

from course_lib.data.world import WorldPair
from course_lib.models.attention import MultiHeadAttention
from course_lib.models.translator import Translator

BATCH = 64


@contextmanager
def switched_off(attention: MultiHeadAttention, head: int) -> Iterator[None]:
    """Inside, nothing of what this head reads reaches the output. The head's columns of W^O are 0 meanwhile."""
    weight = attention.output.weight
    d_head = weight.shape[1] // attention.n_heads
    columns = slice(head * d_head, (head + 1) * d_head)
    kept = weight.detach()[:, columns].clone()
    try:
        with torch.no_grad():
            weight[:, columns] = 0.0
        yield
    finally:
        with torch.no_grad():
            weight[:, columns] = kept


@torch.no_grad()
def translation_loss(model: Translator, pairs: Sequence[WorldPair], source: str = "en") -> float:
    """Nats per target word, without label smoothing."""
    total = count = 0.0
    for start in range(0, len(pairs), BATCH):
        losses = model.loss(model.batch([pair.parallel(source) for pair in pairs[start : start + BATCH]]))
        total += float(losses["cross_entropy"]) * losses["count"]
        count += losses["count"]
    return total / count


def ablation(model: Translator, pairs: Sequence[WorldPair], layer: int, head: int, *, cross: bool) -> dict[str, float]:
    """Loss of the whole net, without this head, and without another head of its layer (their mean)."""
    attention = model.decoder.layers[layer].cross_attention if cross else model.encoder.layers[layer].attention
    without = []
    for number in range(attention.n_heads):
        with switched_off(attention, number):
            without.append(translation_loss(model, pairs))
    others = [loss for number, loss in enumerate(without) if number != head]
    return {
        "loss with all heads, in nats": translation_loss(model, pairs),
        "loss without the chosen head": without[head],
        "loss without another head of its layer, mean": float(np.mean(others)),
    }
