"""How our BERTs are made from nothing: masked language model and next sentence, on Wikipedia.

further.py goes on from them, on more kinds of text, to the checkpoints that ship.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from statistics import fmean
from typing import Any

import torch

from course.recipes.job import Job, Recipe, Training, profiles, six_bits
from course.recipes.starts import POSITIONS, TableConfig, log_frequencies, skip_gram_table, start_copying, start_table
from course.recipes.texts import WEIGHTS_LICENCE, MaskedPairRows, PieceText, Rows, cut_corpus
from course.sources.of_set import CORPORA
from course_lib.data.masking import Masking
from course_lib.models.bert import Bert, BertConfig
from course_lib.models.shipped import load
from course_lib.models.transformer import sinusoidal_positions
from course_lib.text.word_pieces import WordPieces

ON_CPU = Training(7e-4, betas=(0.9, 0.98), minutes=200)
ON_GPU = Training(1e-3, betas=(0.9, 0.98), minutes=40)
SCORED = 0.15  # of the pieces are hidden when the card's numbers are taken, whatever share training hides


@dataclass(frozen=True)
class Settings:
    """As given here, those of bert-en-wiki.

    Small, pre-norm, without dropout: less than a few epochs are read, so little can be overfitted.
    """

    training: Training = ON_CPU
    corpus: str = "enwiki2015"
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


def train(job: Job) -> None:
    settings = job.settings

    # The text, the model, the training; held-out scores on the way are kept in the history
    pieces, text, held_out = read(job)
    torch.manual_seed(job.seed)
    model = build(job, pieces, text)
    rows = rows_of(settings, text, pieces, job.reading_seed, settings.masked)
    unseen = rows_of(settings, held_out, pieces, job.seed, SCORED)
    history = job.fit(model, rows, six_bits, evaluate=lambda bert: scores(unseen, bert, 32), evaluate_every=2_000)
    if not job.is_first:
        return

    # The checkpoint and its card
    six_bits(model, folder := job.new_folder())
    versions = {"as trained": model, "as shipped": load(folder)}
    n_batches = settings.scored_batches
    found = {f"held out, {which}": told(scores(unseen, bert, n_batches)) for which, bert in versions.items()}
    tokens = history.steps[-1] * settings.pieces_per_batch * job.processes
    facts = {
        "model": "BERT, pre-norm, masked-LM and next-sentence heads; matrices in six bits, the rest float16",
        "pieces": f"{len(pieces):,} WordPieces, {'lower-cased' if settings.lowercase else 'cased'}",
        "start": "token table from skip-gram over the pieces; first layer and masked-LM head begin near the identity",
        "corpus": f"{CORPORA[settings.corpus]}, {len(text.ids):,} pieces to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{tokens:,} pieces seen, {settings.masked:.0%} of them masked",
        "final loss": f"{fmean(history.parts['mlm'][-100:]):.3f} nats per masked piece",
    }
    job.write_card(facts, found, history.seconds)


def read(job: Job) -> tuple[WordPieces, PieceText, PieceText]:
    """Pieces, the text to learn from, and what is held out."""
    settings = job.settings
    cut = settings.vocab_size, settings.lowercase, settings.max_characters, settings.held_out
    pieces, text = cut_corpus(settings.corpus, job.out, *cut)
    held_out, text = text.split(settings.held_out)
    return pieces, text, held_out


def table_of(job: Job, pieces: WordPieces, text: PieceText) -> dict[str, torch.Tensor]:
    """What skip-gram learned of the pieces, kept in a file that all recipes of this text share."""
    settings = job.settings
    path = job.out / f"{settings.corpus}.table-{len(pieces)}-{settings.table.dim}-{job.seed}.safetensors"
    return skip_gram_table(path, text, pieces, settings.table, seed=job.seed)


def build(job: Job, pieces: WordPieces, text: PieceText) -> Bert:
    """With the start that the card tells of; `plateau` measures what it does."""
    model = plain(job, pieces)
    start_table(model.embedding.tokens, table_of(job, pieces, text))
    start_copying(model.stack.layers[0].attention)
    with torch.no_grad():
        positions = model.embedding.positions.weight
        positions.copy_(POSITIONS * sinusoidal_positions(*positions.shape))
        model.mlm.dense.weight += torch.eye(model.config.d_model)
        model.mlm.bias.copy_(log_frequencies(text, len(pieces)))
    return model


def plain(job: Job, pieces: WordPieces) -> Bert:
    """The same network as the paper starts it: all matrices drawn with std 0.02, all biases 0."""
    settings = job.settings
    config = BertConfig(
        vocab_size=len(pieces),
        d_model=settings.table.dim,
        n_heads=settings.n_heads,
        n_layers=settings.n_layers,
        d_ff=4 * settings.table.dim,
        max_units=2 * settings.length,
        dropout=0.0,
        attention_dropout=0.0,
        norm="pre",
    )
    return Bert(config, pieces)


def rows_of(
    settings: Any, text: PieceText, pieces: WordPieces, seed: int, masked: float, *, asks_next: bool = True
) -> Rows:
    """A text as batches for `Bert.loss`; masked: share of the pieces. asks_next: do its sentences run on?"""
    masking = Masking(len(pieces), pieces.mask, pieces.special_ids, corrupt=masked)
    return Rows.of(text, settings.length, MaskedPairRows(pieces, masking, asks_next), settings.pieces_per_batch, seed)


@torch.no_grad()
def scores(rows: Rows, model: Bert, n_batches: int) -> dict[str, float]:
    """Means over the first batches, always the same ones with the same masks; the model is in eval mode."""
    batches = [model.loss(batch.to(model.device)) for batch in islice(rows(0), n_batches)]
    names = ("mlm", "mlm_accuracy", "nsp_accuracy") if rows.make.asks_next else ("mlm", "mlm_accuracy")
    return {name: fmean(float(losses[name]) for losses in batches) for name in names}


def told(found: dict[str, float]) -> str:
    """Scores as a card says them."""
    follows = f"; next sentence: accuracy {found['nsp_accuracy']:.3f}" if "nsp_accuracy" in found else ""
    return f"masked pieces ({SCORED:.0%}): accuracy {found['mlm_accuracy']:.3f}, loss {found['mlm']:.3f} nats{follows}"


RECIPES = tuple(
    Recipe(
        name,
        f"{language} BERT, Wikipedia only",
        WEIGHTS_LICENCE,
        profiles(settings, ON_GPU, pieces_per_batch=16 * settings.pieces_per_batch),
        train,
    )
    for name, language, settings in (
        ("bert-en-wiki", "English", Settings()),
        ("bert-ko-wiki", "Korean", Settings(corpus="kowiki2022", lowercase=False, max_characters=1_500)),
    )
)
