"""`kill -9` at random moments: what is resumed in the end equals the training that nobody disturbed, bit for bit.

The training that is killed is this file: `python -m tests.training.test_kill FOLDER` says each step done.
"""

import os
import random
import subprocess
import sys
import time

import pytest
import torch

from course_lib.config import project_dir
from course_lib.training import History, fit
from tests.training.nets import LanguageModel, shuffled, texts

STEPS = 120


def train(folder, watchers=()) -> tuple[LanguageModel, History]:
    """One thread, so that this process and the others add in the same order."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    torch.manual_seed(5)
    model, options = LanguageModel(), {"learning_rate": 0.01, "seed": 3, "device": "cpu", "show": False}
    options |= {"evaluate": lambda model: {"drawn": float(torch.rand(()))}, "evaluate_every": 11, "save_every": 0.005}
    try:
        return model, fit(model, shuffled(texts(7)), steps=STEPS, folder=folder, watchers=watchers, **options)
    finally:
        torch.set_num_threads(threads)


def start(folder):
    command, environment = [sys.executable, "-m", __name__, str(folder)], {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=project_dir(), env=environment)


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_killed_and_resumed_equals_undisturbed(tmp_path, kills):
    chance = random.Random(kills)
    reached = []
    for _ in range(kills):
        process = start(tmp_path / "killed")
        first = int(process.stdout.readline())
        lives = chance.randrange(1, 2 * STEPS // kills - 1)
        for _ in range(min(lives, STEPS - 1 - first)):
            process.stdout.readline()
        time.sleep(chance.uniform(0, 0.02))  # anywhere in a step or a save
        process.kill()
        assert process.wait() != 0, "it ended before it could be killed"
        process.stdout.close()
        reached.append(first)
        if first > STEPS - 20:
            break
    assert len(reached) > kills / 2
    assert reached == sorted(reached)
    assert reached[-1] > 3, "nothing was taken up again"

    resumed, history = train(tmp_path / "killed")
    undisturbed, expected = train(tmp_path / "whole")
    assert history.losses == expected.losses
    assert history.evaluations == expected.evaluations
    assert history.steps == list(range(1, STEPS + 1))
    for name, tensor in undisturbed.state_dict().items():
        assert resumed.state_dict()[name].equal(tensor), name


if __name__ == "__main__":
    train(sys.argv[1], watchers=[lambda step: print(step, flush=True)])
