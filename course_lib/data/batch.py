"""A batch: what every encoder reads and every training step moves to its device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from course_lib.data.records import Sentence
from course_lib.device import move


@dataclass
class Batch:
    """Sentences (or pairs of them) as tensors, made on the CPU. Real units come first in each row, padding after.

    ids      the encoder's own inputs by name, e.g. {"words": [batch, unit]} or {"pieces": ..., "characters": ...}
    mask     True where a unit (a word or a piece) is real
    segment  0 for the units of the first sentence, 1 for those of the second
    spans    per row, per real unit: (start, end) in characters of its sentence
    carry    the state a language model hands from one batch of running text to the next
    sides    for encoders that read the two sentences of a pair apart: a batch of the firsts and one of the seconds
    labels   what a task asks for, by name
    """

    ids: dict[str, Tensor]
    mask: Bool[Tensor, "batch unit"]
    segment: Int[Tensor, "batch unit"]
    spans: list[list[tuple[int, int]]]
    carry: Any = None
    sides: tuple[Batch, Batch] | None = None
    labels: dict[str, Tensor] = field(default_factory=dict)

    def to(self, device: torch.device | str) -> Batch:
        moved = {name: move(value, device) for name, value in vars(self).items() if name != "spans"}
        return replace(self, **moved)

    def __len__(self) -> int:
        return self.mask.shape[0]


def pad(rows: Sequence[Sequence[int]], value: int = 0) -> Int[Tensor, "batch unit"]:
    """Integer rows of unequal length as one tensor, filled up with `value` on the right."""
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows], dtype=torch.long)


def length_mask(lengths: Sequence[int]) -> Bool[Tensor, "batch unit"]:
    """True at the first lengths[i] units of row i."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def word_batch(ids: dict[str, Tensor], sentences: Sequence[Sentence]) -> Batch:
    """A batch of single sentences whose units are their words."""
    mask = length_mask([len(sentence) for sentence in sentences])
    return Batch(ids, mask, torch.zeros_like(mask, dtype=torch.long), [list(s.spans) for s in sentences])


def join_sides(first: Batch, second: Batch) -> Batch:
    """Pairs for an encoder that reads the sides apart. A row: units of the first, units of the second, padding."""
    n_first, n_second = first.mask.sum(1), second.mask.sum(1)
    position = torch.arange(int((n_first + n_second).max()))
    mask = position < (n_first + n_second)[:, None]
    segment = ((position >= n_first[:, None]) & mask).long()
    spans = [a + b for a, b in zip(first.spans, second.spans, strict=True)]
    return Batch({}, mask, segment, spans, sides=(first, second))
