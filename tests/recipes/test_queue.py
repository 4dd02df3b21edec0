"""The queue: one recipe after the other, stopped and taken up again."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course.recipes import job, queue
from course.recipes.__main__ import RECIPES
from course.recipes.job import Recipe
from course_lib.errors import CourseError
from course_lib.files import lock
from course_lib.training.state import read_state
from tests.recipes.small import small, write_corpora

COMMAND = [sys.executable, "-m", "tests.recipes.test_queue"]  # the queue over two small recipes: FOLDER
STEPS = {"bilm-en": 8, "awd-lstm-en": 60}  # the second is long enough to be stopped on the way
NAMES = tuple(STEPS)


def recipes() -> list[Recipe]:
    """Saved after every step."""
    return [small(RECIPES[name], steps=steps, save_every=1e-9) for name, steps in STEPS.items()]


def start(folder):
    """As a shell's `&` does: with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return subprocess.Popen([*COMMAND, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    finally:
        signal.signal(signal.SIGINT, before)


def steps_saved(folder, name):
    state = read_state(folder / f"{name}.training")
    return state["place"].step if state else 0


def wait_until(condition, process):
    end = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_stopped_it_says_how_far_it_is_and_goes_on(tmp_path, monkeypatch, capsys):
    write_corpora(tmp_path)
    process = start(tmp_path)
    wait_until(lambda: steps_saved(tmp_path, NAMES[1]) >= 12, process)
    assert (tmp_path / NAMES[0] / "README.md").exists()
    process.send_signal(signal.SIGTERM)
    said, faults = process.communicate(timeout=60)
    assert process.returncode == 0, faults
    assert "Stopped: finished: bilm-en | next: awd-lstm-en" in said
    assert "Traceback" not in faults
    assert steps_saved(tmp_path, NAMES[1]) < STEPS[NAMES[1]]
    monkeypatch.setattr(job, "data_dir", tmp_path.joinpath)
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # this process keeps its own
    queue.run(recipes(), tmp_path)
    assert capsys.readouterr().out.splitlines()[-1] == "finished: bilm-en, awd-lstm-en"


def test_two_queues_do_not_share_a_folder(tmp_path):
    with lock(tmp_path / ".queue.lock"), pytest.raises(CourseError, match=r"another process that holds .*queue.lock"):
        queue.run(recipes(), tmp_path)


if __name__ == "__main__":
    job.data_dir = Path(sys.argv[1]).joinpath
    queue.run(recipes(), Path(sys.argv[1]))
