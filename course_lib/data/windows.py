"""Windows: a long sentence cut into pieces that a model of limited length can read."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.data.records import Sentence
from course_lib.errors import CourseError


def windows(sentence: Sentence | str | Sequence[str], size: int) -> list[Sentence]:
    """Cut into windows of at most `size` words; spans count from each window's own first character."""
    if size < 1:
        raise CourseError(f"windows: size={size}. Use 1 or more.")
    sentence, cut = Sentence.of(sentence), []
    for start in range(0, len(sentence), size):
        spans = sentence.spans[start : start + size]
        left, right = spans[0][0], spans[-1][1]
        shifted = tuple((a - left, b - left) for a, b in spans)
        cut.append(Sentence(sentence.text[left:right], sentence.words[start : start + size], shifted))
    return cut
