"""Claim C7.4: what next-sentence prediction is good for, and what it leaves as it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import islice

import numpy as np
import torch
from jaxtyping import Float

from course.lab.probes import PROBE_SEED, trained, world_probe
from course.lab.world_bert import new_bert, pair_rows, train_bert, whole_words
from course.lab.world_models import TEXT_SEED, world_text
from course.ledger.measurement import Measurement, claim
from course_lib.data.records import LabelledText, Sentence, SentencePair
from course_lib.data.world import World
from course_lib.evaluation import accuracy
from course_lib.evaluation.probes import probe
from course_lib.models.baselines import masked_mean
from course_lib.models.bert import Bert

Features = Callable[[Sequence], Float[np.ndarray, "record dim"]]
PAIRS = {"same topic": "same_topic", "another topic": "any_topic"}


@claim("C7.4", full={"steps": 400, "n_documents": 2_000, "n_train": 1_000, "n_test": 1_000, "search": True})
def next_sentence_helps_pairs(
    *,
    steps: int = 120,
    n_documents: int = 800,
    n_train: int = 300,
    n_test: int = 300,
    n_seeds: int = 5,
    search: bool = False,
) -> dict[str, Measurement]:
    """Linear probes on frozen states, with minus without the next-sentence question, per seed.

    Both networks read the same pairs and are asked for the same hidden words. A text or a pair is [CLS]'s state and the
    mean of its words' states; in pre-training the wrong second sentence is of another topic, as BERT's mostly is.
    search  choose a learning rate for each network, on dev; else both have the same
    """
    documents = world_documents(n_documents)
    pieces = whole_words(tuple(words for document, _ in documents for words in document) + world_text(60_000))
    rows = pair_rows(*zip(*documents, strict=True), pieces)
    world = World(PROBE_SEED)
    pairs = {
        name: cut(list(islice(world.next_sentences(negatives=kind), n_train + 2 * n_test)), n_train, n_test)
        for name, kind in PAIRS.items()
    }
    texts, pos = cut(list(islice(world.reviews(), n_train + 2 * n_test)), n_train, n_test), world_probe()

    def scores(model: Bert, part: int) -> dict[str, float]:
        """part: 1 dev, 2 test."""
        probed, features = pos.of(model), partial(vectors, model)
        return {f"pairs, {name}": right((found[0], found[part]), features) for name, found in pairs.items()} | {
            "sentences": right((texts[0], texts[part]), features),
            "tagging": probed.score if part == 2 else probed.dev,
        }

    def on_dev(model: Bert) -> float:
        return float(np.mean(list(scores(model, 1).values())))

    def make(nsp: bool, seed: int, rate: float) -> Bert:
        return train_bert(new_bert(pieces, seed), rows, seed, steps=steps, nsp=nsp, rate=rate)

    found, rates, asked = {}, {}, []
    for nsp in (True, False):
        models, rates[nsp] = trained(partial(make, nsp), on_dev, n_seeds, search)
        found[nsp] = [scores(model, 2) for model in models]
        if nsp:
            asked = [next_right(model, pairs["another topic"][2]) for model in models]
    untrained = scores(new_bert(pieces, 0), 2)

    def difference(task: str) -> np.ndarray:
        return np.array([a[task] - b[task] for a, b in zip(found[True], found[False], strict=True)])

    def measured(task: str, baselines: dict[str, float], parts: dict[str, float | Measurement]) -> Measurement:
        return Measurement(
            difference(task),
            "points",
            seeds=True,
            baselines=baselines | {f"{task}, untrained, in %": untrained[task]},
            parts={
                f"{task}, {'with' if nsp else 'without'}, in %": float(np.mean([s[task] for s in found[nsp]]))
                for nsp in (True, False)
            }
            | parts,
            data=f"the world, {steps} steps of 32 pairs",
        )

    same = pairs["same topic"]
    other = measured("pairs, another topic", {}, {})
    return {
        "pairs": measured(
            "pairs, same topic",
            {"word overlap, in %": right(same, overlap)},
            {
                "negatives of another topic, with minus without": Measurement(other.values, "points", seeds=True),
                **other.parts,
                "its own question in new pairs, another topic: right, in %": float(np.mean(asked)),
            }
            | {f"learning rate {'with' if nsp else 'without'}": rate for nsp, rate in rates.items()},
        ),
        "sentences": measured("sentences", {"bag of words, in %": right(texts, bag_of(texts[0]))}, {}),
        "tagging": measured("tagging", {"majority tag per word, in %": pos.majority}, {}),
    }


@lru_cache(maxsize=2)
def world_documents(n: int) -> tuple[tuple[tuple[tuple[str, ...], ...], str], ...]:
    """(sentences, topic) of documents; half are of the test split, as in `world_text`."""
    worlds = [World(TEXT_SEED, split=split).documents() for split in ("train", "test")]
    found = [document for world in worlds for document in islice(world, n // 2)]
    return tuple((tuple(s.words for s in document.sentences("en")), document.topic) for document in found)


def cut(records: list, n_train: int, n_test: int) -> tuple[list, list, list]:
    """Train, dev, test. No record is in two of them."""
    new = list(dict.fromkeys(records))
    return new[:n_train], new[n_train : n_train + n_test], new[n_train + n_test :]


@torch.no_grad()
def vectors(model: Bert, records: Sequence[SentencePair] | Sequence[LabelledText]) -> Float[np.ndarray, "record dim"]:
    """[CLS] and the mean of the words, from the top layer."""
    found = []
    for start in range(0, len(records), 64):
        part = records[start : start + 64]
        if isinstance(part[0], SentencePair):
            batch = model.batch([record.first for record in part], [record.second for record in part])
        else:
            batch = model.batch([record.text for record in part])
        states = model.states(batch)
        found.append(torch.cat([states.sentence, masked_mean(states.layers[-1], batch.mask)], -1).numpy())
    return np.concatenate(found)


def right(parts: Sequence[Sequence], features: Features) -> float:
    """A probe on any features, learned from the first part, in % of the last."""
    train, test = parts[0], parts[-1]
    guesses = probe(features(train), [record.label for record in train], features(test))
    return 100 * accuracy(guesses, [record.label for record in test])


@torch.no_grad()
def next_right(model: Bert, pairs: Sequence[SentencePair]) -> float:
    """The network's own answer to "does it follow?", in %."""
    batch = model.batch([pair.first for pair in pairs], [pair.second for pair in pairs])
    output = model(batch.ids["pieces"], batch.ids["segments"], batch.ids["real"])
    other = model.nsp(output.pooled).argmax(-1).numpy() == 1
    return 100 * float(np.mean(other == [pair.label == "other" for pair in pairs]))


def overlap(pairs: Sequence[SentencePair]) -> Float[np.ndarray, "pair 1"]:
    """How many words the two sentences share."""
    sides = [[set(Sentence.of(text).words) for text in (pair.first, pair.second)] for pair in pairs]
    return np.array([[len(first & second)] for first, second in sides], dtype=np.float32)


def bag_of(train: Sequence[LabelledText]) -> Features:
    """A function that counts the words of texts, those of `train`."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(analyzer=lambda record: Sentence.of(record.text).words, dtype=np.float32).fit(train)
    return lambda records: counter.transform(records).toarray()
