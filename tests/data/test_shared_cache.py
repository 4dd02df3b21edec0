"""A class that shares one cache: thirty processes at once, and a process that is killed while it writes.

The others start when the first one has written half of the file, and wait for it: no test here depends on time.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from course_lib.config import data_dir, project_dir
from course_lib.data.on_disk import _load

PATIENCE = 240  # seconds until a test that waits in vain fails: nothing is measured by it

CHILD = """
import contextlib, os, sys, time
from pathlib import Path
from types import SimpleNamespace
from course_lib import files
from course_lib.data import on_disk

folder, halts = Path(sys.argv[1]), sys.argv[2] == "halt"

def note(word):
    with open(folder / "log", "a") as log:  # shorter than a page and appended: whole
        log.write(word + "\\n")

def load(cache, real=on_disk._load):
    there = cache.exists()
    corpus = real(cache)
    note("looked")
    if there and corpus is None:
        note("torn")
    return corpus

def read(*arguments, real=on_disk._read):
    note("read")
    return real(*arguments)

@contextlib.contextmanager
def halting(path, real=on_disk.atomic_file):
    with real(path) as file:
        def write(content):
            file.write(content[: len(content) // 2])
            file.flush()
            note("half")
            while not (folder / "go on").exists():
                time.sleep(0.02)
            file.write(content[len(content) // 2 :])
        yield SimpleNamespace(write=write)

on_disk._installed = lambda: ({"python": folder / "lib"}, {"python": "3.x"}, [])
on_disk.MIN_WORDS = 1
on_disk._load, on_disk._read = load, read
if halts:
    on_disk.atomic_file = halting
corpus = on_disk.on_disk_sentences()
print(corpus.n_words, corpus.fingerprint)
"""


class Class:
    """A small disk of handmade sentences, an empty cache, and the processes that share them."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache, self.processes = folder, cache, []
        (folder / "lib").mkdir()
        for number, text in enumerate(sorted(data_dir("handmade", "en").glob("*.tsv"))):
            lines = text.read_text(encoding="utf-8").replace('"', "").replace("\\", "").splitlines()
            cells = [cell for line in lines for cell in line.split("\t") if len(cell.split()) > 5]
            (folder / "lib" / f"part{number}.py").write_text('"""' + "\n\n".join(cells) + '\n"""\n', encoding="utf-8")

    def start(self, how: str) -> subprocess.Popen:
        search = os.pathsep.join(filter(None, [str(project_dir()), os.environ.get("PYTHONPATH")]))
        command = [sys.executable, "-c", CHILD, str(self.folder), how]
        child = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": search}
        )
        self.processes.append(child)
        return child

    def noted(self, word: str) -> int:
        log = self.folder / "log"
        return log.read_text().split().count(word) if log.exists() else 0

    def wait_until(self, word: str, times: int) -> None:
        end = time.monotonic() + PATIENCE
        while self.noted(word) < times:
            failed = [child for child in self.processes if child.poll()]
            assert not failed, failed[0].communicate()[1].decode()
            assert time.monotonic() < end, f"{word!r} was noted {self.noted(word)} times, not {times}"
            time.sleep(0.02)

    def answers(self, children: list[subprocess.Popen]) -> list[list[str]]:
        said = [child.communicate(timeout=PATIENCE) for child in children]
        assert [child.returncode for child in children] == [0] * len(children), said
        return [out.decode().split() for out, _ in said]

    def files(self) -> list[Path]:
        return sorted(path for path in self.cache.iterdir() if path.suffix != ".lock")


@pytest.fixture
def learners(tmp_path, cache):
    group = Class(tmp_path, cache)
    yield group
    for child in group.processes:
        child.kill()
        child.communicate()


def half_written(group: Class, n: int) -> tuple[subprocess.Popen, list[subprocess.Popen]]:
    """One process that has written half of the file, and n - 1 others that have looked for it and now wait."""
    first = group.start("halt")
    group.wait_until("half", 1)
    others = [group.start("run") for _ in range(n - 1)]
    group.wait_until("looked", 2 + len(others))  # the first looked before and after it had the lock
    return first, others


SIZES = [5, pytest.param(30, marks=pytest.mark.slow)]


@pytest.mark.parametrize("n", SIZES)
def test_one_reads_and_the_others_wait_for_it(learners, n):
    first, others = half_written(learners, n)
    (learners.folder / "go on").touch()
    answers = learners.answers([first, *others])
    (made,) = learners.files()
    expected = _load(made)
    assert expected.n_words > 500
    assert answers == [[str(expected.n_words), expected.fingerprint]] * n
    assert (learners.noted("read"), learners.noted("torn")) == (1, 0)


@pytest.mark.parametrize("n", SIZES)
def test_a_killed_process_holds_nobody_up(learners, n):
    first, others = half_written(learners, n)
    assert [path.suffix for path in learners.files()] == [".part"]
    first.kill()
    answers = learners.answers(others)
    (made,) = learners.files()  # the half of the killed one is cleared away
    expected = _load(made)
    assert answers == [[str(expected.n_words), expected.fingerprint]] * (n - 1)
    assert (learners.noted("read"), learners.noted("torn")) == (2, 0)
