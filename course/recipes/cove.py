"""How the CoVe encoder that ships with the course is made: English to German, captions of pictures (Multi30k)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import torch

from course.lab.losses import mean_loss
from course.recipes.job import Job, Recipe, Training, profiles
from course.sources.public import load_public
from course.sources.registry import find
from course_lib.config import data_dir
from course_lib.data.records import ParallelPair
from course_lib.evaluation import bleu
from course_lib.models.cove import CoVe, CoVeConfig, Seq2Seq, Seq2SeqConfig, target_vocabulary
from course_lib.models.shipped import load
from course_lib.models.word_vectors import WordVectors

DATA = find("multi30k")
ON_CPU, ON_GPU = Training(2e-3, epochs=8), Training(2e-3, epochs=12)


@dataclass(frozen=True)
class Settings:
    training: Training = ON_CPU
    word_vectors: str = "skipgram-en"
    words: int = 9_000  # table size: all that the data hold, then the most frequent others
    min_count: int = 2  # target words seen less often are one unknown word
    encoder: CoVeConfig = field(default_factory=CoVeConfig.small)
    decoder: Seq2SeqConfig = field(default_factory=Seq2SeqConfig.small)
    batch_size: int = 64


def train(job: Job) -> None:
    settings = job.settings
    pairs, held_out = (list(load_public(DATA.name, split)) for split in ("train", "val"))

    # The model. The word vectors are frozen, as in the paper.
    torch.manual_seed(job.seed)
    vectors = WordVectors.load(data_dir("checkpoints") / settings.word_vectors)
    encoder = CoVe.from_word_vectors(choose_words(vectors, pairs, settings.words), settings.encoder)
    encoder.freeze(["word"])
    model = Seq2Seq(encoder, target_vocabulary(pairs, min_count=settings.min_count), settings.decoder)

    # The training; the held-out loss after each epoch is kept in the history
    batches = model.batches(pairs, settings.batch_size, job.reading_seed)
    epoch = math.ceil(math.ceil(len(pairs) / settings.batch_size) / job.processes)
    history = job.fit(
        model,
        batches,
        save,
        evaluate=lambda model: {"held-out loss": held_out_loss(model, held_out)},
        evaluate_every=epoch,
    )
    if not job.is_first:
        return

    # The checkpoint and its card: perplexity per German word, and BLEU of the greedy translations over the course's
    # words
    save(model, folder := job.new_folder())
    load(folder)  # what was written can be read
    found = model.translate([pair.source for pair in held_out])
    score = bleu([" ".join(words) for words in found], [" ".join(pair.target.words) for pair in held_out])
    scores = {
        "held-out perplexity": f"{math.exp(held_out_loss(model, held_out)):.2f} ({len(held_out):,} pairs)",
        "held-out BLEU": f"{score:.1f} (greedy, cased, split by course_lib.text.words)",
    }
    facts = {
        "model": f"encoder of an attentional translation model, {settings.words:,} words (int8 rows), weights float16",
        "data": f"{DATA.title}, {len(pairs):,} pairs; word vectors of `{settings.word_vectors}`, not trained further",
        "tokens": f"{sum(len(p.source) for p in pairs):,} English and {sum(len(p.target) for p in pairs):,} German "
        f"words, {history.steps[-1] / epoch:.1f} epochs",
    }
    job.write_card(facts, scores, history.seconds)


def save(model: Seq2Seq, folder: Path) -> None:
    model.encoder.save(folder, half=True, int8=True)


def choose_words(vectors: WordVectors, pairs: Sequence[ParallelPair], size: int) -> WordVectors:
    """`size` rows of the table: the words of the source sides, then the most frequent others; order of the table."""
    seen = {word.lower() for pair in pairs for word in pair.source.words}
    first = sorted(range(len(vectors)), key=lambda row: vectors.words[row] not in seen)[:size]  # stable: by frequency
    rows = sorted(first)
    return WordVectors([vectors.words[row] for row in rows], vectors.vectors[rows])


def held_out_loss(model: Seq2Seq, pairs: Sequence[ParallelPair]) -> float:
    """Mean negative log-likelihood of a target word, in nats. The model is in eval mode."""
    return mean_loss(model, (batch.to(model.encoder.device) for batch in model.batches(pairs)(0)))


RECIPES = (
    Recipe(
        "cove-en",
        "English words in context, from translation (CoVe)",
        f"data: {DATA.licence}; {DATA.conditions}. No sentence of it is in this folder. Word vectors: CC BY 4.0",
        profiles(Settings(), ON_GPU, batch_size=128),
        train,
    ),
)
