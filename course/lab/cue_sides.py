"""Language models of one or two directions on ambiguous words of the world whose cue stands on a known side."""

from __future__ import annotations

from itertools import islice

import numpy as np

from course.lab.sense_test import Rows, SenseSplit, sense_hits
from course.lab.world_bilm import world_bilm
from course_lib.data.records import SenseExample
from course_lib.data.world import World
from course_lib.models.encoder import ContextEncoder

SIDES = ("left", "right", "both")
WAYS = ("both", "forward")  # directions of language models of one width


def cued(language: str, side: str, n: int = 600) -> tuple[list[SenseExample], list[SenseExample]]:
    """Ambiguous words with their cue on one side, to learn from and to test on; no sentence is in both.

    Both parts have the same cues, with other names: asked is which side a model reads, not what it makes of new cues.
    """
    train, more = (list(islice(World(seed).senses(language, side=side), n)) for seed in (11, 13))
    seen = {example.sentence.words for example in train}
    return train, [example for example in more if example.sentence.words not in seen]


def sense_accuracy(encoder: ContextEncoder, train: list[SenseExample], test: list[SenseExample]) -> float:
    """In %: a test occurrence's top state gets the sense with the nearest mean state among those of its word."""

    def states(part: list[SenseExample]) -> np.ndarray:
        encoded = encoder.encode([example.sentence for example in part], layer=-1)
        return np.stack([rows[example.position] for rows, example in zip(encoded, part, strict=True)])

    return 100 * float(sense_hits(Rows(states(train), states(test)), SenseSplit(train, test, "")).mean())


def accuracy_by_side(n_words: int, steps: int, n_seeds: int) -> dict[tuple[str, str, str], np.ndarray]:
    """(language, side of the cue, directions) -> sense accuracy in % of the top states, by seed of the language model.

    Each sense is drawn equally often, so chance is 50 for words of two senses; a few Korean ones have three.
    """
    found = {}
    for language in ("en", "ko"):
        splits = {side: cued(language, side) for side in SIDES}
        for ways in WAYS:
            models = [
                world_bilm(seed, n_words=n_words, steps=steps, directions=ways, language=language)
                for seed in range(n_seeds)
            ]
            for side, parts in splits.items():
                found[language, side, ways] = np.array([sense_accuracy(model, *parts) for model in models])
    return found


def one_sided(found: dict[tuple[str, str, str], np.ndarray], ways: str) -> np.ndarray:
    """The mean over languages and over left and right cues, by seed."""
    return np.mean([scores for (_, side, which), scores in found.items() if which == ways and side != "both"], 0)
