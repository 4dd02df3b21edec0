"""What does a word's vector know? Its sense, by the nearest mean; its part of speech, by a linear probe.

Source: Peters et al. 2018, arXiv:1802.05365, section 5.3: the vectors of a sense's training occurrences are averaged,
and a test occurrence gets the sense with the nearest mean. Only senses of its own word are asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from operator import attrgetter
from random import Random
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from course.lab.controls import nearest_mean_left_out, top_vectors, window_mean
from course.lab.linear_probe import mixed_probe, probe
from course.lab.tasks import Task, parts_of_speech, world_sentences
from course.lab.world_models import world_bilm
from course.sources.handmade import handmade_clue_sides, handmade_second_senses, handmade_senses
from course.sources.public import load_public
from course.world import World
from course_lib.config import data_dir
from course_lib.data.readers.senses import read_senses
from course_lib.data.records import SenseExample, TaggedSentence
from course_lib.evaluation.probes import nearest_mean
from course_lib.language import key
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors

ROLES = ("noun", "verb", key("particle"), "word")  # of a form in the handmade sentences
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

    def only(self, words: Collection[str]) -> SenseSplit:
        train, test = ([example for example in part if example.word in words] for part in (self.train, self.test))
        return replace(self, train=train, test=test)

    def shuffled(self, seed: int = 0) -> SenseSplit:
        """The control: within each word and part the senses change places, so they have nothing to do with the text."""
        return replace(self, train=_shuffled(self.train, Random(seed)), test=_shuffled(self.test, Random(seed + 1)))

    def weights(self) -> Float[np.ndarray, " occurrence"]:
        """What each test occurrence counts, so that every word and, within it, every sense counts the same."""
        sizes = Counter((example.word, example.sense) for example in self.test)
        senses = Counter(word for word, _ in sizes)
        return np.array([1 / (sizes[e.word, e.sense] * senses[e.word]) for e in self.test])


def sense_split(source: str = "handmade", language: str = "en") -> SenseSplit:
    """source: "handmade", "second" (some of its words, sentences by which nothing is chosen) or "two roles"; English
    only: "clue side" (14 of its words, new sentences to test on), or "coarsewsd20" or "senseval_4words" (they need the
    public set).

    "two roles": *work* as a noun and as a verb, 이 as *this* and as a particle. The same occurrences stand in both
    parts: for `left_out`, or a network that was never shown a label.
    """
    if source == "two roles":
        written = read_senses(data_dir("handmade", language, "generations.tsv"))
        roles = [example for example in written if example.sense in ROLES]
        return SenseSplit(roles, roles, f"two roles of a word ({language})")
    if source == "handmade":
        train = [*handmade_senses(language, "train"), *handmade_senses(language, "dev")]
        return SenseSplit(train, handmade_senses(language, "test"), f"handmade senses ({language})")
    if source == "second":
        test = handmade_second_senses(language)
        learned = sense_split("handmade", language).only({example.word for example in test})
        return replace(learned, test=test, name=f"second handmade senses ({language})")
    if source == "clue side":
        test = handmade_clue_sides()
        asked = {(example.word, example.sense) for example in test}
        train = [example for example in handmade_senses() if (example.word, example.sense) in asked]
        return SenseSplit(train, test, "senses by the clue's side")
    if source == "senseval_4words":  # it has no split of its own: every third occurrence of a word is tested
        examples = load_public(source)
        tested = {place for places in _places(examples).values() for place in places[2::3]}
        parts = ([e for i, e in enumerate(examples) if (i in tested) == test] for test in (False, True))
        return SenseSplit(*map(_first, parts), f"Senseval, four words, first {MOST} of each sense")
    parts = (load_public(source, part) for part in ("train", "test"))
    return SenseSplit(*map(_first, parts), f"CoarseWSD-20, first {MOST} of each sense")


def _places(examples: Sequence[SenseExample], key: Callable = attrgetter("word")) -> dict[Any, list[int]]:
    """The places of each word's occurrences, or of each `key`'s."""
    places: dict[Any, list[int]] = {}
    for place, example in enumerate(examples):
        places.setdefault(key(example), []).append(place)
    return places


def _first(examples: Iterable[SenseExample]) -> list[SenseExample]:
    """The first MOST occurrences of each sense."""
    examples = list(examples)
    of_senses = _places(examples, attrgetter("word", "sense")).values()
    return [examples[place] for place in sorted(place for places in of_senses for place in places[:MOST])]


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
    return list(map(Rows, *(_occurrences(encoder, part) for part in (split.train, split.test))))


def window_rows(vectors: WordVectors, split: SenseSplit, reach: int = 5) -> Rows:
    """The mean of the static vectors of up to `reach` words on each side."""
    parts = (split.train, split.test)
    return Rows(*(np.stack([window_mean(vectors, e, reach).numpy() for e in part]) for part in parts))


def sense_hits(rows: Rows, split: SenseSplit) -> Float[np.ndarray, " occurrence"]:
    """For each test occurrence: is the nearest mean of its word's senses right? 1, 0, or a share where means tie."""
    hits, places = np.zeros(len(split.test)), _places(split.train)
    for word, tested in _places(split.test).items():
        learned = places[word]
        known, gold = ([part[i].sense for i in of] for part, of in ((split.train, learned), (split.test, tested)))
        hits[tested] = nearest_mean(rows.train[learned], known, rows.test[tested], gold)
    return hits


def left_out(rows: Rows, split: SenseSplit) -> float:
    """Balanced accuracy in % on the training occurrences, each left out of its sense's mean: it chooses a layer."""
    hits = np.zeros(len(split.train))
    for places in _places(split.train).values():
        hits[places] = nearest_mean_left_out(rows.train[places], [split.train[i].sense for i in places])
    return balanced(hits, replace(split, test=split.train))


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
    for places in _places(examples).values():
        senses = [examples[i].sense for i in places]
        order.shuffle(senses)
        for place, sense in zip(places, senses, strict=True):
            moved[place] = replace(examples[place], sense=sense)
    return moved


# Senses whose cue stands on a known side

SIDES = ("left", "right", "both")


def by_side(hits: Float[np.ndarray, " occurrence"], split: SenseSplit) -> dict[str, float]:
    """In % of the test occurrences whose cue stands there."""
    cues = np.array([example.cue for example in split.test])
    return {side: 100 * float(hits[cues == side].mean()) for side in SIDES}


WAYS = ("both", "forward")  # directions of language models of one width


def cued(language: str, side: str, n: int = 600) -> tuple[list[SenseExample], list[SenseExample]]:
    """Ambiguous words with their cue on one side, to learn from and to test on; no sentence is in both.

    Both parts have the same cues, with other names: which side a model reads is measured, not what new cues tell it.
    """
    train, more = (list(islice(World(seed).senses(language, side=side), n)) for seed in (11, 13))
    seen = {example.sentence.words for example in train}
    return train, [example for example in more if example.sentence.words not in seen]


def sense_accuracy(encoder: ContextEncoder, train: list[SenseExample], test: list[SenseExample]) -> float:
    """In %: a test occurrence's top state gets the sense with the nearest mean state among those of its word."""
    rows = Rows(top_vectors(encoder, train), top_vectors(encoder, test))
    return 100 * float(sense_hits(rows, SenseSplit(train, test, "")).mean())


def accuracy_by_side(n_words: int, steps: int, n_seeds: int) -> dict[tuple[str, str, str], np.ndarray]:
    """(language, side of the cue, directions) -> sense accuracy in % of the top states, by seed of the language model.

    Each sense is drawn equally often, so chance is 50 for words of two senses; a few Korean ones have three.
    """
    scores = {}
    for language in ("en", "ko"):
        splits = {side: cued(language, side) for side in SIDES}
        for ways in WAYS:
            settings = {"n_words": n_words, "steps": steps, "directions": ways, "language": language}
            models = [world_bilm(seed, **settings) for seed in range(n_seeds)]
            for side, parts in splits.items():
                scores[language, side, ways] = np.array([sense_accuracy(model, *parts) for model in models])
    return scores


def one_sided(by_side: dict[tuple[str, str, str], np.ndarray], ways: str) -> np.ndarray:
    """The mean over languages and over left and right cues, by seed."""
    return np.mean([scores for (_, side, which), scores in by_side.items() if which == ways and side != "both"], 0)


# Parts of speech


@dataclass(frozen=True)
class TaggedWords:
    """All words of the training and of the test sentences in a row, and their tags."""

    task: Task
    train_tags: list[str]
    test_tags: list[str]

    @classmethod
    def of(cls, task: Task) -> TaggedWords:
        parts = (task.train, task.test)
        return cls(task, *([tag for record in part for tag in record.tags[task.tags]] for part in parts))

    @property
    def sentences(self) -> list[int]:
        """The number of the sentence that each test word stands in: the cluster of claims about tags."""
        return _sentences(self.task)

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
        return np.array(probe(rows.train, self.train_tags, rows.test)) == self.test_tags

    def right_mixed(self, layers: Sequence[Rows]) -> tuple[Bool[np.ndarray, " word"], list[float]]:
        """The same on a learned mix of layers of equal width, and the layers' weights."""
        train, test = (np.stack([getattr(rows, part) for rows in layers]) for part in ("train", "test"))
        predicted, weights = mixed_probe(train, self.train_tags, test)
        return np.array(predicted) == self.test_tags, weights


def _sentences(task: Task) -> list[int]:
    return [number for number, record in enumerate(task.test) for _ in record.sentence.words]


def tagged_words(source: str = "handmade", n_train: int | None = None) -> TaggedWords:
    """Sources as for `tasks.parts_of_speech`; n_train: sentences to learn from (None: all)."""
    task = parts_of_speech(source)
    return TaggedWords.of(replace(task, train=list(task.train)[:n_train], test=list(task.test)))


def word_rows(encoder: ContextEncoder, words: TaggedWords) -> list[Rows]:
    """The words' vectors in each layer."""
    parts = ([record.sentence for record in part] for part in (words.task.train, words.task.test))
    return list(map(Rows, *(np.concatenate(encoder.encode(part), axis=1) for part in parts)))


def static_rows(vectors: WordVectors, words: TaggedWords) -> Rows:
    """Each word's own static vector; zeros for an unknown word."""
    unknown = np.zeros(vectors.vectors.shape[1], dtype=np.float32)

    def row(word: str) -> np.ndarray:
        return vectors[word.lower()].numpy() if word.lower() in vectors else unknown

    return Rows(*(np.stack([row(word) for word in words.words(part)]) for part in ("train", "test")))


def window_word_rows(vectors: WordVectors, words: TaggedWords) -> Rows:
    """The mean of the static vectors around each word, without its own."""

    def means(records: Sequence[TaggedSentence]) -> Float[np.ndarray, "word dim"]:
        places = (SenseExample(r.sentence, place, "", "") for r in records for place in range(len(r.sentence)))
        return np.stack([window_mean(vectors, place).numpy() for place in places])

    return Rows(means(words.task.train), means(words.task.test))


def static_baselines(vectors: WordVectors, words: TaggedWords, score: Callable[[Rows], float]) -> dict[str, float]:
    """What a layer has to beat: the `score` of the words' static vectors, and of the means around them."""
    return {
        "static vectors, in %": score(static_rows(vectors, words)),
        "mean of the window's static vectors, in %": score(window_word_rows(vectors, words)),
    }


# Parts of speech in the world: one probe for all of chapter 7

PROBE_SEED = 41  # of the labelled sentences; the text without labels has another


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
    """words: of the sentences to learn from, and of those of dev and test in a row."""

    words: TaggedWords
    task: Task

    def of(self, encoder: ContextEncoder) -> Probed:
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
        return self.task.baseline()

    @property
    def sentences(self) -> list[int]:
        """The number of the sentence of each test word."""
        return _sentences(self.task)

    def _cut(self, right: Bool[np.ndarray, " word"]) -> tuple[np.ndarray, np.ndarray]:
        n_test = len(self.sentences)
        return right[:-n_test], right[-n_test:]


@lru_cache(maxsize=4)
def world_probe(n_train: int = 20, n_test: int = 150) -> PosProbe:
    """n_test sentences in dev and in test each."""
    sizes = {"train": n_train, "dev": n_test, "test": n_test}
    train, dev, test = (world_sentences(split, n, PROBE_SEED) for split, n in sizes.items())
    task = Task("the world", "words", train, dev, test, tags="upos")
    return PosProbe(TaggedWords.of(replace(task, test=dev + test)), task)
