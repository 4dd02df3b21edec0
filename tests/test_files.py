"""Locks. What else files.py promises is tested where it is used."""

import subprocess
import sys
import time

import pytest

from course_lib import files
from course_lib.errors import CourseError
from course_lib.files import lock

HOLD = """
import sys, time
from course_lib.files import lock
with lock(sys.argv[1]):
    print("in", flush=True)
    time.sleep(99)
"""


def test_another_process_is_waited_for_and_a_killed_one_lets_go(tmp_path):
    path = tmp_path / "x.lock"
    with subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "in\n"
        with pytest.raises(CourseError, match="Waited 0 s for another process that holds"), lock(path, patience=0.1):
            pytest.fail("two were inside")
        other.kill()
        other.wait()
        start = time.monotonic()
        with lock(path):
            assert time.monotonic() - start < 30
    assert path.stat().st_mode & 0o777 == 0o666  # another account that shares the folder can lock it, too


@pytest.mark.parametrize("fault", [PermissionError, NotImplementedError])
def test_where_no_lock_can_be_nobody_waits(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(files.FileLock, "acquire", lambda self: (_ for _ in ()).throw(fault))
    entered = False
    with lock(tmp_path / "x.lock", patience=0.1):
        entered = True
    assert entered
