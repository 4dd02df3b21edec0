"""Recipes on tiny corpora, each run in a child of its own: `python -m tests.attacks.killable_recipe`.

A line `NAME FOLDER` on standard input starts one; its process id is said, and how it ended. The children are forked,
so that twenty of them do not import PyTorch twenty times.
"""

import os
import sys
import traceback
from dataclasses import replace
from pathlib import Path

import torch

from course.recipes import cove, engine
from course.recipes.__main__ import RECIPES
from tests.recipes.small import pairs, small

STEPS = 40


def run(name: str, folder: Path) -> None:
    recipe = small(RECIPES[name], steps=STEPS)

    def watch(job, material, model):
        given = recipe.watch(job, material, model) if recipe.watch else {}
        return {**given, "save_steps": 2}

    engine.run(replace(recipe, watch=watch), folder)


def serve() -> None:
    torch.set_num_threads(1)
    cove.load_public = pairs
    print("ready", flush=True)
    for line in sys.stdin:
        name, folder = line.rstrip("\n").split(" ", 1)
        child = os.fork()
        if child == 0:
            ended = 1
            try:
                run(name, Path(folder))
                ended = 0
            except BaseException:
                traceback.print_exc()
            finally:
                os._exit(ended)
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve()
