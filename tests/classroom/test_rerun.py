"""Answers run again: honest ones are right, forged ones are found, and none gets out of its process."""

import inspect
import os
import subprocess
import sys

import pytest

from course.check import registry
from course.classroom import rerun as module
from course.classroom.collect import read_class
from course.classroom.page import write_class
from course.classroom.rerun import NOT_ALONE, RIGHT, rerun, rerun_class
from course_lib.config import project_dir
from course_lib.errors import CourseError
from tests.chapters.cells import wrong_cells
from tests.classroom.simulated import keep, version

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="answers are shut in by Linux")
DEFINED = "def slanted_triangle(step, total, cut_frac, ratio):\n    "


@pytest.mark.parametrize("chapter", registry.chapters())
def test_every_reference_solution_is_right_from_its_text_alone(chapter):
    for exercise in registry.of_chapter(chapter):
        assert rerun(exercise.id, inspect.getsource(exercise.solution)) == RIGHT, exercise.id


def test_a_right_answer_is_right_where_pytorch_has_several_threads():
    """Those that the server of processes has used do not come along: an answer would wait for them for ever."""
    code = """
import inspect
from course.check.registry import find
from course.classroom.rerun import rerun
print(rerun("1.9", inspect.getsource(find("1.9").solution)))
"""
    threads = os.environ | {"OMP_NUM_THREADS": "2"}  # read once, when a process starts
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project_dir(), env=threads)
    assert run.stdout.strip() == RIGHT, run.stderr


def test_a_wrong_answer_gets_its_mistake_s_name():
    for cell, mistake in wrong_cells(registry.find("5.1")):
        assert rerun("5.1", f"{cell}\ncheck('5.1', slanted_triangle)") == mistake


@pytest.mark.parametrize(
    ("cell", "found"),
    [
        (DEFINED + "return 1.0", "wrong"),
        (DEFINED + "return helper(step)", NOT_ALONE),
        ("this is no Python", "is no Python"),
        (DEFINED + "os._exit(0)", NOT_ALONE),
        ("import os\n" + DEFINED + "os._exit(0)", "ended without a result"),
        ("import course.check.compare as c, course.check.judge as j\nj.difference = c.difference = lambda *a: ''\n"
         + DEFINED + "return 'right'", "wrong"),
        ("import gc, os\nfor o in gc.get_objects():\n    if type(o).__name__ == 'Connection':\n"
         "        os.write(o.fileno(), b'[[\"right\", 1]]')\nos._exit(0)", "ended without a result"),
        ("import gc, os\nfrom course.check.registry import find\nfor o in gc.get_objects():\n"
         "    if type(o).__name__ == 'Connection':\n        n = len(find('5.1').probes)\n"
         "        os.write(o.fileno(), b'[%s]' % b','.join([b'[\"open\", \"made up\"]'] * n))\nos._exit(0)", "made up"),
        ("import gc, os\nfrom course.check.registry import find\nfor o in gc.get_objects():\n"
         "    if type(o).__name__ == 'Connection':\n        n = len(find('5.1').probes)\n"
         "        os.write(o.fileno(), b'[%s]' % b','.join([b'[\"error\", \"right\"]'] * n))\nos._exit(0)",
         "ended without"),
        (DEFINED + "return '\ud800'", "UnicodeEncodeError"),
        (DEFINED + "return [0] * 10**9", "MemoryError"),
        (DEFINED + "while True: pass", "no end"),
        (DEFINED + "import time; time.sleep(60)", "no end"),
        (DEFINED + "import socket; socket.create_connection(('127.0.0.1', 9))", "PermissionError"),
        (DEFINED + "import ctypes; ctypes.CDLL(None)", "PermissionError"),
        (DEFINED + "open('MARK', 'w')", "PermissionError"),
        (DEFINED + "import torch; torch.save([1], 'MARK')", "RuntimeError"),  # by C++, past Python's hook
    ],
)  # fmt: skip
def test_a_forged_or_hostile_answer_is_found(cell, found, tmp_path, monkeypatch):
    if found == "no end":
        monkeypatch.setattr(module, "SECONDS", 1.0)
    mark = tmp_path / "kept"
    mark.write_text("whole")
    assert rerun("5.1", cell.replace("MARK", str(mark))).startswith(found)
    assert mark.read_text() == "whole"


def test_linux_itself_refuses_where_python_would_not(tmp_path):
    """The filter alone, without the hook in Python."""
    mark = tmp_path / "kept"
    mark.write_text("whole")
    calls = ("socket.socket()", "os.execv('/bin/true', ['true'])", "os.remove(MARK)", "os.rename(MARK, MARK + '2')")
    calls += ("os.fork() or os._exit(0)", "os.kill(os.getppid(), 0)", "os.truncate(MARK, 0)", "os.chmod(MARK, 0)")
    calls += ("open(MARK, 'w')", "os.open(MARK, os.O_TRUNC)", "os.mkfifo(MARK + '3')", "os.mkdir(MARK + '4')")
    calls += ("os.utime(MARK)",)
    code = f"""
import os, platform, socket
from course.classroom.rerun import _FORBIDDEN, _forbid_calls
MARK = {str(mark)!r}
_forbid_calls(*_FORBIDDEN[platform.machine()])
for call in {calls}:
    try: exec(call)
    except PermissionError: print("refused")
    else: print("done:", call)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=project_dir())
    assert run.stdout.splitlines() == ["refused"] * len(calls), run.stderr
    assert mark.read_text() == "whole"


def test_the_page_names_who_forged_and_reading_alone_runs_nothing(tmp_path):
    mark = tmp_path / "ran"
    honest = inspect.getsource(registry.find("5.1").solution)
    keep(tmp_path / "in" / "honest", "5.1", [version(honest)])
    keep(tmp_path / "in" / "forger", "5.1", [version(f"open({str(mark)!r}, 'w')\n{DEFINED}return 1.0")])
    keep(tmp_path / "in" / "leaning", "5.1", [version(DEFINED + "return helper(step)")])
    learners, skipped = read_class([tmp_path / "in"])
    believing = write_class(tmp_path / "out", learners, skipped, None).read_text()
    assert "3 of 3" in believing
    verdicts = rerun_class(learners)
    assert [name for (name, _), verdict in verdicts.items() if verdict == RIGHT] == ["honest"]
    page = write_class(tmp_path / "out", learners, skipped, verdicts).read_text()
    assert "not solved as said: 5.1: PermissionError" in page
    assert "2 of 3" in page
    assert "leans on other cells: 5.1" in page
    assert not mark.exists()


def test_where_answers_cannot_be_shut_in_none_is_run(monkeypatch):
    monkeypatch.setattr(module.platform, "machine", lambda: "riscv64")
    with pytest.raises(CourseError, match="needs Linux"):
        rerun("5.1", f"raise SystemExit({os.getpid()})")
