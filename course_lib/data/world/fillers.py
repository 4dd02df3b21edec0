"""Neutral phrases of an exact number of words, to lengthen the way between two words."""

from __future__ import annotations

from course_lib.data.world.draw import Draw
from course_lib.data.world.line import Line
from course_lib.errors import CourseError


def fill(draw: Draw, line: Line, language: str, length: int) -> None:
    """Appends phrases of exactly `length` words; the heads of the phrases are left to the predicate."""
    for phrase in _phrases(draw, language, length):
        head = len(line.words) + max(place for place, (_, tag) in enumerate(phrase) if tag != "ADP")
        for word, tag in phrase:
            place = line.add(word, tag)
            if place != head:
                line.heads[place] = head


def _phrases(draw: Draw, language: str, length: int) -> list[tuple[tuple[str, str], ...]]:
    """Different phrases with `length` words together, in random order."""
    sums: dict[int, list] = {0: []}
    for phrase in draw.shuffled(draw.lexicon.fillers[language]):
        for total, chosen in list(sums.items()):
            sums.setdefault(total + len(phrase), [*chosen, phrase])
    if length not in sums:
        raise CourseError(
            f"{length} filling words are too many: the phrases of fillers.tsv give at most {max(sums)} "
            f"in {language!r}. Ask for a smaller distance, or add phrases there."
        )
    return sums[length]
