"""Recipes of our BERTs, from nothing: masked language model and next sentence, on Wikipedia.

further.py goes on from them, on more kinds of text, to the checkpoints that ship."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from course.recipes.engine import Job, Recipe, Training, profiles, steps_done
from course.recipes.starts import POSITIONS, TableConfig, log_frequencies, skip_gram_table, start_copying, start_table
from course.recipes.texts import (
    WEIGHTS_LICENCE,
    Cut,
    MaskedPairRows,
    PieceText,
    Rows,
    cut_corpus,
    language,
)
from course_lib.data.masking import Masking
from course_lib.data.running_text import CORPORA
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.shipped import load
from course_lib.text.word_pieces import WordPieces
from course_lib.training import History

SCORED = 0.15  # of the pieces are hidden when the card's numbers are taken, whatever share training hides


@dataclass(frozen=True)
class Settings:
    """Small, pre-norm, without dropout: less than a few epochs are read, so little can be overfitted."""

    training: Training
    lowercase: bool = True
    vocab_size: int = 8_192
    max_characters: int = 200  # that are pieces of their own; words of rarer ones are unknown
    n_layers: int = 4
    n_heads: int = 4
    length: int = 64  # of a row; every eighth batch has rows twice as long
    pieces_per_batch: int = 1_024
    masked: float = 0.3
    table: TableConfig = field(default_factory=TableConfig)  # its dim is the model's width
    held_out: int = 100  # articles kept for the card's numbers
    scored_batches: int = 128


@dataclass(frozen=True)
class Material:
    """table: the file in which the skip-gram start is kept."""

    pieces: WordPieces
    train: PieceText
    held_out: PieceText
    table: Path


def read(job: Job) -> Material:
    settings, name = job.settings, job.recipe.corpus
    cut = Cut(settings.vocab_size, settings.lowercase, settings.max_characters, settings.held_out)
    pieces, text = cut_corpus(name, job.out, cut)
    held_out, train = text.split(settings.held_out)
    table = f"{name}.table-{len(pieces)}-{settings.table.dim}-{job.seed}.safetensors"
    return Material(pieces, train, held_out, job.out / table)


def build(job: Job, material: Material) -> Bert:
    """With the start that the card tells of; `plateau` measures what it does."""
    settings, model = job.settings, plain(job, material)
    start = skip_gram_table(material.table, material.train, material.pieces, settings.table, seed=job.seed)
    start_table(model.embedding.tokens, start)
    model.embedding.start_from_sinusoids(POSITIONS)
    start_copying(model.stack.layers[0].attention)
    with torch.no_grad():
        model.mlm.dense.weight += torch.eye(settings.table.dim)
        model.mlm.bias.copy_(log_frequencies(material.train, len(material.pieces)))
    return model


def plain(job: Job, material: Material) -> Bert:
    """The same network as the paper starts it: all matrices drawn with std 0.02, all biases 0."""
    settings = job.settings
    config = BertConfig(
        vocab_size=len(material.pieces),
        d_model=settings.table.dim,
        n_heads=settings.n_heads,
        n_layers=settings.n_layers,
        d_ff=4 * settings.table.dim,
        max_units=2 * settings.length,
        dropout=0.0,
        attention_dropout=0.0,
        norm="pre",
    )
    return Bert(config, material.pieces)


def batches(job: Job, material: Material, model: Bert) -> Rows:
    return rows_of(job, material.train, material.pieces)


def rows_of(
    job: Job, text: PieceText, pieces: WordPieces, *, masked: float | None = None, asks_next: bool = True
) -> Rows:
    """A text as batches for `Bert.loss`; masked: share of the pieces, None: as in training."""
    masked = job.settings.masked if masked is None else masked
    masking = Masking(len(pieces), pieces.mask, pieces.special_ids, corrupt=masked)
    make = MaskedPairRows(pieces, masking, asks_next)
    return Rows.of(text, job.settings.length, make, job.settings.pieces_per_batch, job.seed)


@torch.no_grad()
def scores(
    job: Job, text: PieceText, pieces: WordPieces, model: Bert, n_batches: int, *, asks_next: bool = True
) -> dict[str, float]:
    """Means over batches of held-out text, always the same ones with the same masks; the model is in eval mode."""
    rows = rows_of(job, text, pieces, masked=SCORED, asks_next=asks_next)
    batches = [model.loss(batch.to(model.device)) for batch in islice(rows(0), n_batches)]
    names = ("mlm", "mlm_accuracy", "nsp_accuracy") if asks_next else ("mlm", "mlm_accuracy")
    return {name: fmean(float(losses[name]) for losses in batches) for name in names}


def told(found: dict[str, float]) -> str:
    """Scores as a card says them."""
    follows = f"; next sentence: accuracy {found['nsp_accuracy']:.3f}" if "nsp_accuracy" in found else ""
    return f"masked pieces ({SCORED:.0%}): accuracy {found['mlm_accuracy']:.3f}, loss {found['mlm']:.3f} nats{follows}"


def evaluate(job: Job, material: Material, model: Bert, folder: Path) -> dict[str, str]:
    return {
        f"held out, {which}": told(scores(job, material.held_out, material.pieces, bert, job.settings.scored_batches))
        for which, bert in (("as trained", model), ("as shipped", load(folder)))
    }


def watch(job: Job, material: Material, model: Bert) -> dict[str, Any]:
    """Held-out scores on the way, kept in the history."""
    return {
        "evaluate": lambda bert: scores(job, material.held_out, material.pieces, bert, 32),
        "evaluate_every": 2_000,
    }


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = steps_done(history) * settings.pieces_per_batch * job.processes
    return {
        "model": "BERT, pre-norm, masked-LM and next-sentence heads; matrices in six bits, the rest float16",
        "pieces": f"{len(material.pieces):,} WordPieces, {'lower-cased' if settings.lowercase else 'cased'}",
        "start": "token table from skip-gram over the pieces; first layer and masked-LM head begin near the identity",
        "corpus": f"{CORPORA[job.recipe.corpus]}, {len(material.train.ids):,} pieces to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{tokens:,} pieces seen, {settings.masked:.0%} of them masked",
        "final loss": f"{fmean(history.parts['mlm'][-100:]):.3f} nats per masked piece",
    }


def _recipe(name: str, corpus: str, **settings: Any) -> Recipe:
    cpu = Settings(Training(7e-4, betas=(0.9, 0.98), minutes=200), **settings)
    return Recipe(
        name,
        f"{language(corpus)} BERT, Wikipedia only",
        corpus,
        licence=WEIGHTS_LICENCE,
        profiles=profiles(
            cpu, Training(1e-3, betas=(0.9, 0.98), minutes=40), pieces_per_batch=16 * cpu.pieces_per_batch
        ),
        family=__name__,
    )


RECIPES = (
    _recipe("bert-en-wiki", "enwiki2015"),
    _recipe("bert-ko-wiki", "kowiki2022", lowercase=False, max_characters=1_500),
)
