"""Reusing word vectors: the same labels and seeds, a table from chance or from unlabelled text, trained or not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from course.lab.tasks import Head, Task, learn, score
from course_lib.data.records import Sentence
from course_lib.models.baselines import StaticVectors
from course_lib.models.word_vectors import WordVectors

REUSE = ("random", "initial", "frozen", "slow")  # no reuse, and the three ways of it


def for_task(vectors: WordVectors, task: Task, std: float = 0.3) -> WordVectors:
    """The rows that the task's words use (other rows would never move), centred and brought to one spread.

    So two tables that start a network differ in their directions, not in how loud they are.
    """
    texts = [Sentence.of(record.text if task.tag is None else record.sentence) for record in (*task.train, *task.test)]
    used = {form for text in texts for word in text.words for form in (word, word.lower())}
    words = [word for word in vectors.words if word in used]
    rows = torch.stack([vectors[word] for word in words])
    rows = rows - rows.mean(0)
    return WordVectors(words, rows * (std / rows.std()))


def random_like(vectors: WordVectors, seed: int = 0) -> WordVectors:
    """The same words with random vectors of the same spread: a network that reuses nothing."""
    generator = torch.Generator().manual_seed(seed)
    std = vectors.vectors.std()
    return WordVectors(vectors.words, std * torch.randn(vectors.vectors.shape, generator=generator))


def curve(
    task: Task,
    vectors: WordVectors,
    ways: Sequence[str],
    sizes: Sequence[int | None],
    n_seeds: int,
    *,
    learning_rate: float = 3e-3,
    **settings,
) -> dict[str, np.ndarray]:
    """Test scores in % of each way of reuse: {way: [size, seed]}. Same labels and seeds for all ways."""
    vectors = for_task(vectors, task)

    def one(way: str, size: int | None, seed: int) -> float:
        table = random_like(vectors, seed) if way == "random" else vectors

        def make_head(labels: Sequence[str]) -> Head:
            encoder = StaticVectors.from_word_vectors(table)
            head = task.head(encoder, labels, **settings)
            if way == "frozen":
                head.freeze(["word"])
            return head

        slow = {"word": 0.1} if way == "slow" else None
        return score(task, learn(task, make_head, size, seed, slow=slow, learning_rate=learning_rate))

    return {way: np.array([[one(way, size, seed) for seed in range(n_seeds)] for size in sizes]) for way in ways}
