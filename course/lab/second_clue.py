"""The cause, switched on: a language model keeps a word's sense where something that it has to guess depends on it.

One clue:   After asking for a loan , Anna saw the bank .          Anna saw the bank before signing a cheque .
Two clues:  After asking for a loan , Anna saw the bank before signing a cheque .

Same words, same network. With one clue nothing that is guessed later hangs on the sense. With two, either reader
guesses the second clue better if it carries the sense from the first one, past the ambiguous word. The test is the same
for both: sentences with one clue, some clues labelled, the others not.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np

from course.world import World
from course_lib.data.records import SenseExample, Sentence

N_WORDS, N_CLUES = 4, 4  # ambiguous words of two senses; clues of each sense
NAMES = ("Anna", "Julia", "Sofia", "Mina", "Clara", "Emma", "Laura", "Nora")
SIDES = ("left", "right")


def senses() -> dict[str, dict[str, list[str]]]:
    """The first words of the world that have two senses with four clues each: word -> sense -> clues."""
    found: dict[str, dict[str, list[str]]] = {}
    for concept, clues in World().lexicon.cues["en"].items():
        found.setdefault(concept.partition(".")[0], {})[concept] = clues
    whole = [word for word, by_sense in found.items() if [len(clues) for clues in by_sense.values()] == [N_CLUES] * 2]
    return {word: found[word] for word in whole[:N_WORDS]}


def occurrence(draw: Random, word: str, sense: str, left: str = "", right: str = "") -> SenseExample:
    """A sentence with a clue on the left of the word, on its right, or on both sides."""
    before = [*(["After", *left.split(), ","] if left else []), draw.choice(NAMES), "saw", "the"]
    after = [*(["before", *right.split()] if right else []), "."]
    return SenseExample(Sentence.of([*before, word, *after]), len(before), word, sense)


def clue_text(n_clues: int, n_sentences: int = 4_000, seed: int = 0) -> list[tuple[str, ...]]:
    """Sentences with one clue, on either side, or with two different ones, one on each side."""
    draw, text = Random(seed), []
    words = [(word, sense, clues) for word, by_sense in senses().items() for sense, clues in by_sense.items()]
    for _ in range(n_sentences):
        word, sense, clues = draw.choice(words)
        sides = dict(zip(SIDES, draw.sample(clues, 2), strict=True))
        if n_clues == 1:
            del sides[draw.choice(SIDES)]
        text.append(occurrence(draw, word, sense, **sides).sentence.words)
    return text


def asked(side: str, word: str, clues: slice, n: int = 3, seed: int = 5) -> list[SenseExample]:
    """n sentences for each of these clues of each sense of the word; the clue, alone, on this side."""
    draw = Random(seed)
    chosen = [(sense, clue) for sense, all_of in senses()[word].items() for clue in all_of[clues]]
    return [occurrence(draw, word, sense, **{side: clue}) for sense, clue in chosen for _ in range(n)]


def likeness(vectors: Callable[[list[SenseExample]], np.ndarray], side: str) -> np.ndarray:
    """How alike the word's vectors are after one clue and after another: cosines from the word's mean. [clue, clue]

    The clues of one sense stand first, then those of the other; the mean over the words.
    vectors: occurrences -> the ambiguous word's vectors [occurrence, dim]
    """
    of_words = []
    for word in senses():
        rows = vectors(asked(side, word, slice(0, N_CLUES)))
        of_clue = rows.reshape(2 * N_CLUES, -1, rows.shape[1]).mean(1)
        of_clue -= of_clue.mean(0)
        of_clue /= np.linalg.norm(of_clue, axis=1, keepdims=True)
        of_words.append(of_clue @ of_clue.T)
    return np.mean(of_words, 0)
