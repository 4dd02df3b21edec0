"""Recipe of the CoVe encoder that ships with the course: English to German, captions of pictures (Multi30k)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from course.recipes.engine import Job, Recipe, Training, profiles, steps_done
from course_lib.config import data_dir
from course_lib.data.public import load_public
from course_lib.data.records import ParallelPair
from course_lib.data.registry import find
from course_lib.evaluation import bleu
from course_lib.evaluation.losses import mean_loss
from course_lib.models.cove import CoVe, CoVeConfig
from course_lib.models.seq2seq import Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.shipped import load
from course_lib.models.word_vectors import WordVectors
from course_lib.training import History


@dataclass(frozen=True)
class Settings:
    training: Training
    word_vectors: str = "skipgram-en"
    words: int = 9_000  # table size: all that the data hold, then the most frequent others
    min_count: int = 2  # target words seen less often are one unknown word
    encoder: CoVeConfig = field(default_factory=CoVeConfig.small)
    decoder: Seq2SeqConfig = field(default_factory=Seq2SeqConfig.small)
    batch_size: int = 64


@dataclass(frozen=True)
class Material:
    train: list[ParallelPair]
    held_out: list[ParallelPair]


def read(job: Job) -> Material:
    return Material(*(list(load_public(job.recipe.corpus, split)) for split in ("train", "val")))


def build(job: Job, material: Material) -> Seq2Seq:
    """The word vectors are frozen, as in the paper."""
    vectors = WordVectors.load(data_dir("checkpoints") / job.settings.word_vectors)
    table = choose_words(vectors, material.train, job.settings.words)
    encoder = CoVe.from_word_vectors(table, job.settings.encoder)
    encoder.freeze(["word"])
    return Seq2Seq(encoder, target_vocabulary(material.train, min_count=job.settings.min_count), job.settings.decoder)


def batches(job: Job, material: Material, model: Seq2Seq) -> Any:
    return model.batches(material.train, job.settings.batch_size, job.seed)


def watch(job: Job, material: Material, model: Seq2Seq) -> dict[str, Any]:
    """The held-out loss after each epoch."""
    return {
        "evaluate": lambda model: {"held-out loss": held_out_loss(model, material.held_out)},
        "evaluate_every": steps_per_epoch(job, material),
    }


def steps_per_epoch(job: Job, material: Material) -> int:
    return math.ceil(math.ceil(len(material.train) / job.settings.batch_size) / job.processes)


def evaluate(job: Job, material: Material, model: Seq2Seq, folder: Path) -> dict[str, str]:
    """Perplexity per German word, and BLEU of the greedy translations over the course's words."""
    load(folder)  # what was written can be read
    pairs = material.held_out
    found = model.translate([pair.source for pair in pairs])
    score = bleu([" ".join(words) for words in found], [" ".join(pair.target.words) for pair in pairs])
    return {
        "held-out perplexity": f"{math.exp(held_out_loss(model, pairs)):.2f} ({len(pairs):,} pairs)",
        "held-out BLEU": f"{score:.1f} (greedy, cased, split by course_lib.text.words)",
    }


def save(job: Job, model: Seq2Seq, folder: Path) -> None:
    model.encoder.save(folder, half=True, int8=True)


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings, train = job.settings, material.train
    return {
        "model": f"encoder of an attentional translation model, {settings.words:,} words (int8 rows), weights float16",
        "data": f"{find(job.recipe.corpus).title}, {len(train):,} pairs; word vectors of `{settings.word_vectors}`, "
        "not trained further",
        "tokens": f"{sum(len(p.source) for p in train):,} English and {sum(len(p.target) for p in train):,} German "
        f"words, {steps_done(history) / steps_per_epoch(job, material):.1f} epochs",
    }


def choose_words(vectors: WordVectors, pairs: Sequence[ParallelPair], size: int) -> WordVectors:
    """`size` rows of the table: the words of the source sides, then the most frequent others; order of the table."""
    seen = {word.lower() for pair in pairs for word in pair.source.words}
    first = sorted(range(len(vectors)), key=lambda row: vectors.words[row] not in seen)[:size]  # stable: by frequency
    rows = sorted(first)
    return WordVectors([vectors.words[row] for row in rows], vectors.vectors[rows])


def held_out_loss(model: Seq2Seq, pairs: Sequence[ParallelPair]) -> float:
    """Mean negative log-likelihood of a target word, in nats. The model is in eval mode."""
    return mean_loss(model, (batch.to(model.encoder.device) for batch in model.batches(pairs)(0)))


_DATA = find("multi30k")
RECIPES = (
    Recipe(
        "cove-en",
        "English words in context, from translation (CoVe)",
        _DATA.name,
        licence=f"data: {_DATA.licence}; {_DATA.conditions}. No sentence of it is in this folder. "
        "Word vectors: CC BY 4.0",
        profiles=profiles(Settings(Training(2e-3, epochs=8)), Training(2e-3, epochs=12), batch_size=128),
        family=__name__,
    ),
)
