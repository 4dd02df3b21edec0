"""Do word vectors agree with people's ratings of similarity?

A test word that the vectors lack is tried in lower case (the sets write "Arafat", many vectors are lower case only).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from course_lib.errors import CourseError
from course_lib.evaluation.metrics import spearman
from course_lib.models.word_vectors import WordVectors
from course_lib.text.vocabulary import known_form


@dataclass(frozen=True)
class SimilarityScore:
    spearman: float  # rank correlation of cosines and ratings over the pairs found, -1 to 1
    found: int  # pairs whose two words have vectors
    asked: int


def word_similarity(vectors: WordVectors, pairs: Iterable[Sequence]) -> SimilarityScore:
    """Spearman correlation of the cosines with the ratings of `pairs` (first word, second word, rating).

    Pairs with an unknown word are left out and counted.
    """
    pairs = list(pairs)
    found = pairs_known_to(pairs, vectors)
    if len(found) < 3:
        raise CourseError(
            f"Only {len(found)} of {len(pairs)} test pairs have both words among these {len(vectors)} vectors; "
            "a correlation needs 3 at least. Train on more text, with a smaller min_count, or check the language."
        )
    cosines = [vectors.similarity(known_form(a, vectors), known_form(b, vectors)) for a, b, _ in found]
    return SimilarityScore(spearman(cosines, [rating for _, _, rating in found]), len(found), len(pairs))


def pairs_known_to(pairs: Iterable[Sequence], *systems: WordVectors) -> list[Sequence]:
    """The pairs whose words all the systems know: only on those may two systems be compared."""
    return [pair for pair in pairs if all(known_form(word, system) for system in systems for word in pair[:2])]
