"""Recipe of the left-to-right Transformer that ships with the course: the twin of bert-en as it was after Wikipedia.

The same pieces, text, sizes, rows and table of pieces to start from. Another question: what comes next?
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

import torch

from course.recipes.bert import Material, Settings, read
from course.recipes.engine import Job, Recipe, Training, steps_done
from course.recipes.starts import POSITIONS, skip_gram_table, start_table
from course.recipes.texts import WEIGHTS_LICENCE, OneWayRows, PieceText, Rows
from course_lib.data.running_text import CORPORA
from course_lib.models.left_to_right_lm import LeftToRightLM
from course_lib.models.shipped import load
from course_lib.models.transformer import TransformerConfig, sinusoidal_positions
from course_lib.text.word_pieces import WordPieces
from course_lib.training import History


def build(job: Job, material: Material) -> LeftToRightLM:
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
    model = LeftToRightLM(config, material.pieces)
    start_table(
        model.embedding.tokens,
        skip_gram_table(material.table, material.train, material.pieces, settings.table, seed=job.seed),
    )
    with torch.no_grad():  # as loud beside the pieces as BERT's: here those are multiplied by `scale`
        positions = model.embedding.positions.weight
        positions.copy_(POSITIONS * model.embedding.scale * sinusoidal_positions(*positions.shape))
    return model


def batches(job: Job, material: Material, model: LeftToRightLM) -> Rows:
    return _rows(job, material.train, material.pieces)


def _rows(job: Job, text: PieceText, pieces: WordPieces) -> Rows:
    return Rows.of(text, job.settings.length, OneWayRows(pieces), job.settings.pieces_per_batch, job.seed)


@torch.no_grad()
def scores(job: Job, material: Material, model: LeftToRightLM, n_batches: int) -> dict[str, float]:
    """Means over held-out batches, always the same ones; the model is in eval mode."""
    losses, hits = [], []
    for batch in islice(_rows(job, material.held_out, material.pieces)(0), n_batches):
        batch = batch.to(model.device)
        losses.append(float(model.loss(batch)["loss"]))
        hits.append(float((model(batch.ids).argmax(-1) == batch.targets).float().mean()))
    return {"loss": fmean(losses), "accuracy": fmean(hits)}


def evaluate(job: Job, material: Material, model: LeftToRightLM, folder: Path) -> dict[str, str]:
    result = {}
    for which, lm in (("as trained", model), ("as shipped", load(folder))):
        found = scores(job, material, lm, job.settings.scored_batches)
        result[f"held out, {which}"] = f"next piece: accuracy {found['accuracy']:.3f}, loss {found['loss']:.3f} nats"
    return result


def watch(job: Job, material: Material, model: LeftToRightLM) -> dict[str, Any]:
    """Held-out scores on the way, kept in the history."""
    return {"evaluate": lambda lm: scores(job, material, lm, 32), "evaluate_every": 2_000}


def describe(job: Job, material: Material, history: History) -> dict[str, str]:
    settings = job.settings
    tokens = steps_done(history) * settings.pieces_per_batch * job.processes
    return {
        "model": "left-to-right Transformer language model, pre-norm; matrices in six bits, the rest float16",
        "pieces": f"{len(material.pieces):,} WordPieces, those of bert-en",
        "start": "token table from skip-gram over the pieces, that of bert-en",
        "corpus": f"{CORPORA[job.recipe.corpus]}, {len(material.train.ids):,} pieces to learn from, "
        f"{settings.held_out} articles held out",
        "tokens": f"{tokens:,} pieces seen",
        "final loss": f"{fmean(history.losses[-100:]):.3f} nats per piece",
    }


RECIPES = (
    Recipe(
        "gpt-en",
        "English left-to-right Transformer (the twin of bert-en before that went on to novels and reviews)",
        "enwiki2015",
        licence=WEIGHTS_LICENCE,
        # bert-en-wiki took about as many steps, in two goes
        profiles={"cpu": Settings(Training(7e-4, betas=(0.9, 0.98), waves=(23_188,), steps=59_000))},
        family=__name__,
        read=read,
    ),
)
