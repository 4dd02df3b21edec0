"""Windows: a long sentence cut into overlapping pieces that a model of limited length can read."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.data.records import Sentence
from course_lib.errors import CourseError


def windows(sentence: Sentence | str | Sequence[str], size: int, *, overlap: int = 0) -> list[Sentence]:
    """Cut into windows of at most `size` words, each sharing `overlap` words with the one before.

    Together the windows hold every word; spans count from each window's own first character. Nothing is cut from a
    sentence that fits. Raises CourseError unless 0 <= overlap < size.
    """
    if not 0 <= overlap < size:
        raise CourseError(f"windows: size={size}, overlap={overlap}. The overlap must be at least 0 and below size.")
    sentence = Sentence.of(sentence)
    cut, start = [], 0
    while True:
        stop = min(start + size, len(sentence))
        spans = sentence.spans[start:stop]
        left = spans[0][0] if spans else 0
        right = spans[-1][1] if spans else 0
        shifted = tuple((a - left, b - left) for a, b in spans)
        cut.append(Sentence(sentence.text[left:right], sentence.words[start:stop], shifted))
        if stop == len(sentence):
            return cut
        start = stop - overlap
