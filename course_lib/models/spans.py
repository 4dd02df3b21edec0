"""Answers as spans of a passage: cutting the passage into windows, finding an answer's units, ranking all spans.

Source: Devlin et al. 2019, arXiv:1810.04805, section 4.2: a span's score is the sum of the score of its start and of
its end, and the best span with start <= end is the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

Place = tuple[int, int]  # where something begins, and one past its end


@dataclass(frozen=True)
class Answer:
    """text == passage[start:end]; "no answer" is the empty text at 0. score: start logit + end logit, unbounded."""

    text: str
    start: int
    end: int
    score: float


def spans_by_score(
    start: Float[np.ndarray, " unit"], end: Float[np.ndarray, " unit"], max_answer: int
) -> Iterator[tuple[float, int, int]]:
    """(start[i] + end[j], i, j) for all i <= j < i + max_answer, best first; of equal ones the leftmost and shortest.

    The best one costs one look at n * max_answer sums. Only who asks for a second pays for sorting them.
    """
    width = min(max_answer, len(end))
    padded = np.concatenate([end, np.full(width - 1, -np.inf, end.dtype)])
    sums = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)  # [start, length - 1]
    best = int(sums.argmax())
    yield float(sums.flat[best]), best // width, best // width + best % width
    for number in np.argsort(-sums, axis=None, kind="stable")[1:].tolist():
        score, first, more = float(sums.flat[number]), number // width, number % width
        if score == -np.inf:
            return
        yield score, first, first + more


def distinct(found: Iterable[tuple[float, int, int]], n: int) -> list[tuple[float, int, int]]:
    """The first n different places of (score, start, end), read best first; it stops reading when it has them."""
    kept: dict[Place, float] = {}
    for score, start, end in found:
        kept.setdefault((start, end), score)
        if len(kept) == n:
            break
    return [(score, start, end) for (start, end), score in kept.items()]


def units_of(spans: Sequence[Place], start: int, end: int) -> Place | None:
    """The first and the last unit that share a character with start:end, or None if no unit does.

    spans  characters (start, end) of each unit, from left to right
    """
    touched = [number for number, (a, b) in enumerate(spans) if a < end and b > start]
    return (touched[0], touched[-1]) if touched else None


def word_windows(sizes: Sequence[int], room: int, overlap: int) -> list[Place]:
    """Words first:stop of each window: as many as fit, the next one beginning with the last words of the one before.

    sizes    units (pieces) of each word; at most `room` each
    room     most units of a window
    overlap  most units that two neighbours share; fewer where the next word would not fit otherwise
    """
    cut, first, stop, size = [], 0, 0, 0
    while True:
        while stop < len(sizes) and size + sizes[stop] <= room:
            size += sizes[stop]
            stop += 1
        cut.append((first, stop))
        if stop == len(sizes):
            return cut
        while size > overlap or size + sizes[stop] > room:
            size -= sizes[first]
            first += 1
