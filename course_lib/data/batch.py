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

    ids      what the encoder itself reads, by name: {"words": [batch, unit]}, or pieces and what goes with them
    mask     True where a unit (a word or a piece) is real
    segment  0 for the units of the first sentence, 1 for those of the second
    spans    per row, per real unit: (start, end) in characters of its sentence
    sides    for encoders that read the two sentences of a pair apart: a batch of the firsts and one of the seconds
    labels   what a task asks for, by name
    """

    ids: dict[str, Tensor]
    mask: Bool[Tensor, "batch unit"]
    segment: Int[Tensor, "batch unit"]
    spans: list[list[tuple[int, int]]]
    sides: tuple[Batch, Batch] | None = None
    labels: dict[str, Tensor] = field(default_factory=dict)

    def to(self, device: torch.device | str) -> Batch:
        moved = {name: move(value, device) for name, value in vars(self).items() if name != "spans"}
        return replace(self, **moved)

    def __len__(self) -> int:
        return self.mask.shape[0]

    @property
    def lengths(self) -> Int[Tensor, " batch"]:
        """Units of each row. On the CPU, wherever the batch is: nobody waits for a device."""
        return torch.tensor([len(row) for row in self.spans], device="cpu")


def pad(rows: Sequence[Sequence[int]], value: int = 0) -> Int[Tensor, "batch unit"]:
    """Integer rows of unequal length as one tensor, filled up with `value` on the right."""
    width = max(len(row) for row in rows)
    return torch.tensor([[*row, *[value] * (width - len(row))] for row in rows], dtype=torch.long)


def length_mask(lengths: Sequence[int]) -> Bool[Tensor, "batch unit"]:
    """True at the first lengths[i] units of row i."""
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def places_of(mask: Bool[Tensor, "*rows"]) -> Int[Tensor, " real"]:
    """Where a mask is True, counted through all rows. Made with the batch, on the CPU: `nonzero` waits for a GPU."""
    return mask.flatten().nonzero()[:, 0]


def word_batch(ids: dict[str, Tensor], sentences: Sequence[Sentence]) -> Batch:
    """A batch of single sentences whose units are their words."""
    mask = length_mask([len(sentence) for sentence in sentences])
    return Batch(ids, mask, torch.zeros_like(mask, dtype=torch.long), [list(s.spans) for s in sentences])


def piece_batch(
    rows: Sequence[Sequence[Sentence]], pieces: Any, unit: str, *, end: int | None, most: int | None, name: str
) -> Batch:
    """Rows of one sentence, or of the two of a pair: [BOS] or [CLS], the pieces of each side and `end`, if given.

    most, name   places that a row may have, if there is a limit, and who sets it, for the CourseError
    The batch's `ids`: the "pieces", specials included, the side of each in "segments", which are "real", and "places",
    where each unit's piece stands among them; a unit has its piece's segment.
    """
    made = []
    for number, sides in enumerate(rows):
        ids, segments, places, spans = [pieces.begin], [0], [], []
        for side, sentence in enumerate(sides):
            for (start, stop), word in zip(sentence.spans, pieces.split(sentence.words), strict=True):
                heads = word if unit == "piece" else word[:1]  # a word's vector is that of its first piece
                places += range(len(ids), len(ids) + len(heads))
                spans += [(start + a, start + b) for _, a, b in word] if unit == "piece" else [(start, stop)]
                ids += [i for i, _, _ in word]
            ids += [] if end is None else [end]
            segments += [side] * (len(ids) - len(segments))
        if most is not None and len(ids) > most:
            n_specials = 1 + (0 if end is None else len(sides))
            says = (
                key("{name}: sentence {number} has {n} pieces; at most {room} fit. Cut it with encoder.windows(text)."),
                key("{name}: pair {number} has {n} pieces; at most {room} fit. Shorten a side."),
            )[len(sides) - 1]
            raise CourseError(t(says, name=name, number=number, n=len(ids) - n_specials, room=most - n_specials))
        made.append((ids, segments, places, spans))
    ids, segments, places, spans = map(list, zip(*made, strict=True))
    real, mask = (length_mask([len(row) for row in part]) for part in (ids, places))
    segments, places = pad(segments), pad(places)
    tensors = {"pieces": pad(ids, pieces.padding), "segments": segments, "real": real, "places": places}
    return Batch(tensors, mask, segments.gather(1, places), spans)


def join_sides(first: Batch, second: Batch) -> Batch:
    """Pairs for an encoder that reads the sides apart. A row: units of the first, units of the second, padding."""
    n_first, n_second = first.mask.sum(1), second.mask.sum(1)
    position = torch.arange(int((n_first + n_second).max()))
    mask = position < (n_first + n_second)[:, None]
    segment = ((position >= n_first[:, None]) & mask).long()
    spans = [a + b for a, b in zip(first.spans, second.spans, strict=True)]
    return Batch({}, mask, segment, spans, sides=(first, second))
