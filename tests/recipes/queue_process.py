"""The queue over two small recipes, in a process of its own that can be killed: `python -m ... FOLDER`."""

import sys
from dataclasses import replace
from pathlib import Path

from course.recipes import queue
from course.recipes.__main__ import RECIPES
from course.recipes.engine import Recipe
from tests.recipes.small import small

NAMES = ("bilm-en", "awd-lstm-en")


def recipes() -> list[Recipe]:
    """Saved after every step, and long enough to be killed on the way."""
    return [replace(recipe, watch=_often(recipe)) for recipe in (small(RECIPES[name], steps=90) for name in NAMES)]


def _often(recipe: Recipe):
    return lambda *given: {**(recipe.watch(*given) if recipe.watch else {}), "save_steps": 1}


if __name__ == "__main__":
    queue.run(recipes(), Path(sys.argv[1]))
