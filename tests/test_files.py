"""Locks where several accounts share a folder. What else files.py promises is tested where it is used."""

import builtins

import pytest

from course_lib import files
from course_lib.errors import CourseError
from course_lib.files import lock


@pytest.fixture
def lock_of_another(tmp_path, monkeypatch):
    """A lock file that may be read and not written; rights would not stop a test that runs as root."""

    def only_read(path, mode="r", **more):
        if "a" in mode or "w" in mode:
            raise PermissionError(13, "Permission denied", str(path))
        return builtins.open(path, mode, **more)

    path = tmp_path / "x.lock"
    path.touch()
    with path.open("a+b") as held:
        assert files._try_lock(held)
        monkeypatch.setattr(files, "open", only_read, raising=False)
        yield path


def test_the_lock_file_of_another_account_is_waited_for(lock_of_another):
    with (
        pytest.raises(CourseError, match="Waited 0 s for another process that holds"),
        lock(lock_of_another, patience=0.1),
    ):
        pytest.fail("two were inside")


def test_in_a_folder_that_cannot_be_written_nobody_waits(lock_of_another, monkeypatch):
    monkeypatch.setattr(files.os, "access", lambda folder, mode: False)
    entered = False
    with lock(lock_of_another, patience=0.1):
        entered = True
    assert entered
