"""The vectors of a frozen encoder as plain inputs: what TagLM and ELMo feed to a task network.

A frozen encoder gives the same vectors in every epoch. They are computed without gradient, so its weights never learn,
and they can be kept.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder, Sentences


class FrozenStates(nn.Module):
    """Freezes `encoder`, itself and not a copy, and reads all its layers, or only `layer` (-1: the top)."""

    def __init__(self, encoder: ContextEncoder, layer: int | None = None):
        super().__init__()
        encoder.freeze()
        self.encoder, self.layer = encoder, layer
        self._kept: dict[tuple[str, ...], np.ndarray] = {}

    @property
    def n_layers(self) -> int:
        return len(self.encoder.dims) if self.layer is None else 1

    @property
    def dim(self) -> int:
        return self.encoder.dim if self.layer is None else self.encoder.dims[self.layer]

    def read(self, sentences: Sentences) -> Float[Tensor, "batch unit layer dim"]:
        """Vectors on the CPU, one per word and layer, zeros after a sentence's end. Kept ones are not computed anew."""
        records = [Sentence.of(sentence) for sentence in sentences]
        new = {record.words: record for record in records if record.words not in self._kept}
        arrays = dict(zip(new, self._encode(list(new.values())), strict=True)) if new else {}
        rows = [torch.from_numpy(arrays.get(r.words, self._kept.get(r.words))) for r in records]
        return nn.utils.rnn.pad_sequence(rows, batch_first=True)

    def keep(self, sentences: Sentences, *, megabytes: int = 512) -> None:
        """Compute and keep the vectors of these sentences, for training over several epochs.

        The vectors do not depend on later batches, so a resumed training meets the same ones. Raises CourseError if
        they take more than `megabytes` of memory.
        """
        new = {record.words: record for record in map(Sentence.of, sentences) if record.words not in self._kept}
        n_words = sum(map(len, [*self._kept, *new]))
        size = n_words * self.n_layers * self.dim * 4 / 1e6
        if size > megabytes:
            raise CourseError(
                f"Keeping the vectors of {n_words} words takes {size:.0f} MB, more than megabytes={megabytes}. "
                "Raise it, keep fewer sentences, or let each epoch compute them."
            )
        if new:
            self._kept.update(zip(new, self._encode(list(new.values())), strict=True))

    def _encode(self, records: Sequence[Sentence]) -> list[np.ndarray]:
        """Per sentence: [unit, layer, dim]."""
        arrays = self.encoder.encode(records, layer=self.layer)
        if self.layer is None:
            return [array.swapaxes(0, 1) for array in arrays]
        return [array[:, None, : self.dim] for array in arrays]  # without the zeros that fill up a narrow layer
