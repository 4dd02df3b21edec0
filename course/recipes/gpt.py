"""How the left-to-right Transformer that ships with the course is made: the twin of bert-en as it was after Wikipedia.

The same pieces, text, sizes, rows and table of pieces to start from. Another question: what comes next?
"""

from __future__ import annotations

from itertools import islice
from statistics import fmean

import torch

from course.recipes.bert import Settings, read, table_of
from course.recipes.job import Job, Recipe, Training, six_bits
from course.recipes.starts import POSITIONS, start_table
from course.recipes.texts import WEIGHTS_LICENCE, OneWayRows, PieceText, Rows
from course.sources.of_set import CORPORA
from course_lib.models.shipped import load
from course_lib.models.transformer import LeftToRightLM, TransformerConfig, sinusoidal_positions
from course_lib.text.word_pieces import WordPieces


def train(job: Job) -> None:
    settings = job.settings

    # The text, the model, the training; held-out scores on the way are kept in the history
    pieces, text, held_out = read(job)
    torch.manual_seed(job.seed)
    model = build(job, pieces, text)
    rows, unseen = (
        Rows.of(part, settings.length, OneWayRows(pieces), settings.pieces_per_batch, seed)
        for part, seed in ((text, job.reading_seed), (held_out, job.seed))
    )
    history = job.fit(model, rows, six_bits, evaluate=lambda lm: scores(unseen, lm, 32), evaluate_every=2_000)
    if not job.is_first:
        return

    # The checkpoint and its card
    six_bits(model, folder := job.new_folder())
    told = {}
    for which, lm in (("as trained", model), ("as shipped", load(folder))):
        found = scores(unseen, lm, settings.scored_batches)
        told[f"held out, {which}"] = f"next piece: accuracy {found['accuracy']:.3f}, loss {found['loss']:.3f} nats"
    facts = {
        "model": "left-to-right Transformer language model, pre-norm; matrices in six bits, the rest float16",
        "pieces": f"{len(pieces):,} WordPieces, those of bert-en",
        "start": "token table from skip-gram over the pieces, that of bert-en",
        "corpus": f"{CORPORA[settings.corpus]}, {len(text.ids):,} pieces to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{history.steps[-1] * settings.pieces_per_batch * job.processes:,} pieces seen",
        "final loss": f"{fmean(history.losses[-100:]):.3f} nats per piece",
    }
    job.write_card(facts, told, history.seconds)


def build(job: Job, pieces: WordPieces, text: PieceText) -> LeftToRightLM:
    settings = job.settings
    config = TransformerConfig(
        d_model=settings.table.dim,
        n_heads=settings.n_heads,
        n_layers=settings.n_layers,
        d_ff=4 * settings.table.dim,
        dropout=0.0,
        positions="learned",
        max_units=2 * settings.length,
        norm="pre",
        activation="gelu",
    )
    model = LeftToRightLM(config, pieces)
    start_table(model.embedding.tokens, table_of(job, pieces, text))
    with torch.no_grad():  # as loud beside the pieces as BERT's: here those are multiplied by `scale`
        positions = model.embedding.positions.weight
        positions.copy_(POSITIONS * model.embedding.scale * sinusoidal_positions(*positions.shape))
    return model


@torch.no_grad()
def scores(rows: Rows, model: LeftToRightLM, n_batches: int) -> dict[str, float]:
    """Means over the first batches, always the same ones; the model is in eval mode."""
    losses, hits = [], []
    for batch in islice(rows(0), n_batches):
        batch = batch.to(model.device)
        losses.append(float(model.loss(batch)["loss"]))
        hits.append(float((model(batch.ids).argmax(-1) == batch.targets).float().mean()))
    return {"loss": fmean(losses), "accuracy": fmean(hits)}


RECIPES = (
    Recipe(
        "gpt-en",
        "English left-to-right Transformer (the twin of bert-en before that went on to novels and reviews)",
        WEIGHTS_LICENCE,
        # bert-en-wiki took about as many steps, in two goes
        {"cpu": Settings(Training(7e-4, betas=(0.9, 0.98), waves=(23_188,), steps=59_000))},
        train,
    ),
)
