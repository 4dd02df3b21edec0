"""A class that shares one cache: processes at once, and one that is killed while it writes.

The others start when the first one has written half of the file, and wait for it: no test here depends on time.
"""

import subprocess
import sys
import time

import pytest

from course_lib.config import data_dir, project_dir
from course_lib.data.on_disk import _load

PATIENCE = 240  # seconds until a test that waits in vain fails: nothing is measured by it
CHILD = """
import contextlib, sys, time
from pathlib import Path
from types import SimpleNamespace
from course_lib.data import on_disk

folder, halts = Path(sys.argv[1]), sys.argv[2] == "halt"

def note(word, given=None):
    with open(folder / "log", "a") as log:  # shorter than a page and appended: whole
        log.write(word + "\\n")
    return given

def load(cache, real=on_disk._load):
    there, corpus = cache.exists(), note("looked", real(cache))
    return note("torn") if there and corpus is None else corpus

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
on_disk._load, on_disk._read = load, lambda *given, real=on_disk._read: note("read", real(*given))
on_disk.atomic_file = halting if halts else on_disk.atomic_file
corpus = on_disk.on_disk_sentences()
print(corpus.n_words, corpus.fingerprint)
"""


@pytest.mark.parametrize("n", [5, pytest.param(30, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kill", [False, True])
def test_one_reads_and_the_others_wait_for_it_and_a_killed_one_holds_nobody_up(tmp_path, cache, n, kill):
    (tmp_path / "lib").mkdir()
    rows = (data_dir("handmade", "en") / "reviews.tsv").read_text(encoding="utf-8").replace('"', "").replace("\\", "")
    cells = [cell for row in rows.splitlines() for cell in row.split("\t") if len(cell.split()) > 5]
    (tmp_path / "lib" / "part.py").write_text('"""' + "\n\n".join(cells) + '\n"""\n', encoding="utf-8")
    children = []

    def start(how):
        command = [sys.executable, "-c", CHILD, str(tmp_path), how]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        children.append(subprocess.Popen(command, cwd=project_dir(), **pipes))

    def noted(word):
        return (tmp_path / "log").read_text().split().count(word) if (tmp_path / "log").exists() else 0

    def wait_until(word, times):
        end = time.monotonic() + PATIENCE
        while noted(word) < times:
            failed = [child for child in children if child.poll()]
            assert not failed, failed[0].communicate()[1]
            assert time.monotonic() < end, f"{word!r} was noted {noted(word)} times, not {times}"
            time.sleep(0.02)

    try:
        start("halt")
        wait_until("half", 1)
        for _ in range(n - 1):
            start("run")
        wait_until("looked", n + 1)  # the first looked before and after it had the lock
        assert [path.suffix for path in cache.iterdir() if path.suffix != ".lock"] == [".part"]
        if kill:
            children[0].kill()
            children.pop(0).communicate()
        (tmp_path / "go on").touch()
        said = [child.communicate(timeout=PATIENCE) for child in children]
    finally:
        for child in children:
            child.kill()
            child.communicate()
    (made,) = (path for path in cache.iterdir() if path.suffix != ".lock")  # the half of a killed one is cleared away
    expected = _load(made)
    assert expected.n_words > 500
    assert [out.split() for out, _ in said] == [[str(expected.n_words), expected.fingerprint]] * len(children), said
    assert (noted("read"), noted("torn")) == (1 + kill, 0)
