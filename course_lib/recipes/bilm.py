"""Recipes of the bidirectional language models that ship with the course: character CNN and LSTMs on Wikipedia."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import torch
from torch import Tensor

from course_lib.data.running_text import CORPORA
from course_lib.data.streams import TwoWayStreams
from course_lib.models.char_cnn import CharCNNConfig
from course_lib.models.lstm_lm import BiLM
from course_lib.models.lstm_lm_config import BOUNDARY, SPECIALS, UNKNOWN, BiLMConfig
from course_lib.models.shipped import load
from course_lib.recipes.corpora import WEIGHTS_LICENCE, language, read_documents, split_corpus
from course_lib.recipes.engine import Job, Recipe, Training
from course_lib.text.characters import Characters
from course_lib.text.vocabulary import Vocabulary
from course_lib.training.history import History

SNAPSHOTS = (0.04, 0.1, 0.25, 0.5)  # of all steps: what claim C3.3 compares with the end


@dataclass(frozen=True)
class Settings:
    """A step is batch_size x length words per direction."""

    training: Training
    jamo: bool = False  # Hangul syllables taken apart, so that inflected forms share their parts
    vocab_size: int = 12_000  # words the softmax predicts
    known_words: int = 150_000  # words read as themselves in training
    projection: int = 128
    hidden: int = 256
    batch_size: int = 128
    length: int = 32
    held_out: int = 100  # articles kept for perplexity
    min_count: int = 50  # of a character


@dataclass(frozen=True)
class Material:
    """Articles as ids, </s> after each sentence."""

    vocabulary: Vocabulary
    characters: Characters
    train: list[Tensor]
    held_out: list[Tensor]


def read(job: Job) -> Material:
    """Words and characters are counted in the training articles. Raises CourseError if the corpus is not there."""
    settings, path = job.settings, split_corpus(job.recipe.corpus, job.out)
    counts: Counter[str] = Counter()
    for document in islice(read_documents(path), settings.held_out, None):
        for sentence in document:
            counts.update(sentence)
    mode = "jamo" if settings.jamo else "character"
    characters = Characters.from_words(counts, mode=mode, min_count=settings.min_count)
    common = counts.most_common(settings.known_words)
    vocabulary = Vocabulary(
        [*SPECIALS, *(word for word, _ in common)], counts=[0, 0, *(n for _, n in common)], unknown=UNKNOWN
    )
    index, boundary, unknown = vocabulary.index, *(vocabulary.index[w] for w in (BOUNDARY, UNKNOWN))
    documents = [
        torch.tensor([id for s in document for id in (*(index.get(w, unknown) for w in s), boundary)])
        for document in read_documents(path)
    ]
    return Material(vocabulary, characters, documents[settings.held_out :], documents[: settings.held_out])


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
    return BiLM(config, material.vocabulary, material.characters)


def batches(job: Job, material: Material, model: BiLM) -> TwoWayStreams:
    return TwoWayStreams(material.train, job.settings.batch_size, job.settings.length, seed=job.seed)


def keep_snapshots(job: Job, material: Material, model: BiLM) -> dict[str, Any]:
    """Checkpoints on the way, in `out`/NAME.snapshots/STEP; none where the clock ends the training."""
    steps = job.settings.training.steps
    wanted = set() if steps is None else {max(1, round(share * steps)) for share in SNAPSHOTS}

    def keep(step: int, losses: dict) -> None:
        if step in wanted and job.is_first:
            model.save(job.out / f"{job.recipe.name}.snapshots" / f"{step:06d}", half=True, int8=True)

    return {"watchers": [keep]}


def evaluate(job: Job, material: Material, model: BiLM, folder: Path) -> dict[str, str]:
    """Perplexity as trained, and as shipped: there words beyond the softmax's are read as unknown."""
    size = job.settings.vocab_size
    unknown = material.vocabulary.index[UNKNOWN]
    found = {
        "as trained": model.perplexity([document.tolist() for document in material.held_out]),
        "as shipped, rare words read as unknown": load(folder).perplexity(
            [document.where(document < size, unknown).tolist() for document in material.held_out]
        ),
    }
    return {
        f"held-out perplexity, {which}": ", ".join(f"{name} {value:.1f}" for name, value in values.items())
        + f" ({size:,} words and one for all others)"
        for which, values in found.items()
    }


def save(job: Job, model: BiLM, folder: Path, card: str | None) -> None:
    """Without the words that it only read in training: at use it reads any word by its characters."""
    size = model.config.vocab_size
    words = model.vocabulary
    small = BiLM(
        model.config, Vocabulary(words.words[:size], counts=words.counts[:size], unknown=UNKNOWN), model.characters
    )
    small.load_state_dict(model.state_dict())
    small.save(folder, half=True, int8=True, card=card)


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = len(history.steps) * settings.batch_size * settings.length * job.processes
    return {
        "model": "bidirectional language model over a character CNN, as in ELMo; matrices int8, the rest float16",
        "corpus": f"{CORPORA[job.recipe.corpus]}, {sum(map(len, material.train)):,} words to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{tokens:,} seen by each direction",
        "final loss": f"{fmean(history.losses[-100:]):.3f} nats, both directions together",
    }


def _recipe(name: str, corpus: str, steps: int, **settings: Any) -> Recipe:
    cpu = Settings(Training(3e-3, betas=(0.9, 0.98), steps=steps), **settings)
    return Recipe(
        name,
        f"{language(corpus)} bidirectional language model",
        corpus,
        licence=WEIGHTS_LICENCE,
        profiles={
            "cpu": cpu,
            "gpu": replace(cpu, training=Training(3e-3, betas=(0.9, 0.98), minutes=40), batch_size=256),
        },
        read=read,
        build=build,
        batches=batches,
        watch=keep_snapshots,
        save=save,
        evaluate=evaluate,
        describe=describe,
    )


RECIPES = (
    _recipe("bilm-en", "enwiki2015", steps=1_800),
    _recipe("bilm-ko", "kowiki2022", steps=700, jamo=True),
)
