"""`kill -9` during a whole recipe: cutting the corpus, vocabularies, training, saving, scoring, the card.

Twenty kills at random moments, taken up again each time: the checkpoint in the end is the one that nobody disturbed.
"""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from course_lib.checkpoints import load_checkpoint
from course_lib.config import project_dir
from tests.attacks.killable_recipe import STEPS
from tests.recipes.small import write_corpora

pytestmark = pytest.mark.slow

KILLS = {"bert-en-wiki": 8, "awd-lstm-en": 6, "cove-en": 6}
WITHOUT_CARD = ("card.md", "config.json")  # these say how long it took


class Server:
    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.attacks.killable_recipe"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=project_dir(),
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        assert self.process.stdout.readline() == "ready\n"

    def run(self, name, folder, wait=None) -> tuple[int, float]:
        """How a run ended (-9: killed when `wait` came back), and after how many seconds."""
        print(name, folder, file=self.process.stdin, flush=True)
        child, begin, over = int(self.process.stdout.readline()), time.monotonic(), threading.Event()
        assert child > 0

        def kill():
            wait(over)
            if not over.is_set():
                os.kill(child, signal.SIGKILL)

        killer = threading.Thread(target=kill) if wait else None
        if killer:
            killer.start()
        ended = int(self.process.stdout.readline())
        over.set()
        if killer:
            killer.join()
        return ended, time.monotonic() - begin

    def close(self) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(60)


def after(seconds):
    return lambda over: over.wait(seconds)


def after_saves(path, saves, seconds):
    """A moment after the file was replaced so many times."""

    def wait(over):
        left, last = saves, written(path)
        while left and not over.wait(0.002):
            if (now := written(path)) not in (None, last):
                left, last = left - 1, now
        over.wait(seconds)

    return wait


def written(path):
    with contextlib.suppress(OSError):
        return path.stat().st_ino, path.stat().st_mtime_ns


@pytest.fixture(scope="module")
def server():
    found = Server()
    yield found
    found.close()


def step_of(folder) -> int:
    """Of the state of a training; 0 before there is one. A state that is there is whole."""
    if not folder.exists() and not folder.with_name(f".{folder.name}.old").exists():
        return 0
    return load_checkpoint(folder).config["step"]


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in WITHOUT_CARD}


@pytest.mark.parametrize("name", KILLS)
def test_killed_recipes_end_as_undisturbed_ones(tmp_path, server, capsys, name):
    whole, killed, chance = tmp_path / "whole", tmp_path / "killed", random.Random(name)
    for folder in (whole, killed):
        write_corpora(folder)
    corpora = {path: path.read_bytes() for path in killed.iterdir()}
    ended, seconds = server.run(name, whole)
    assert ended == 0

    steps, kills = [0], 0
    for attempt in range(3 * KILLS[name]):
        state, checkpoint = (killed / part / "config.json" for part in (f"{name}.training", name))
        waits = {
            0: after_saves(state, chance.randrange(1, 5), chance.uniform(0, 0.02)),
            1: after(seconds * chance.uniform(0.02, 0.7)),
            2: after_saves(state, chance.randrange(1, 9), chance.uniform(0, 0.02)),
            3: after_saves(checkpoint, 1, chance.uniform(0, 0.05)),
        }
        ended, _ = server.run(name, killed, waits[3 if kills == KILLS[name] - 1 else attempt % 3])
        assert ended in (-signal.SIGKILL, 0)
        kills += ended == -signal.SIGKILL
        steps.append(step_of(killed / f"{name}.training"))
        assert steps[-1] >= steps[-2], "a state was lost"
        assert {path: path.read_bytes() for path in corpora} == corpora
        if (killed / name).exists():
            load_checkpoint(killed / name)
        if kills == KILLS[name]:
            break
    assert kills == KILLS[name]
    assert steps.count(0) <= kills / 2, "most kills came before anything was reached"
    assert server.run(name, killed)[0] == 0

    assert files(killed / name) == files(whole / name)
    assert step_of(killed / f"{name}.training") == STEPS
    one, other = (load_checkpoint(folder / f"{name}.training") for folder in (killed, whole))
    assert all(tensor.equal(other.tensors[key]) for key, tensor in one.tensors.items())
    losses = [json.loads(found.files["history.json"].read_text(encoding="utf-8"))["losses"] for found in (one, other)]
    assert losses[0] == losses[1]
    with capsys.disabled():
        print(f"\n{name}: {kills} kills in {seconds:.1f} s of work, steps reached {steps}", end=" ")
