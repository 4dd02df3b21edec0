"""Claims C4.3 to C4.6: which layer of a biLM knows what, and what its states know of senses that a window does not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from course.lab.controls import opened, opened_table, untrained
from course.lab.linear_probe import mixed_probe
from course.lab.probes import (
    Rows,
    SenseSplit,
    TaggedWords,
    balanced,
    joined,
    layer_rows,
    left_out,
    majority_score,
    sense_hits,
    sense_split,
    static_baselines,
    tagged_words,
    top_score,
    weighted_mean,
    window_rows,
    word_rows,
)
from course.ledger import Measurement, claim
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors

LOWER, UPPER = 1, 2
FULL_SENSES = ("coarsewsd20", "senseval_4words")
WORDS = {"en": ("bank", "play", "spring", "seal"), "ko": ("배", "사과", "눈", "말", "다리")}
NAMES = {"en": "English", "ko": "Korean"}


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
    fresh, _ = words.right_mixed(word_rows(untrained(encoder), words))
    single = [words.right(rows) for rows in layers]
    uniform = Rows(*(np.mean([getattr(rows, part) for rows in layers], 0) for part in ("train", "test")))
    best = int(np.argmax([right.mean() for right in single]))
    return Measurement(
        100 * (mixed.astype(float) - single[-1]),
        "points",
        clusters=words.sentences,
        baselines=tag_baselines(words, vectors) | {"the same network untrained, mix, in %": 100 * fresh.mean()},
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
    fresh = untrained(encoder)
    divided_by_untrained = divided(words, word_rows(fresh, words), split, layer_rows(fresh, split))
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
            "the same network untrained, the sum in points": sum_of_means(divided_by_untrained),
            "majority sense, balanced, in %": majority_score(window, split),
            "window mean, balanced sense accuracy, in %": sense_accuracy(window, split),
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
    """A row for each test item: difference in points, weight, and 0 for a tagged word or 1 for a sense.

    The difference is lower minus upper layer for a tagged word, upper minus lower for a sense.
    """
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


def tag_baselines(words: TaggedWords, vectors: WordVectors) -> dict[str, float]:
    """Part-of-speech accuracy in % of what a layer has to beat."""
    static = static_baselines(vectors, words, lambda rows: 100 * float(words.right(rows).mean()))
    return {"majority tag per word, in %": words.task.baseline()} | static


@claim("C4.5", full={"senses": FULL_SENSES})
def upper_layer_knows_senses(
    *,
    senses: Sequence[str] = ("handmade",),
    encoder: ContextEncoder | str = "bilm-en",
    vectors: WordVectors | str = "skipgram-en",
    seed: int = 0,
) -> Measurement:
    """Right or wrong per test occurrence, upper layer minus window mean."""
    encoder, vectors = opened(encoder), opened_table(vectors)
    split = joined([sense_split(source) for source in senses])
    layers, window = layer_rows(encoder, split), window_rows(vectors, split)
    return Measurement(
        gain(layers[-1], window, split),
        control=Measurement(gain(layers[-1], window, split.shuffled(seed)), **_shared(split.words)),
        baselines=baselines(window, split) | {"the same network untrained, in %": top_score(untrained(encoder), split)},
        parts=_by_layer(encoder, layers, split, "in %"),
        data=split.name,
        **_shared(split.words),
    )


@claim("C4.6", full={"english": ("handmade", "coarsewsd20")})
def occurrences_separate(
    *,
    english: Sequence[str] = ("handmade",),
    encoders: Sequence[ContextEncoder | str] = ("bilm-en", "bilm-ko"),
    vectors: Sequence[WordVectors | str] = ("skipgram-en", "skipgram-ko"),
    seed: int = 0,
) -> dict[str, Measurement]:
    """For the words that the claim names: the LSTM layer that is best on the training occurrences, minus chance."""
    sources = {"en": english, "ko": ("handmade",)}
    measured = {}
    for language, encoder, table in zip(WORDS, encoders, vectors, strict=True):
        split = joined([sense_split(source, language).only(WORDS[language]) for source in sources[language]])
        measured[NAMES[language]] = _separated(opened(encoder), opened_table(table), split, language, seed)
    return measured


def _separated(
    encoder: ContextEncoder, vectors: WordVectors, split: SenseSplit, language: str, seed: int
) -> Measurement:
    """C4.6 in one language. Its system: the LSTM layer that `_best` chooses; its baseline: one vector for all words."""
    layers, window = layer_rows(encoder, split), window_rows(vectors, split)
    alike = Rows(np.ones_like(window.train), np.ones_like(window.test))  # one vector for all: guesses
    shuffled = split.shuffled(seed)
    shared = _shared([example.sentence.text for example in split.test])
    best = _best(layers, split)
    hits, split_words = np.stack([sense_hits(layers[best], split), split.weights()], 1), np.array(split.words)
    return Measurement(
        gain(layers[best], alike, split),
        # the layer is chosen anew: with shuffled senses another one may look best
        control=Measurement(gain(layers[_best(layers, shuffled)], alike, shuffled), **shared),
        baselines={f"{name}, {language}": value for name, value in baselines(window, split).items()}
        | {f"the same network untrained, {language}, in %": top_score(untrained(encoder), split)},
        parts={
            f"chosen layer, {language}": encoder.layer_names[best],
            **_by_layer(encoder, layers, split, f"{language}, in %"),
            **{f"{word}, in %": 100 * weighted_mean(hits[split_words == word]) for word in dict.fromkeys(split_words)},
        },
        data=split.name,
        **shared,
    )


def gain(ours: Rows, other: Rows, split: SenseSplit) -> np.ndarray:
    """[occurrence, (difference in points, weight)]: `weighted_mean` of it is the gain in balanced accuracy."""
    return np.stack([100 * (sense_hits(ours, split) - sense_hits(other, split)), split.weights()], 1)


def baselines(window: Rows, split: SenseSplit) -> dict[str, float]:
    """Balanced accuracy in %. The majority sense and a static vector both give 1 / number of senses, up to ties."""
    chance = majority_score(window, split)
    return {
        "majority sense, in %": chance,
        "static vector (ties count as guesses), in %": chance,
        "mean of the window's static vectors, in %": sense_accuracy(window, split),
    }


def sense_accuracy(rows: Rows, split: SenseSplit) -> float:
    """Balanced, in %."""
    return balanced(sense_hits(rows, split), split)


def _by_layer(encoder: ContextEncoder, layers: Sequence[Rows], split: SenseSplit, unit: str) -> dict[str, float]:
    """Parts for the card: the balanced accuracy of each layer, in %, by its name."""
    names = zip(encoder.layer_names, layers, strict=True)
    return {f"{name}, {unit}": sense_accuracy(rows, split) for name, rows in names}


def _best(layers: Sequence[Rows], split: SenseSplit) -> int:
    """The number of the LSTM layer that is best on the training occurrences. (The token layer can only guess.)"""
    return LOWER + int(np.argmax([left_out(rows, split) for rows in layers[LOWER:]]))


def _shared(clusters: Sequence) -> dict:
    """What effect and control of a claim about senses have in common, as arguments of `Measurement`."""
    return {"unit": "points", "clusters": clusters, "statistic": weighted_mean}
