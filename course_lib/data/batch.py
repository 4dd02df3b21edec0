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
from course_lib.errors import CourseError
from course_lib.language import key, t


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


def piece_batch(
    rows: Sequence[Sequence[Sentence]], pieces: Any, unit: str, begin: int, end: int | None, most: int | None, name: str
) -> Batch:
    """Rows of one sentence, or of the two of a pair: `begin`, the pieces of each side and `end` after them, if any.

    ids: the "pieces", their "segments", which are "real", and the "places" of the units among them. Raises CourseError
    for a row of more than `most` places.
    """
    made = []
    for number, sides in enumerate(rows):
        row, n_specials = _piece_row(sides, pieces, unit, begin, end), 1 + (0 if end is None else len(sides))
        if most is not None and len(row[0]) > most:
            n_pieces, room = len(row[0]) - n_specials, most - n_specials
            says = (
                key("{name}: sentence {number} has {n} pieces; at most {room} fit. Cut it with encoder.windows(text)."),
                key("{name}: pair {number} has {n} pieces; at most {room} fit. Shorten a side."),
            )[len(sides) - 1]
            raise CourseError(t(says, name=name, number=number, n=n_pieces, room=room))
        made.append(row)
    ids, segments, places, segment, spans = map(list, zip(*made, strict=True))
    real, mask = (length_mask([len(row) for row in part]) for part in (ids, places))
    tensors = {"pieces": pad(ids, pieces.padding), "segments": pad(segments), "real": real, "places": pad(places)}
    return Batch(tensors, mask, pad(segment), spans)


def _piece_row(
    sides: Sequence[Sentence], pieces: Any, unit: str, begin: int, end: int | None
) -> tuple[list[int], list[int], list[int], list[int], list[tuple[int, int]]]:
    """Of each piece, specials included: id and segment. Of each unit: its place among them, segment and span."""
    ids, segments, places, segment, spans = [begin], [0], [], [], []
    for side, sentence in enumerate(sides):
        for (start, stop), word in zip(sentence.spans, pieces.split(sentence.words), strict=True):
            heads = word if unit == "piece" else word[:1]  # a word's vector is that of its first piece
            places += range(len(ids), len(ids) + len(heads))
            spans += [(start + a, start + b) for _, a, b in word] if unit == "piece" else [(start, stop)]
            ids += [i for i, _, _ in word]
        ids += [] if end is None else [end]
        segments += [side] * (len(ids) - len(segments))
        segment += [side] * (len(places) - len(segment))
    return ids, segments, places, segment, spans


def join_sides(first: Batch, second: Batch) -> Batch:
    """Pairs for an encoder that reads the sides apart. A row: units of the first, units of the second, padding."""
    n_first, n_second = first.mask.sum(1), second.mask.sum(1)
    position = torch.arange(int((n_first + n_second).max()))
    mask = position < (n_first + n_second)[:, None]
    segment = ((position >= n_first[:, None]) & mask).long()
    spans = [a + b for a, b in zip(first.spans, second.spans, strict=True)]
    return Batch({}, mask, segment, spans, sides=(first, second))
