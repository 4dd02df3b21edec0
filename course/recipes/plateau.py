"""`python -m course.recipes.plateau`: bert-en's recipe with its start and without; both loss curves are kept.

A curve that was stopped goes on when the command is given again. What is shown is in course/records/plateau.py; here is
the training, since only recipes know recipes.
"""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from statistics import fmean

import torch

from course.ledger.records import provenance
from course.recipes import bert
from course.recipes.job import Job, Recipe, clock_factor
from course.recipes.texts import PieceText
from course.records.plateau import COMMAND, STORE, Curve, Plateau
from course.records.store import in_a_sentence
from course.settings import seed
from course_lib.config import settings as course_settings
from course_lib.text.word_pieces import WordPieces
from course_lib.training import adamw, fit

STEPS = 1_500  # 1.5 million pieces: six minutes of one core
POINT = 20  # steps whose mean is one point of a curve
STARTS = {"warm": bert.build, "plain": lambda job, pieces, text: bert.plain(job, pieces)}


def record(out: Path, *, recipe: Recipe = bert.RECIPES[0], steps: int = STEPS) -> Plateau:
    """Train with both starts, and replace the record."""
    job = Job(recipe, recipe.settings(), out, seed())
    settings = job.settings
    pieces, text, _ = bert.read(job)
    curves = {start: train(start, job, pieces, text, steps) for start in STARTS}
    counts = torch.bincount(text.ids.long()).double()
    entropy = float(torch.special.entr(counts / counts.sum()).sum())
    setting = {
        "recipe": job.recipe.name,
        "corpus": settings.corpus,
        "steps": steps,
        "pieces per batch": settings.pieces_per_batch,
        "share masked": settings.masked,
        "learning rate": settings.training.learning_rate,
        "seed": job.seed,
        "pieces read by skip-gram before": settings.table.epochs * min(settings.table.pieces, len(text.ids)),
    }
    plateau = Plateau(round(entropy, 4), setting, curves)
    STORE.write(plateau, indent=None)
    return plateau


def train(start: str, job: Job, pieces: WordPieces, text: PieceText, steps: int) -> Curve:
    """With one start; a point is the mean of POINT losses, a rest that fills no point is left out."""
    run = {"command": COMMAND, **provenance()}
    torch.manual_seed(job.seed)
    model, training = STARTS[start](job, pieces, text), job.settings.training
    history = fit(
        model,
        bert.rows_of(job.settings, text, pieces, job.seed, job.settings.masked),
        steps=steps,
        learning_rate=training.learning_rate,
        optimizer=partial(adamw, betas=training.betas),
        schedule=lambda step, total: clock_factor((step + 1) / total),
        seed=job.seed,
        folder=job.out / f"plateau-{start}.training",
        save_every=120,
    )
    losses, ends = history.parts["mlm"], list(range(POINT, steps + 1, POINT))
    means = [round(fmean(losses[end - POINT : end]), 4) for end in ends]
    return Curve(ends, means, {**run, "seconds": f"{history.seconds:.0f}"})


@in_a_sentence()
def main() -> None:
    """Record how the masked-LM loss falls with bert-en's start and from random numbers."""
    ArgumentParser(prog=COMMAND, description=main.__doc__).parse_args()
    print(record(course_settings().cache_dir / "recipes").to_text())


if __name__ == "__main__":
    main()
