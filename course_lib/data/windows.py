"""Windows: a long text cut between its words into parts that a model of limited length can read."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.data.records import Sentence
from course_lib.errors import CourseError


def windows(sentence: Sentence | str | Sequence[str], size: int, sizes: Sequence[int] | None = None) -> list[Sentence]:
    """Cut into windows of at most `size` units; spans count from each window's own first character.

    sizes  units of each word, such as its pieces (`encoder.sizes`); None: each word is one. An encoder cuts for itself
           by `encoder.windows(text)`
    """
    sentence, cut = Sentence.of(sentence), []
    sizes = [1] * len(sentence) if sizes is None else sizes
    for word, units in zip(sentence.words, sizes, strict=True):
        if units > size:
            raise CourseError(
                f"windows: the word {word[:40]!r} alone has {units} pieces; at most {size} fit. Leave it out."
            )
    for start, stop in word_windows(sizes, size) if sizes else ():
        spans = sentence.spans[start:stop]
        left, right = spans[0][0], spans[-1][1]
        shifted = tuple((a - left, b - left) for a, b in spans)
        cut.append(Sentence(sentence.text[left:right], sentence.words[start:stop], shifted))
    return cut


def word_windows(sizes: Sequence[int], room: int, overlap: int = 0) -> list[tuple[int, int]]:
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
