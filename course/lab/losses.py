"""A model's mean loss over batches: the number behind a perplexity."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch


@torch.no_grad()
def mean_loss(model: Any, batches: Iterable[Any], part: str = "loss") -> float:
    """The mean over all items of the batches of one part of `model.loss`, in its unit. The model stays in its mode."""
    total = count = 0.0
    for batch in batches:
        losses = model.loss(batch)
        items = float(losses["count"])
        total += float(losses[part]) * items
        count += items
    return total / count
