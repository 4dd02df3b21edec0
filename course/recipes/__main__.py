"""`python -m course.recipes NAME`: from raw text to a checked checkpoint; `... table`: the list of all cards;
`... queue`: one recipe after the other.

Several processes: `accelerate launch -m course.recipes NAME --profile gpu`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from course.recipes import (
    awd_lstm,
    bert,
    bilm,
    card,
    cove,
    further,
    gpt,
    heads,
    job,
    minilm,
    queue,
    reviews,
    skip_gram,
)
from course_lib.checkpoints import CARD
from course_lib.config import data_dir, settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.models.shipped import SUMS, sums

FAMILIES = (skip_gram, bilm, cove, awd_lstm, bert, further, gpt, heads, minilm, reviews)
RECIPES = {recipe.name: recipe for family in FAMILIES for recipe in family.RECIPES}
TABLE, QUEUE = "table", "queue"


def main(
    name: Annotated[
        str,
        typer.Argument(
            help=f"one of: {', '.join(RECIPES)}; {TABLE}: list the shipped cards; "
            f"{QUEUE}: one after the other, what is not finished yet of {', '.join(queue.QUEUE)}"
        ),
    ],
    profile: Annotated[str, typer.Option(help=f"one of: {', '.join(job.PROFILES)}")] = "cpu",
    status: Annotated[bool, typer.Option("--status", help=f"with {QUEUE}: only say how far it is")] = False,
    out: Annotated[Path | None, typer.Option(help="where to work; default: the cache folder")] = None,
) -> None:
    """Train a checkpoint that ships with the course."""
    try:
        if name == TABLE:
            folder = data_dir("checkpoints")
            for name, text in (("README.md", card.overview(folder)), (SUMS, sums(folder))):
                with atomic_file(folder / name, "w") as file:
                    file.write(text)
                typer.echo(f"Written: {folder / name}")
            return
        where = out or settings().cache_dir / "recipes"
        if name == QUEUE:
            recipes = [RECIPES[queued] for queued in queue.QUEUE]
            if status:
                typer.echo(queue.status(recipes, where))
            else:
                queue.run(recipes, where)
            return
        if name not in RECIPES:
            raise CourseError(f"There is no recipe {name!r}. There are: {', '.join(RECIPES)}.")
        folder = job.run(RECIPES[name], where, profile=profile)
    except CourseError as error:
        typer.secho(str(error), fg="red", err=True)
        raise typer.Exit(1) from None
    if folder is not None:
        typer.echo((folder / CARD).read_text(encoding="utf-8"))
        typer.echo(f"Checkpoint: {folder}")


if __name__ == "__main__":
    typer.run(main)
