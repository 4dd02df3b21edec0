"""What a frozen encoder says of sentences and of pairs, computed once and read by many small heads.

As kept_vectors.py, and besides: all layers if asked for, and pairs that the encoder reads in one pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.data.batch import Batch, join_sides, length_mask
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.models.baselines import masked_mean
from course_lib.models.encoder import ContextEncoder, Encoding, Sentences


class KeptStates(ContextEncoder):
    """The top layer of `encoder`, or with `mixed` all layers, without gradient and without parameters.

    Every head sees the sides of a pair apart, so that it has the same shape on all encoders. Where the encoder reads
    pairs (BERT), the vectors of both sides come from one pass over the two: each side has seen the other.

    spread  sentences, or (firsts, seconds) of pairs, over which each layer gets mean 0 per dimension and a standard
            deviation of 1 over all dimensions: encoders differ in what they say, not in how loud they are
    """

    kind = "kept-states"

    def __init__(self, encoder: ContextEncoder, spread: tuple[Sentences, Sentences | None], *, mixed: bool = False):
        super().__init__()
        # in a tuple: a part of this module would be trained, saved and frozen with it
        self._source = (encoder,)
        self._layers = list(range(len(encoder.dims)))[0 if mixed else -1 :]
        self.layer_names = tuple(encoder.layer_names[i] for i in self._layers)
        self.dims = tuple(encoder.dims[i] for i in self._layers)
        self.sentence_dim = self.dims[-1]
        self._kept: dict[tuple[tuple[str, ...], ...], list[Tensor]] = {}  # per side: [unit, layer, dim]
        self._mean, self._scale = torch.tensor(0.0), torch.tensor(1.0)
        self._keep(*(None if side is None else self._checked(side) for side in spread))
        rows = torch.cat([side for sides in self._kept.values() for side in sides])
        deviation = [(rows[:, i, :width] - rows[:, i, :width].mean(0)).std() for i, width in enumerate(self.dims)]
        self._mean, self._scale = rows.mean(0), torch.stack(deviation).clamp_min(1e-6)[:, None]
        self._kept = {words: [self._scaled(side) for side in sides] for words, sides in self._kept.items()}

    @property
    def device(self) -> torch.device:
        return torch.device("cpu")

    def batch(self, sentences: Sentences, second: Sentences | None = None, *, unit: str = "word") -> Batch:
        """As every encoder's. A pair is a batch of two sides, also if the encoder read it in one pass."""
        if second is None or not self._source[0].reads_pairs:
            return super().batch(sentences, second, unit=unit)
        firsts, seconds = self._checked(sentences), self._checked(second)
        self._keep(firsts, seconds)
        pairs = [self._kept[a.words, b.words] for a, b in zip(firsts, seconds, strict=True)]
        sides = [_side(part, [pair[i] for pair in pairs]) for i, part in enumerate((firsts, seconds))]
        return join_sides(*sides)

    @torch.no_grad()
    def _keep(self, firsts: list[Sentence], seconds: list[Sentence] | None = None, batch_size: int = 32) -> None:
        """Let the encoder read what is new, items of like length together."""
        encoder = self._source[0].eval()
        if seconds is not None and not encoder.reads_pairs:
            firsts, seconds = [*firsts, *seconds], None
        items = [(a,) for a in firsts] if seconds is None else list(zip(firsts, seconds, strict=True))
        named = {tuple(side.words for side in item): item for item in items}
        new = [words for words in named if words not in self._kept]
        new.sort(key=lambda words: sum(map(len, words)))
        for start in range(0, len(new), batch_size):
            chosen = new[start : start + batch_size]
            batch = encoder.batch(*(list(side) for side in zip(*(named[words] for words in chosen), strict=True)))
            encoding = encoder.states(batch.to(encoder.device))
            layers = encoding.layers[self._layers][..., : self.dim].permute(1, 2, 0, 3).float().cpu()
            for row, words in enumerate(chosen):
                own = [batch.mask[row] & (batch.segment[row] == number) for number in range(len(words))]
                self._kept[words] = [self._scaled(layers[row, units]) for units in own]

    def _scaled(self, rows: Float[Tensor, "unit layer dim"]) -> Float[Tensor, "unit layer dim"]:
        return (rows - self._mean) / self._scale

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        self._keep(first)
        return _side(first, [self._kept[(sentence.words,)][0] for sentence in first])

    def _states(self, batch: Batch) -> Encoding:
        layers = batch.ids["vectors"].permute(2, 0, 1, 3)
        top = layers[-1][..., : self.sentence_dim]
        return Encoding(layers, batch.mask, batch.segment, masked_mean(top, batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [("kept", [])]

    def _config(self) -> dict[str, Any]:
        raise CourseError("KeptStates has nothing of its own to save. Save the encoder that its vectors come from.")

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> KeptStates:
        raise CourseError("KeptStates is not read from a checkpoint. Load an encoder and wrap it.")


def _side(sentences: Sequence[Sentence], rows: list[Float[Tensor, "unit layer dim"]]) -> Batch:
    mask = length_mask([len(sentence) for sentence in sentences])
    vectors = nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return Batch(
        {"vectors": vectors}, mask, torch.zeros_like(mask, dtype=torch.long), [list(s.spans) for s in sentences]
    )
