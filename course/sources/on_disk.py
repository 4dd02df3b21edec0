"""On your disk: real English text that comes with the course, the docstrings of the packages that it is built on.

About 1.6 million words in `data/docstrings/`, with the licences of the packages and the rules of cleaning.
"""

from __future__ import annotations

import json
import lzma
import sys
from dataclasses import dataclass
from functools import cache

from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.language import t


@dataclass(frozen=True)
class OnDiskCorpus:
    """Sentences of lower-case words, each different, in a fixed order."""

    sentences: list[list[str]]
    n_packages: int
    fingerprint: str  # SHA-256 of all sentences of the file

    def __str__(self) -> str:
        return t(
            "{words} words in {sentences} sentences from {packages} packages (fingerprint {fingerprint})",
            words=f"{sum(map(len, self.sentences)):,}",
            sentences=f"{len(self.sentences):,}",
            packages=self.n_packages,
            fingerprint=self.fingerprint[:8],
        )


@cache
def _stored() -> OnDiskCorpus:
    """The file holds a JSON line, then `module number<TAB>words` for each sentence."""
    header, *lines = lzma.decompress(data_dir("docstrings", "corpus.txt.xz").read_bytes()).decode().splitlines()
    about = json.loads(header)
    sentences = [list(map(sys.intern, line.partition("\t")[2].split(" "))) for line in lines]  # one string per word
    return OnDiskCorpus(sentences, len(about["packages"]), about["fingerprint"])


def on_disk_sentences(*, max_words: int | None = None) -> OnDiskCorpus:
    """The sentences of the file.

    max_words  an even sample over all packages of about so many words, never more; None is all
    """
    stored = _stored()
    if max_words is None:
        return stored
    if max_words < 1:
        raise CourseError(f"on_disk_sentences got max_words={max_words}. Use a number of at least 1, or None for all.")
    share = min(1.0, max_words / sum(map(len, stored.sentences)))
    chosen, total, taken = [], 0, 0
    for sentence in stored.sentences:
        total += len(sentence)
        if taken + len(sentence) <= total * share:  # a sentence that begins a new share of the budget
            chosen.append(sentence)
            taken += len(sentence)
    return OnDiskCorpus(chosen, stored.n_packages, stored.fingerprint)
