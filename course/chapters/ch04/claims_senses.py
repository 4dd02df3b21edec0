"""Claims C4.5 and C4.6: what a biLM's states know of word senses that the words around them do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from course.chapters.ch04.claims_layers import FULL_SENSES
from course.lab.controls import opened, opened_table, untrained
from course.lab.probes import (
    Rows,
    SenseSplit,
    balanced,
    joined,
    layer_rows,
    left_out,
    majority_score,
    sense_hits,
    sense_split,
    top_score,
    weighted_mean,
    window_rows,
)
from course.ledger import Measurement, claim
from course_lib.models.encoder import ContextEncoder
from course_lib.models.word_vectors import WordVectors

WORDS = {"en": ("bank", "play", "spring", "seal"), "ko": ("배", "사과", "눈", "말", "다리")}
NAMES = {"en": "English", "ko": "Korean"}


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
        parts={
            f"{name}, in %": balanced(sense_hits(rows, split), split)
            for name, rows in zip(encoder.layer_names, layers, strict=True)
        },
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
    """For the words that the claim names: the layer that is best on the training occurrences, minus the window mean."""
    sources = {"en": english, "ko": ("handmade",)}
    measured = {}
    for language, encoder, table in zip(WORDS, encoders, vectors, strict=True):
        split = joined([sense_split(source, language).only(WORDS[language]) for source in sources[language]])
        measured[NAMES[language]] = _separated(opened(encoder), opened_table(table), split, language, seed)
    return measured


def _separated(
    encoder: ContextEncoder, vectors: WordVectors, split: SenseSplit, language: str, seed: int
) -> Measurement:
    layers, window = layer_rows(encoder, split), window_rows(vectors, split)
    shuffled = split.shuffled(seed)
    shared = _shared([example.sentence.text for example in split.test])
    best = _best(layers, split)
    hits = sense_hits(layers[best], split)
    by_word = {word: [i for i, example in enumerate(split.test) if example.word == word] for word in split.words}
    return Measurement(
        gain(layers[best], window, split),
        # the layer is chosen anew: with shuffled senses another one may look best
        control=Measurement(gain(layers[_best(layers, shuffled)], window, shuffled), **shared),
        baselines={f"{name}, {language}": value for name, value in baselines(window, split).items()}
        | {f"the same network untrained, {language}, in %": top_score(untrained(encoder), split)},
        parts={
            f"chosen layer, {language}": encoder.layer_names[best],
            **{
                f"{name}, {language}, in %": balanced(sense_hits(rows, split), split)
                for name, rows in zip(encoder.layer_names, layers, strict=True)
            },
            **{
                f"{word}, in %": 100 * weighted_mean(np.stack([hits, split.weights()], 1)[places])
                for word, places in by_word.items()
            },
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
        "mean of the window's static vectors, in %": balanced(sense_hits(window, split), split),
    }


def _best(layers: Sequence[Rows], split: SenseSplit) -> int:
    return int(np.argmax([left_out(rows, split) for rows in layers]))


def _shared(clusters: Sequence) -> dict:
    return {"unit": "points", "clusters": clusters, "statistic": weighted_mean}
