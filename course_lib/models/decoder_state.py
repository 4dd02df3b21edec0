"""What is kept from one step of a translation to the next, so that nothing is computed twice."""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib.models.attention import KeyValueCache, padding_mask


class DecoderState:
    """A translation under way: `width` rows for each sentence, one step at a time.

    With a cache the encoder's keys are projected once, and a step computes its own position only; without one each
    step reads the whole prefix anew (slow: it is there to be compared with). limits: most steps per sentence, by
    default its length + 50 (Vaswani et al. 2017, section 6.1).
    """

    EXTRA_STEPS = 50

    def __init__(
        self,
        model: Any,  # a Translator; not imported, since translator.py imports this file
        source: Int[Tensor, "batch source"],
        mask: Bool[Tensor, "batch source"],
        width: int,
        max_steps: int | None,
        cache: bool,
    ):
        device = model.embedding.tokens.weight.device
        self.model, self.pieces, self.step_number = model, model.pieces, 0
        lengths = mask.sum(1) + self.EXTRA_STEPS if max_steps is None else torch.full((len(mask),), max_steps)
        if model.config.positions == "learned":
            lengths = lengths.clamp(max=model.config.max_units)
        self.limits = lengths.tolist()
        mask = mask.to(device)
        memory = model.read_source(source.to(device), mask)
        self.mask, self.memory, self.caches, self.prefix = padding_mask(mask), memory, None, None
        if cache:
            rows, steps = len(mask) * width, max(self.limits)
            self.caches = [
                (
                    KeyValueCache.empty(rows, steps, layer.attention),
                    KeyValueCache(*layer.cross_attention.project(memory)),
                )
                for layer in model.decoder.layers
            ]
        else:
            self.mask, self.memory = (part.repeat_interleave(width, 0) for part in (self.mask, memory))

    def step(self, ids: Int[Tensor, " row"]) -> Float[Tensor, "row vocab"]:
        """Read one piece a row; logits for the next. [PAD] and [BOS] are never next."""
        ids = ids[:, None]
        if self.caches is None:
            ids = self.prefix = ids if self.prefix is None else torch.cat([self.prefix, ids], 1)
            states = self.model.decoder(self.model.embedding(ids), self.memory, self.mask)[:, -1]
        else:
            embedded = self.model.embedding(ids, start=self.step_number)
            states = self.model.decoder(embedded, None, self.mask, caches=self.caches)[:, 0]
        self.step_number += 1
        logits = self.model.logits(states).float()
        logits[:, [self.pieces.padding, self.pieces.begin]] = -torch.inf
        return logits

    def reorder(self, rows: Int[Tensor, " row"]) -> None:
        """Row i goes on from row rows[i], one of the same sentence: the projected encoder keys stay where they are."""
        if self.caches is None:
            self.prefix = self.prefix[rows]
        else:
            for own, _ in self.caches:
                own.reorder(rows)
