"""`kill -9` at random moments: what is resumed in the end equals the training that nobody disturbed, bit for bit."""

import os
import random
import subprocess
import sys
import time

import pytest

from course_lib.config import project_dir
from tests.training.killable import STEPS, train


def start(folder):
    return subprocess.Popen(
        [sys.executable, "-m", "tests.training.killable", str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=project_dir(),
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
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
