"""One probe for all of chapter 7: parts of speech in the world, learned from few labelled sentences.

Most test words never stand in the labelled sentences: what a network learned from text without labels must tell them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Bool

from course.lab.pos_probe import TaggedWords, word_rows
from course.lab.sense_test import Rows
from course.lab.tasks import Task, majority, world_sentences
from course.lab.world_bert import RATE
from course_lib.models.encoder import ContextEncoder, Sentences

PROBE_SEED = 41  # of the labelled sentences; the text without labels has another
DEV_SEED = 1_000  # of the network that a learning rate is chosen with


@dataclass(frozen=True)
class SideBySide:
    """Several encoders of as many layers; a word's vector is theirs, joined."""

    encoders: Sequence[ContextEncoder]

    def encode(self, sentences: Sentences, *, layer: int | None = None) -> list[np.ndarray]:
        each = [encoder.encode(sentences, layer=layer) for encoder in self.encoders]
        return [np.concatenate(rows, axis=-1) for rows in zip(*each, strict=True)]


@dataclass(frozen=True)
class Probed:
    """The layer that is best on dev, and which test words it tags right; layers: accuracy of each on test, in %."""

    layer: int
    dev: float
    right: Bool[np.ndarray, " word"]
    layers: tuple[float, ...]

    @property
    def score(self) -> float:
        """Accuracy on test, in %."""
        return 100 * float(self.right.mean())


@dataclass(frozen=True)
class PosProbe:
    """words: labelled sentences to learn from, and those of dev and test in a row; test: test sentences only."""

    words: TaggedWords
    test: Task

    def of(self, encoder: ContextEncoder | SideBySide) -> Probed:
        layers = word_rows(encoder, self.words)
        dev, test = zip(*(self._cut(self.words.right(rows)) for rows in layers), strict=True)
        best = int(np.argmax([right.mean() for right in dev]))
        scores = tuple(100 * float(right.mean()) for right in test)
        return Probed(best, 100 * float(dev[best].mean()), test[best], scores)

    def score(self, rows: Rows) -> float:
        """Of any vectors of the words, in % on test."""
        return 100 * float(self._cut(self.words.right(rows))[1].mean())

    @property
    def majority(self) -> float:
        """Each word's commonest tag in the labelled sentences, in % on test."""
        return majority(self.test)

    @property
    def sentences(self) -> list[int]:
        """The number of the sentence of each test word."""
        return [number for number, record in enumerate(self.test.test) for _ in record.sentence.words]

    def _cut(self, right: Bool[np.ndarray, " word"]) -> tuple[np.ndarray, np.ndarray]:
        n_test = len(self.sentences)
        return right[:-n_test], right[-n_test:]


@lru_cache(maxsize=4)
def world_probe(n_train: int = 20, n_test: int = 150) -> PosProbe:
    """n_test sentences in dev and in test each."""
    sizes = {"train": n_train, "dev": n_test, "test": n_test}
    train, dev, test = (world_sentences(split, n, PROBE_SEED) for split, n in sizes.items())
    tags = ([tag for record in part for tag in record.tags["upos"]] for part in (train, dev + test))
    return PosProbe(TaggedWords(Task("the world", train, dev + test, tag="upos"), *tags), Task("", train, test, "upos"))


def trained(make: Callable, on_dev: Callable, n_seeds: int, search: bool) -> tuple[list, float]:
    """What `make(seed, learning rate)` gives for each seed, and the rate that they share.

    search  choose the rate whose network, of a seed of its own, is best `on_dev`; else it is RATE
    """
    rate = best_rate(lambda rate: on_dev(make(DEV_SEED, rate))) if search else RATE
    return [make(seed, rate) for seed in range(n_seeds)], rate


def best_rate(score: Callable[[float], float], start: float = 3e-3, factor: float = 3.0) -> float:
    """The learning rate with the highest score among start x factor^k: lower and higher ones are tried until both
    neighbours of the best have been. Four steps to a side at most."""
    tried = {0: score(start)}
    while True:
        best = max(tried, key=tried.get)
        missing = [k for k in (best - 1, best + 1) if k not in tried and abs(k) <= 4]
        if not missing:
            return start * factor**best
        tried |= {k: score(start * factor**k) for k in missing}
