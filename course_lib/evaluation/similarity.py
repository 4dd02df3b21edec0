"""Do word vectors agree with people? Similarity ratings, with the standard sets.

A test word that the vectors lack is tried in lower case (the sets write "Arafat", many vectors are lower case only).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from course_lib.data.readers.word_tests import RatedPair, load_rated_pairs
from course_lib.errors import CourseError
from course_lib.evaluation.metrics import spearman
from course_lib.models.word_vectors import WordVectors
from course_lib.text.unknown_words import known_form


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


def load_wordsim353() -> list[RatedPair]:
    """WordSim-353 (Finkelstein et al. 2002): 353 English pairs, relatedness 0 to 10. From gensim's test data."""
    return load_rated_pairs(_gensim_data("wordsim353.tsv"))


def load_simlex999() -> list[RatedPair]:
    """SimLex-999 (Hill et al. 2015): 999 English pairs, similarity and not relatedness, 0 to 10. From gensim too."""
    return load_rated_pairs(_gensim_data("simlex999.txt"))


def _gensim_data(name: str) -> Path:
    """A file among gensim's test data, found without importing gensim (that takes a second)."""
    from importlib.util import find_spec

    spec = find_spec("gensim")
    path = Path(spec.origin).parent / "test" / "test_data" / name if spec is not None and spec.origin else None
    if path is None or not path.is_file():
        raise CourseError(
            f"{name} comes with gensim, which is not installed{'' if spec is None else ' with its test data'}. "
            "Run `pip install gensim`, or load a file of your own by its path."
        )
    return path
