"""WordSim-353 and SimLex-999, the two sets of rated pairs of words that gensim brings along."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from course_lib.data.readers.word_tests import RatedPair, load_rated_pairs
from course_lib.errors import CourseError


def load_wordsim353() -> list[RatedPair]:
    """WordSim-353 (Finkelstein et al. 2002): 353 English pairs, relatedness 0 to 10. From gensim's test data."""
    return load_rated_pairs(_gensim_data("wordsim353.tsv"))


def load_simlex999() -> list[RatedPair]:
    """SimLex-999 (Hill et al. 2015): 999 English pairs, similarity and not relatedness, 0 to 10. From gensim too."""
    return load_rated_pairs(_gensim_data("simlex999.txt"))


def _gensim_data(name: str) -> Path:
    """A file among gensim's test data, found without importing gensim (that takes a second)."""
    spec = find_spec("gensim")
    path = Path(spec.origin).parent / "test" / "test_data" / name if spec is not None and spec.origin else None
    if path is None or not path.is_file():
        raise CourseError(
            f"{name} comes with gensim, which is not installed{'' if spec is None else ' with its test data'}. "
            "Run `pip install gensim`, or load a file of your own by its path."
        )
    return path
