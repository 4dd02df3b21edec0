"""`python -m course.recipes queue`: train what is not trained yet, one recipe after the other, with one thread.

A core idles while chapters are written. States are saved every ten minutes, as for each recipe by itself; Ctrl-C or a
plain `kill` ends it after the step, and the same command goes on from there. `--status` says how far it is.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
import typer

from course.recipes import job
from course.recipes.job import Job, Recipe
from course_lib.files import lock
from course_lib.progress import duration
from course_lib.training.state import read_state

# the order in which they are missed most
QUEUE = ("awd-lstm-en", "awd-lstm-reviews-en", "bilm-ko", "bert-en", "bert-ko")


def run(recipes: Sequence[Recipe], out: Path) -> None:
    """Train in `out` what has no card yet, there or in `data/unfinished`."""
    torch.set_num_threads(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's `&` leaves it ignored
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # `kill` is as good as Ctrl-C
    with lock(out / ".queue.lock", patience=0):
        try:
            for recipe in recipes:
                if not _finished(recipe, out):
                    typer.echo(status(recipes, out))
                    job.run(recipe, out)
        except KeyboardInterrupt:
            typer.echo(f"Stopped: {status(recipes, out)}")
            return
    typer.echo(status(recipes, out))


def status(recipes: Sequence[Recipe], out: Path) -> str:
    """One line: what is trained, how far the next one is by its last saved state, and what waits."""
    done = [recipe.name for recipe in recipes if _finished(recipe, out)]
    waiting = [recipe for recipe in recipes if recipe.name not in done]
    parts = [f"finished: {', '.join(done)}"] if done else []
    if waiting:
        parts.append("; ".join(_how_far(waiting[0], out)))
    if waiting[1:]:
        parts.append(f"waiting: {', '.join(recipe.name for recipe in waiting[1:])}")
    return " | ".join(parts)


def _finished(recipe: Recipe, out: Path) -> bool:
    return job.made(recipe.name, out) is not None


def _how_far(recipe: Recipe, out: Path) -> Iterator[str]:
    state = read_state(out / f"{recipe.name}.training")
    steps = state["place"].step if state else Job(recipe, recipe.settings(), out, seed=0).start
    total = recipe.settings().training.steps
    of = "" if total is None else f" of {total:,} ({steps / total:.0%})"
    yield f"next: {recipe.name}, {steps:,}{of} steps saved"
    if state:
        yield f"{duration(state['history'].seconds)} of training, loss {state['history'].losses[-1]:.4g}"
