"""What mere counting says of a masked word: the rivals of chapter 7's BERT."""

from __future__ import annotations

from collections import Counter, defaultdict

from jaxtyping import Int
from torch import Tensor

from course_lib.errors import CourseError


def from_neighbours(
    text: Int[Tensor, "sentence position"], read: Int[Tensor, "row column"], sides: int
) -> Int[Tensor, "row column"]:
    """For each position of `read`, the token that was most often there in `text` with the same neighbours.

    sides: 1, the token before alone; 2, before and after. Where the two never occurred together, as with sides=1; where
    the one before did not either, the most frequent token of all. Token 0 is padding. The first and the last position,
    which have no two neighbours, are returned as they are.
    """
    if sides not in (1, 2):
        raise CourseError(f"from_neighbours: sides={sides!r}. Use 1, the token before, or 2, both neighbours.")
    seen: defaultdict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for row in text.tolist():
        for before, token, after in zip(row, row[1:], row[2:], strict=False):
            if token:
                for key in ((), (before,), (before, after)):
                    seen[key][token] += 1
    best = {key: found.most_common(1)[0][0] for key, found in seen.items()}
    guesses = read.clone()
    for i, row in enumerate(read.tolist()):
        for j, (before, after) in enumerate(zip(row, row[2:], strict=False), start=1):
            keys = [(before, after), (before,), ()][2 - sides :]
            guesses[i, j] = next(best[key] for key in keys if key in best)
    return guesses
