"""`kill -9` during a whole recipe: cutting the corpus, vocabularies, training, saving, scoring, the card.

Twenty kills at random moments, taken up again each time: the checkpoint in the end is the one that nobody disturbed.
"""

import contextlib
import json
import multiprocessing
import random
import shutil
import signal
import time
from dataclasses import replace

import pytest
import torch

from course.recipes import cove, engine
from course.recipes.__main__ import RECIPES
from course_lib.checkpoints import load_checkpoint
from tests.recipes.small import pairs, small, write_corpora

pytestmark = pytest.mark.slow

STEPS = 40
KILLS = {"bert-en-wiki": 8, "awd-lstm-en": 6, "cove-en": 6}
WITHOUT_CARD = ("card.md", "config.json")  # these say how long it took
CHILDREN = multiprocessing.get_context("forkserver")  # so that twenty of them do not import PyTorch twenty times
CHILDREN.set_forkserver_preload([__name__])


def train(name, folder):
    """In a child."""
    torch.set_num_threads(1)
    cove.load_public = pairs
    recipe = small(RECIPES[name], steps=STEPS)

    def watch(job, material, model):
        given = recipe.watch(job, material, model) if recipe.watch else {}
        return {**given, "save_steps": 2}

    engine.run(replace(recipe, watch=watch), folder)


def run(name, folder, wait=None) -> tuple[int, float]:
    """How a run ended (-9: killed when `wait` came back), and after how many seconds."""
    child, begin = CHILDREN.Process(target=train, args=(name, folder)), time.monotonic()
    child.start()
    if wait:
        wait(child)
        child.kill()
    child.join()
    return child.exitcode, time.monotonic() - begin


def after(seconds):
    return lambda child: child.join(seconds)


def after_saves(path, saves, seconds):
    """A moment after the file was replaced so many times."""

    def wait(child):
        left, last = saves, written(path)
        while left and child.is_alive():
            if (now := written(path)) not in (None, last):
                left, last = left - 1, now
            child.join(0.002)
        child.join(seconds)

    return wait


def written(path):
    with contextlib.suppress(OSError):
        return path.stat().st_ino, path.stat().st_mtime_ns


def step_of(folder) -> int:
    """Of the state of a training; 0 before there is one. A state that is there is whole."""
    if not folder.exists() and not folder.with_name(f".{folder.name}.old").exists():
        return 0
    return load_checkpoint(folder).config["step"]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in WITHOUT_CARD}


@pytest.mark.parametrize("name", KILLS)
def test_killed_recipes_end_as_undisturbed_ones(tmp_path, capsys, name):
    whole, killed, chance = tmp_path / "whole", tmp_path / "killed", random.Random(name)
    write_corpora(whole)
    corpora = {path.name: path.read_bytes() for path in whole.iterdir()}
    ended, seconds = run(name, whole)
    assert ended == 0
    states = [folder / f"{name}.training" for folder in (killed, whole)]

    def equals_the_undisturbed_one():
        assert files(killed / name) == files(whole / name)
        assert step_of(states[0]) == STEPS
        one, other = map(load_checkpoint, states)
        assert all(tensor.equal(other.tensors[key]) for key, tensor in one.tensors.items())
        losses, others = (json.loads(state.files["history.json"].read_text())["losses"] for state in (one, other))
        assert losses == others

    write_corpora(killed)
    before, reached = 0, []
    for attempt in range(3 * KILLS[name]):
        waits = {
            0: after_saves(states[0] / "config.json", chance.randrange(1, 5), chance.uniform(0, 0.02)),
            1: after(seconds * chance.uniform(0.02, 0.7)),
            2: after_saves(states[0] / "config.json", chance.randrange(1, 9), chance.uniform(0, 0.02)),
            3: after_saves(killed / name / "config.json", 1, chance.uniform(0, 0.05)),
        }
        ended, _ = run(name, killed, waits[3 if len(reached) == KILLS[name] - 1 else attempt % 3])
        assert ended in (-signal.SIGKILL, 0)
        step = step_of(states[0])
        assert step >= before, "a state was lost"
        before = step
        assert {file: (killed / file).read_bytes() for file in corpora} == corpora
        if (killed / name).exists():
            load_checkpoint(killed / name)
        if ended:
            reached.append(step)
        else:  # too fast to be killed: once more from the start
            equals_the_undisturbed_one()
            shutil.rmtree(killed)
            write_corpora(killed)
            before = 0
        if len(reached) == KILLS[name]:
            break
    assert len(reached) == KILLS[name]
    assert reached.count(0) < KILLS[name] / 2, "most kills came before anything was reached"
    assert run(name, killed)[0] == 0
    equals_the_undisturbed_one()
    with capsys.disabled():
        print(f"\n{name}: {len(reached)} kills in {seconds:.1f} s of work, steps reached {reached}", end=" ")
