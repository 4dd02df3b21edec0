"""`python -m course.recipes.plateau`: bert-en's recipe with its start and without; both loss curves are kept.

A curve that was stopped goes on when the same command is given again. What is measured and shown is in
course/records/plateau.py; here is the training, since only recipes know recipes.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import torch
import typer

from course.ledger.records import provenance
from course.recipes import bert
from course.recipes.job import Job, Recipe, clock_factor
from course.recipes.texts import PieceText
from course.records.plateau import COMMAND, NAMES, STORE, Curve, keep_curve
from course.settings import seed
from course_lib.config import settings as course_settings
from course_lib.errors import CourseError
from course_lib.files import lock
from course_lib.training import adamw, fit

STEPS = 1_500  # 1.5 million pieces: six minutes of one core
POINT = 20  # steps whose mean is one point of a curve
STARTS = {"warm": bert.build, "plain": lambda job, pieces, text: bert.plain(job, pieces)}
BOTH = "both"


def measure(start: str, out: Path, *, recipe: Recipe = bert.RECIPES[0], steps: int = STEPS) -> Curve:
    """Train with one start, and put the curve into the record."""
    if start not in STARTS:
        raise CourseError(f"plateau: there is no start {start!r}. Use one of: {', '.join(STARTS)}.")
    job = Job(recipe, recipe.settings(), out, seed())
    pieces, text, _ = bert.read(job)
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
        folder=out / f"plateau-{start}.training",
        save_every=120,
    )
    run = {"command": f"{COMMAND} --start {start}", **provenance(), "seconds": f"{history.seconds:.0f}"}
    curve = Curve(*_points(history.parts["mlm"]), run)
    counts = torch.bincount(text.ids.long()).double()
    entropy = float(torch.special.entr(counts / counts.sum()).sum())
    with lock(out / "plateau.lock"):  # both curves may be trained at the same time
        keep_curve(start, curve, round(entropy, 4), _setting(job, text, steps))
    return curve


def _points(losses: list[float]) -> tuple[list[int], list[float]]:
    """Steps, and the mean of the POINT losses up to each; a rest that fills no point is left out."""
    ends = list(range(POINT, len(losses) + 1, POINT))
    return ends, [round(fmean(losses[end - POINT : end]), 4) for end in ends]


def _setting(job: Job, text: PieceText, steps: int) -> dict[str, Any]:
    """What both curves must share."""
    settings = job.settings
    return {
        "recipe": job.recipe.name,
        "corpus": settings.corpus,
        "steps": steps,
        "pieces per batch": settings.pieces_per_batch,
        "share masked": settings.masked,
        "learning rate": settings.training.learning_rate,
        "seed": job.seed,
        "pieces read by skip-gram before": settings.table.epochs * min(settings.table.pieces, len(text.ids)),
    }


def main(
    start: Annotated[str, typer.Option(help=f"one of: {', '.join(STARTS)}, {BOTH}")] = BOTH,
    out: Annotated[Path | None, typer.Option(help="where to work; default: the recipes' folder in the cache")] = None,
) -> None:
    """Record how the masked-LM loss falls with bert-en's start and from random numbers."""
    try:
        for one in STARTS if start == BOTH else [start]:
            curve = measure(one, out or course_settings().cache_dir / "recipes")
            typer.echo(f"{NAMES[one]}: {curve.losses[-1]:.3f} nats at the end. Written: {STORE.path}")
    except CourseError as error:
        typer.secho(str(error), fg="red", err=True)
        raise typer.Exit(1) from None


if __name__ == "__main__":
    typer.run(main)
