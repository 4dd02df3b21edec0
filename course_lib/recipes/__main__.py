"""`python -m course_lib.recipes NAME [--out FOLDER] [--minutes N]`: from raw text to a checked checkpoint."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.recipes.bilm import RECIPES as BILM
from course_lib.recipes.cove import RECIPES as COVE
from course_lib.recipes.skip_gram import RECIPES as SKIP_GRAM

RECIPES = {recipe.name: recipe for recipe in (*SKIP_GRAM, *BILM, *COVE)}


def main(
    name: Annotated[str, typer.Argument(help=f"one of: {', '.join(RECIPES)}")],
    out: Annotated[Path | None, typer.Option(help="where to work; default: the cache folder")] = None,
    minutes: Annotated[float | None, typer.Option(help="train at most so long; default: as the recipe says")] = None,
) -> None:
    """Train a checkpoint that ships with the course."""
    try:
        if name not in RECIPES:
            raise CourseError(f"There is no recipe {name!r}. There are: {', '.join(RECIPES)}.")
        recipe = RECIPES[name]
        if minutes is not None:
            if not hasattr(recipe, "minutes"):
                raise CourseError(f"The recipe {name} has no time limit. Leave --minutes out.")
            recipe = replace(recipe, minutes=minutes)
        folder = recipe.run(out or settings().cache_dir / "recipes")
    except CourseError as error:
        typer.secho(str(error), fg="red", err=True)
        raise typer.Exit(1) from None
    typer.echo((folder / "card.md").read_text(encoding="utf-8"))
    typer.echo(f"Checkpoint: {folder}")


if __name__ == "__main__":
    typer.run(main)
