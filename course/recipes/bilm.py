"""Recipes of the bidirectional language models that ship with the course: a character CNN and LSTMs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import torch
from torch import Tensor

from course.recipes.engine import Job, Recipe, Training, profiles, steps_done
from course.recipes.starts import READ_STD, Imitation, imitate, start_softmax, word_vectors
from course.recipes.texts import ENGLISH, KOREAN, Text, WordTexts, language, weights_licence
from course_lib.data.streams import TwoWayStreams
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import BOUNDARY, SPECIALS, UNKNOWN, BiLM, BiLMConfig
from course_lib.models.shipped import load
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import History

SNAPSHOTS = (0.04, 0.1, 0.25, 0.5)  # of all steps: what claim C3.3 compares with the end


@dataclass(frozen=True)
class Settings:
    """A step is batch_size x length words per direction. imitation: how the characters start; None: at random."""

    training: Training
    texts: tuple[Text, ...]
    imitation: Imitation | None = field(default_factory=Imitation)
    jamo: bool = False  # Hangul syllables taken apart, so that inflected forms share their parts
    vocab_size: int = 12_000  # words the softmax predicts
    known_words: int = 150_000  # words read as themselves in training
    projection: int = 128
    hidden: int = 256
    batch_size: int = 128
    length: int = 32
    min_count: int = 50  # of a character


@dataclass(frozen=True)
class Material:
    """Documents as ids, </s> after each sentence; each text as often as its weight asks. held_out: by text."""

    vocabulary: Vocabulary
    characters: Characters
    train: list[Tensor]
    held_out: dict[str, list[Tensor]]


def read(job: Job) -> Material:
    """Words and characters are counted in the training documents."""
    settings = job.settings
    texts = WordTexts.of(settings.texts, job.out)
    mode = "jamo" if settings.jamo else "character"
    characters = Characters.from_words(texts.counts, mode=mode, min_count=settings.min_count)
    common = texts.counts.most_common(settings.known_words)
    vocabulary = Vocabulary(
        [*SPECIALS, *(word for word, _ in common)], counts=[0, 0, *(n for _, n in common)], unknown=UNKNOWN
    )
    index, boundary, unknown = vocabulary.index, *(vocabulary.index[word] for word in (BOUNDARY, UNKNOWN))

    def ids(document: list[list[str]]) -> Tensor:
        rows = ((*(index.get(word, unknown) for word in sentence), boundary) for sentence in document)
        return torch.tensor(list(chain.from_iterable(rows)))

    return Material(vocabulary, characters, *texts.encoded(ids, job.seed))


def build(job: Job, material: Material) -> BiLM:
    settings = job.settings
    cnn = CharCNNConfig(
        len(material.characters),
        filters=((1, 32), (2, 64), (3, 96), (4, 128)),
        n_highway=1,
        out_dim=settings.projection,
    )
    config = BiLMConfig(
        vocab_size=settings.vocab_size,
        projection=settings.projection,
        hidden=settings.hidden,
        softmax="adaptive",
        cutoffs=(settings.vocab_size // 12, settings.vocab_size // 3),
        characters=cnn,
    )
    model = BiLM(config, material.vocabulary, material.characters)
    if (imitation := settings.imitation) is not None and not job.start:
        table, words = job.place(f"words-{settings.projection}-{job.seed}.safetensors"), material.vocabulary
        sentences, dim = drawn_sentences(material, job.seed), settings.projection
        start = word_vectors(table, sentences, words.words, dim, READ_STD, imitation, job.seed)
        start["learned"][[words.index[UNKNOWN], words.index[BOUNDARY]]] = False
        imitate(model.token, start, words.counts, imitation, job.place("imitation"), job.seed)
        start_softmax(model.softmax, start)
    return model


def drawn_sentences(material: Material, seed: int) -> Iterator[list[str]]:
    """The sentences of the documents, which are drawn, each once."""
    words = material.vocabulary.words
    boundary = material.vocabulary.index[BOUNDARY]
    for document in Random(seed).sample(material.train, len(material.train)):
        ends = [-1, *(document == boundary).nonzero().squeeze(1).tolist()]
        yield from ([words[i] for i in document[a + 1 : b].tolist()] for a, b in pairwise(ends))


def batches(job: Job, material: Material, model: BiLM) -> TwoWayStreams:
    return TwoWayStreams(material.train, job.settings.batch_size, job.settings.length, seed=job.seed)


def evaluate(job: Job, material: Material, model: BiLM, folder: Path) -> dict[str, str]:
    """Perplexity by text, as trained and as shipped: there words beyond the softmax's are read as unknown."""
    size, unknown = job.settings.vocab_size, material.vocabulary.index[UNKNOWN]
    shipped, found = load(folder), {}
    for name, documents in material.held_out.items():
        found[f"{name}, as trained"] = model.perplexity([document.tolist() for document in documents])
        found[f"{name}, as shipped, rare words read as unknown"] = shipped.perplexity(
            [document.where(document < size, unknown).tolist() for document in documents]
        )
    return {
        f"held-out perplexity, {which}": ", ".join(f"{name} {value:.1f}" for name, value in values.items())
        + f" ({size:,} words and one for all others)"
        for which, values in found.items()
    }


def save(job: Job, model: BiLM, folder: Path) -> None:
    """Without the words that it only read in training: at use it reads any word by its characters."""
    size = model.config.vocab_size
    words = model.vocabulary
    small = BiLM(
        model.config, Vocabulary(words.words[:size], counts=words.counts[:size], unknown=UNKNOWN), model.characters
    )
    small.load_state_dict(model.state_dict())
    small.save(folder, half=True, int8=True)


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = steps_done(history) * settings.batch_size * settings.length * job.processes
    started = {} if settings.imitation is None else {"start": "characters that imitate skip-gram vectors, softmax too"}
    return {
        "model": "bidirectional language model over a character CNN, as in ELMo; matrices int8, the rest float16",
        **started,
        "corpus": "; ".join(map(str, settings.texts)) + f"; {sum(map(len, material.train)):,} words an epoch",
        "tokens": f"{tokens:,} seen by each direction",
        "final loss": f"{fmean(history.losses[-100:]):.3f} nats, both directions together",
    }


def _recipe(name: str, texts: tuple[Text, ...], steps: int, **settings: Any) -> Recipe:
    cpu = Settings(Training(3e-3, betas=(0.9, 0.98), steps=steps, warm_up=200), texts, **settings)
    return Recipe(
        name,
        f"{language(texts[0].name)} bidirectional language model",
        texts[0].name,
        licence=weights_licence(texts),
        profiles=profiles(cpu, Training(3e-3, betas=(0.9, 0.98), minutes=40), batch_size=256),
        family=__name__,
        snapshots=SNAPSHOTS,
    )


RECIPES = (
    # 22 million words: senses stand still from the first 7 million on
    _recipe("bilm-en", ENGLISH, steps=5_300),
    _recipe("bilm-ko", KOREAN, steps=5_300, jamo=True),
)
