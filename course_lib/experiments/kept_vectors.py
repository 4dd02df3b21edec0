"""Vectors of a frozen encoder, computed once and given to many task networks: what differs is only what they read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import nn

from course_lib.data.batch import Batch, length_mask
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.baselines import masked_mean
from course_lib.models.encoder import ContextEncoder, Encoding, Sentences

Rows = Float[np.ndarray, "unit dim"]


class KeptVectors(ContextEncoder):
    """One layer of `encoder`, without gradient and without parameters. A sentence is read once, when first needed.

    change  what is done to a sentence's rows before they are kept, for example `window_means`
    spread  sentences over which the kept vectors get mean 0 per dimension and a standard deviation of 1 over all, so
            that encoders differ in what they say, not in how loud they are; None: vectors as they come
    """

    kind = "kept-vectors"
    layer_names = ("kept",)

    def __init__(
        self,
        encoder: ContextEncoder,
        layer: int = -1,
        change: Callable[[Rows], Rows] | None = None,
        spread: Sentences | None = None,
    ):
        super().__init__()
        # in a tuple: a part of this module would be trained, saved and frozen with it
        self._source, self._layer, self._change = (encoder,), layer, change
        self._mean, self._scale = 0.0, 1.0
        self._kept: dict[tuple[str, ...], torch.Tensor] = {}
        self.dims = (encoder.dims[layer],)
        self.sentence_dim = encoder.dims[layer]
        self.register_buffer("_place", torch.empty(0), persistent=False)
        if spread is not None:
            rows = np.concatenate(self._read(self._checked(spread)))
            self._mean, self._scale = rows.mean(0), (rows - rows.mean(0)).std()

    @property
    def device(self) -> torch.device:
        return self._place.device

    def _read(self, sentences: list[Sentence]) -> list[Rows]:
        found = [rows[:, : self.dim] for rows in self._source[0].encode(sentences, layer=self._layer)]
        return found if self._change is None else [self._change(rows) for rows in found]

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        new = list({s.words: s for s in first if s.words not in self._kept}.values())
        if new:
            for sentence, rows in zip(new, self._read(new), strict=True):
                self._kept[sentence.words] = torch.from_numpy((rows - self._mean) / self._scale)
        vectors = nn.utils.rnn.pad_sequence([self._kept[s.words] for s in first], batch_first=True)
        mask = length_mask([len(s) for s in first])
        return Batch(
            {"vectors": vectors}, mask, torch.zeros_like(mask, dtype=torch.long), [list(s.spans) for s in first]
        )

    def _states(self, batch: Batch) -> Encoding:
        vectors = batch.ids["vectors"]
        return Encoding(vectors[None], batch.mask, batch.segment, masked_mean(vectors, batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [("kept", [])]

    def _config(self) -> dict[str, Any]:
        raise CourseError("KeptVectors has nothing of its own to save. Save the encoder that its vectors come from.")

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> KeptVectors:
        raise CourseError("KeptVectors is not read from a checkpoint. Load an encoder and wrap it.")


def window_means(rows: Rows, reach: int = 5) -> Rows:
    """For each word the mean of the vectors of up to `reach` words on either side, without its own; zeros if alone."""
    places = np.arange(len(rows))
    near = np.abs(places[:, None] - places) <= reach
    near &= places[:, None] != places
    return ((near @ rows) / np.maximum(near.sum(1, keepdims=True), 1)).astype(rows.dtype)
