"""Does a word's vector know its part of speech? The same linear probe on every layer, trained on tagged sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
from jaxtyping import Bool, Float

from course.lab.controls import window_mean
from course.lab.sense_test import Rows
from course.lab.tasks import Task, parts_of_speech
from course_lib.data.records import SenseExample, TaggedSentence
from course_lib.evaluation.probes import mixed_probe, probe
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors


@dataclass(frozen=True)
class TaggedWords:
    """All words of the training and of the test sentences in a row, and their tags."""

    task: Task
    train_tags: list[str]
    test_tags: list[str]

    @property
    def sentences(self) -> list[int]:
        """The number of the sentence that each test word stands in: the cluster of claims about tags."""
        return [number for number, record in enumerate(self.task.test) for _ in record.sentence.words]

    def words(self, part: str) -> list[str]:
        return [word for record in getattr(self.task, part) for word in record.sentence.words]

    def random_tags(self, seed: int = 0) -> TaggedWords:
        """The control: each word type gets one tag, drawn at random as often as the tags are."""
        draw, of_type = Random(seed), {}
        for word in (*self.words("train"), *self.words("test")):
            of_type.setdefault(word, draw.choice(self.train_tags))
        return TaggedWords(self.task, *([of_type[word] for word in self.words(part)] for part in ("train", "test")))

    def right(self, rows: Rows) -> Bool[np.ndarray, " word"]:
        """Which test words the probe on these vectors tags right."""
        return self._compare(probe(rows.train, self.train_tags, rows.test))

    def right_mixed(self, layers: Sequence[Rows]) -> tuple[Bool[np.ndarray, " word"], list[float]]:
        """The same on a learned mix of layers of equal width, and the layers' weights."""
        train, test = (np.stack([getattr(rows, part) for rows in layers]) for part in ("train", "test"))
        predicted, weights = mixed_probe(train, self.train_tags, test)
        return self._compare(predicted), weights

    def _compare(self, predicted: Sequence[str]) -> Bool[np.ndarray, " word"]:
        return np.array([guess == gold for guess, gold in zip(predicted, self.test_tags, strict=True)])


def tagged_words(source: str = "handmade", n_train: int | None = None) -> TaggedWords:
    """Sources as for `tasks.parts_of_speech`; n_train: sentences to learn from (None: all)."""
    task = parts_of_speech(source)
    task = Task(task.name, list(task.train)[:n_train], list(task.test), tag="upos")
    train, test = ([tag for record in part for tag in record.tags["upos"]] for part in (task.train, task.test))
    return TaggedWords(task, train, test)


def word_rows(encoder: ContextEncoder, words: TaggedWords) -> list[Rows]:
    """The words' vectors in each layer."""
    train, test = (_encoded(encoder, part) for part in (words.task.train, words.task.test))
    return [Rows(*pair) for pair in zip(train, test, strict=True)]


def static_rows(vectors: WordVectors, words: TaggedWords) -> Rows:
    """Each word's own static vector; zeros for an unknown word."""
    unknown = np.zeros(vectors.vectors.shape[1], dtype=np.float32)

    def row(word: str) -> np.ndarray:
        return vectors[word.lower()].numpy() if word.lower() in vectors else unknown

    return Rows(*(np.stack([row(word) for word in words.words(part)]) for part in ("train", "test")))


def window_word_rows(vectors: WordVectors, words: TaggedWords) -> Rows:
    """The mean of the static vectors around each word, without its own."""
    return Rows(*(_windows(vectors, part) for part in (words.task.train, words.task.test)))


def static_baselines(vectors: WordVectors, words: TaggedWords, score: Callable[[Rows], float]) -> dict[str, float]:
    """What a layer has to beat: the `score` of the words' static vectors, and of the means around them."""
    return {
        "static vectors, in %": score(static_rows(vectors, words)),
        "mean of the window's static vectors, in %": score(window_word_rows(vectors, words)),
    }


def _windows(vectors: WordVectors, records: Sequence[TaggedSentence]) -> Float[np.ndarray, "word dim"]:
    places = (SenseExample(r.sentence, place, "", "") for r in records for place in range(len(r.sentence)))
    return np.stack([window_mean(vectors, place).numpy() for place in places])


def _encoded(encoder: ContextEncoder, records: Sequence[TaggedSentence]) -> Float[np.ndarray, "layer word dim"]:
    return np.concatenate(encoder.encode([record.sentence for record in records]), axis=1)
