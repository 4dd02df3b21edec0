"""Claims C4.3 and C4.4: a mix of layers against the top one, and which layer knows what."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from course.lab.controls import opened, opened_table, untrained
from course.lab.probes import (
    Rows,
    SenseSplit,
    TaggedWords,
    balanced,
    joined,
    layer_rows,
    majority_score,
    sense_hits,
    sense_split,
    static_baselines,
    tagged_words,
    weighted_mean,
    window_rows,
    word_rows,
)
from course.ledger import Measurement, claim
from course_lib.evaluation.probes import mixed_probe
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors

LOWER, UPPER = 1, 2
FULL_SENSES = ("coarsewsd20", "senseval_4words")


@claim("C4.3", full={"tags": "ud_english_ewt", "n_train": 1_500})
def mix_beats_the_top(
    *,
    tags: str = "handmade",
    n_train: int | None = None,
    encoder: ContextEncoder | str = "bilm-en",
    vectors: WordVectors | str = "skipgram-en",
) -> Measurement:
    """Right or wrong per word, the probe on the learned mix minus the same probe on the top layer."""
    encoder, vectors = opened(encoder), opened_table(vectors)
    words = tagged_words(tags, n_train)
    layers = word_rows(encoder, words)
    mixed, weights = words.right_mixed(layers)
    single = [words.right(rows) for rows in layers]
    uniform = Rows(*(np.mean([getattr(rows, part) for rows in layers], 0) for part in ("train", "test")))
    best = int(np.argmax([right.mean() for right in single]))
    return Measurement(
        100 * (mixed.astype(float) - single[-1]),
        "points",
        clusters=words.sentences,
        baselines=tag_baselines(words, vectors) | {"the same network untrained, mix, in %": _untrained(encoder, words)},
        parts={
            "learned mix, in %": 100 * mixed.mean(),
            "top layer alone, in %": 100 * single[-1].mean(),
            "uniform mix, in %": 100 * words.right(uniform).mean(),
            f"best single layer ({encoder.layer_names[best]}), in %": 100 * single[best].mean(),
            **{f"weight of {name}": w for name, w in zip(encoder.layer_names, weights, strict=True)},
            "word senses: learned mix minus top layer, in points": _mixed_senses(encoder),
        },
        data=words.task.name,
    )


def _untrained(encoder: ContextEncoder, words: TaggedWords) -> float:
    return 100 * float(words.right_mixed(word_rows(untrained(encoder), words))[0].mean())


def _mixed_senses(encoder: ContextEncoder) -> Measurement:
    """A probe for the senses of all handmade words at once, on the mix minus on the top layer."""
    split = sense_split("handmade")
    layers = layer_rows(encoder, split)
    labels, gold = ([f"{e.word} {e.sense}" for e in part] for part in (split.train, split.test))
    right = []
    for chosen in (layers, layers[-1:]):
        train, test = (np.stack([getattr(rows, part) for rows in chosen]) for part in ("train", "test"))
        predicted, _ = mixed_probe(train, labels, test)
        right.append(np.array([guess == sense for guess, sense in zip(predicted, gold, strict=True)], dtype=float))
    return Measurement(100 * (right[0] - right[1]), "points", clusters=split.words)


@claim("C4.4", full={"tags": "ud_english_ewt", "n_train": 1_500, "senses": FULL_SENSES})
def layers_divide_the_work(
    *,
    tags: str = "handmade",
    n_train: int | None = None,
    senses: Sequence[str] = ("handmade",),
    encoder: ContextEncoder | str = "bilm-en",
    vectors: WordVectors | str = "skipgram-en",
    seed: int = 0,
) -> Measurement:
    """(Parts of speech, lower minus upper layer) + (senses, upper minus lower), each in points."""
    encoder, vectors = opened(encoder), opened_table(vectors)
    words, split = tagged_words(tags, n_train), joined([sense_split(source) for source in senses])
    word_layers, sense_layers = word_rows(encoder, words), layer_rows(encoder, split)
    window = window_rows(vectors, split)
    rows = divided(words, word_layers, split, sense_layers)
    shuffled = divided(words.random_tags(seed), word_layers, split.shuffled(seed), sense_layers)
    shared = {
        "unit": "points",
        "clusters": [*(("sentence", n) for n in words.sentences), *(("word", word) for word in split.words)],
        "statistic": sum_of_means,
    }
    of_senses = rows[:, 2] == 1
    return Measurement(
        rows,
        control=Measurement(shuffled, **shared),
        baselines=tag_baselines(words, vectors)
        | {
            "the same network untrained, the sum in points": sum_of_means(
                _divided_by(untrained(encoder), words, split)
            ),
            "majority sense, balanced, in %": majority_score(window, split),
            "window mean, balanced sense accuracy, in %": balanced(sense_hits(window, split), split),
        },
        parts={
            "parts of speech, lower minus upper layer": Measurement(
                rows[~of_senses, 0], "points", clusters=words.sentences
            ),
            "senses, upper minus lower layer": Measurement(
                rows[of_senses, :2], "points", clusters=split.words, statistic=weighted_mean
            ),
        },
        data=f"{words.task.name}, {split.name}",
        **shared,
    )


def divided(
    words: TaggedWords, word_layers: Sequence[Rows], split: SenseSplit, sense_layers: Sequence[Rows]
) -> Float[np.ndarray, "item 3"]:
    """(difference in points, weight, 0 for a tagged word or 1 for a sense) of each test item."""
    tags = [words.right(word_layers[layer]).astype(float) for layer in (LOWER, UPPER)]
    senses = [sense_hits(sense_layers[layer], split) for layer in (LOWER, UPPER)]
    ones = np.ones(len(tags[0]))
    return np.concatenate(
        [
            np.stack([100 * (tags[0] - tags[1]), ones, 0 * ones], 1),
            np.stack([100 * (senses[1] - senses[0]), split.weights(), np.ones(len(senses[0]))], 1),
        ]
    )


def sum_of_means(rows: Float[np.ndarray, "item 3"]) -> float:
    """The weighted mean over the tagged words plus that over the senses."""
    return sum(weighted_mean(rows[rows[:, 2] == kind, :2]) for kind in (0, 1))


def _divided_by(encoder: ContextEncoder, words: TaggedWords, split: SenseSplit) -> np.ndarray:
    return divided(words, word_rows(encoder, words), split, layer_rows(encoder, split))


def tag_baselines(words: TaggedWords, vectors: WordVectors) -> dict[str, float]:
    """Part-of-speech accuracy in % of what a layer has to beat."""
    static = static_baselines(vectors, words, lambda rows: 100 * float(words.right(rows).mean()))
    return {"majority tag per word, in %": words.task.baseline()} | static
