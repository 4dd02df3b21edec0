"""Does a word's vector know its sense? Fixed training and test occurrences, the nearest mean, balanced over senses.

Source: Peters et al. 2018, arXiv:1802.05365, section 5.3: the vectors of a sense's training occurrences are averaged,
and a test occurrence gets the sense with the nearest mean. Only senses of its own word are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np
from jaxtyping import Float

from course.lab.controls import window_mean
from course_lib.data.handmade import handmade_senses
from course_lib.data.public import load_public
from course_lib.data.records import SenseExample
from course_lib.evaluation.probes import nearest_mean, nearest_mean_left_out
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors

MOST = 50  # occurrences of a sense that are read from a public set, in training and in test: some have thousands
_CHUNK = 512  # sentences encoded at a time: all layers of all their words are held until the occurrences are cut out


@dataclass(frozen=True)
class SenseSplit:
    """Occurrences to learn from and to test on. Both hold the same words; `name` says where they are from."""

    train: list[SenseExample]
    test: list[SenseExample]
    name: str

    @property
    def words(self) -> list[str]:
        """The word of each test occurrence: the cluster of claims about words."""
        return [example.word for example in self.test]

    def only(self, words: Sequence[str]) -> SenseSplit:
        return replace(
            self, **{part: [e for e in getattr(self, part) if e.word in words] for part in ("train", "test")}
        )

    def shuffled(self, seed: int = 0) -> SenseSplit:
        """The control: within each word and part the senses change places, so they have nothing to do with the text."""
        return replace(self, train=_shuffled(self.train, Random(seed)), test=_shuffled(self.test, Random(seed + 1)))

    def weights(self) -> Float[np.ndarray, " occurrence"]:
        """What each test occurrence counts, so that every word and, within it, every sense counts the same."""
        sizes = Counter((example.word, example.sense) for example in self.test)
        senses = Counter(word for word, _ in sizes)
        return np.array([1 / (sizes[e.word, e.sense] * senses[e.word]) for e in self.test])


def sense_split(source: str = "handmade", language: str = "en") -> SenseSplit:
    """source: "handmade", or "coarsewsd20" or "senseval_4words" (English; they need the public set)."""
    if source == "handmade":
        train = [*handmade_senses(language, "train"), *handmade_senses(language, "dev")]
        return SenseSplit(train, handmade_senses(language, "test"), f"handmade senses ({language})")
    if source == "senseval_4words":  # it has no split of its own: every third occurrence of a word is tested
        examples = load_public(source)
        places: Counter[str] = Counter()
        parts: tuple[list, list] = ([], [])
        for example in examples:
            parts[places[example.word] % 3 == 2].append(example)
            places[example.word] += 1
        return SenseSplit(*map(_first, parts), f"Senseval, four words, first {MOST} of each sense")
    parts = (load_public(source, part) for part in ("train", "test"))
    return SenseSplit(*map(_first, parts), f"CoarseWSD-20, first {MOST} of each sense")


def _first(examples: Iterable[SenseExample]) -> list[SenseExample]:
    """The first MOST occurrences of each sense."""
    seen: Counter[tuple[str, str]] = Counter()
    kept = []
    for example in examples:
        seen[example.word, example.sense] += 1
        if seen[example.word, example.sense] <= MOST:
            kept.append(example)
    return kept


def joined(splits: Sequence[SenseSplit]) -> SenseSplit:
    """Several sets as one. A word that two of them have counts as two, since their senses are cut differently."""
    first, *others = splits
    for number, other in enumerate(others, start=2):
        seen = {example.word for example in first.train}
        train, test = (
            [replace(e, word=f"{e.word} ({number})") if e.word in seen else e for e in part]
            for part in (other.train, other.test)
        )
        first = SenseSplit(first.train + train, first.test + test, f"{first.name}, {other.name}")
    return first


@dataclass(frozen=True)
class Rows:
    """One vector per occurrence: train and test [occurrence, dim]."""

    train: np.ndarray
    test: np.ndarray


def layer_rows(encoder: ContextEncoder, split: SenseSplit) -> list[Rows]:
    """The occurrences' vectors in each layer of the encoder."""
    train, test = (_occurrences(encoder, part) for part in (split.train, split.test))
    return [Rows(*pair) for pair in zip(train, test, strict=True)]


def window_rows(vectors: WordVectors, split: SenseSplit) -> Rows:
    """The mean of the static vectors of the five words on each side."""
    return Rows(*(np.stack([window_mean(vectors, e).numpy() for e in part]) for part in (split.train, split.test)))


def sense_hits(rows: Rows, split: SenseSplit) -> Float[np.ndarray, " occurrence"]:
    """For each test occurrence: is the nearest mean of its word's senses right? 1, 0, or a share where means tie."""
    hits = np.zeros(len(split.test))
    for word in dict.fromkeys(split.words):
        learned, tested = ([i for i, e in enumerate(part) if e.word == word] for part in (split.train, split.test))
        hits[tested] = nearest_mean(
            rows.train[learned],
            [split.train[i].sense for i in learned],
            rows.test[tested],
            [split.test[i].sense for i in tested],
        )
    return hits


def left_out(rows: Rows, split: SenseSplit) -> float:
    """Balanced accuracy in % on the training occurrences, each left out of its sense's mean: it chooses a layer.

    Raises CourseError for a sense that occurs once in training: nothing is left of it.
    """
    own = SenseSplit(split.train, split.train, split.name)
    hits = np.zeros(len(split.train))
    for word in dict.fromkeys(own.words):
        places = [i for i, example in enumerate(split.train) if example.word == word]
        hits[places] = nearest_mean_left_out(rows.train[places], [split.train[i].sense for i in places])
    return balanced(hits, own)


def weighted_mean(rows: Float[np.ndarray, "item 2"]) -> float:
    """rows [item, (value, weight)]. With SenseSplit.weights the mean over words of their balanced accuracy."""
    return float(rows[:, 0] @ rows[:, 1] / rows[:, 1].sum())


def balanced(hits: Float[np.ndarray, " occurrence"], split: SenseSplit) -> float:
    """Balanced accuracy in %, the mean over words."""
    return 100 * weighted_mean(np.stack([hits, split.weights()], 1))


def top_score(encoder: ContextEncoder, split: SenseSplit) -> float:
    """Balanced accuracy in % of the encoder's top layer."""
    return balanced(sense_hits(layer_rows(encoder, split)[-1], split), split)


def majority_score(rows: Rows, split: SenseSplit) -> float:
    """The same of one vector for all: what the majority sense and a static vector give, up to ties."""
    same = Rows(np.ones_like(rows.train), np.ones_like(rows.test))
    return balanced(sense_hits(same, split), split)


def _occurrences(
    encoder: ContextEncoder, examples: Sequence[SenseExample]
) -> Float[np.ndarray, "layer occurrence dim"]:
    rows = []
    for start in range(0, len(examples), _CHUNK):
        part = examples[start : start + _CHUNK]
        arrays = encoder.encode([example.sentence for example in part])
        rows += [array[:, example.position] for array, example in zip(arrays, part, strict=True)]
    return np.stack(rows, axis=1)


def _shuffled(examples: Sequence[SenseExample], order: Random) -> list[SenseExample]:
    moved = list(examples)
    for word in dict.fromkeys(example.word for example in examples):
        places = [i for i, example in enumerate(examples) if example.word == word]
        senses = [examples[i].sense for i in places]
        order.shuffle(senses)
        for place, sense in zip(places, senses, strict=True):
            moved[place] = replace(examples[place], sense=sense)
    return moved
