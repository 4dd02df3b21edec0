"""A disk that becomes full at any moment of a save: the old file stays whole, and nothing else stays."""

import contextlib
import errno
import os
import random
import resource

import pytest
import torch

from course.check import store
from course_lib.checkpoints import save_checkpoint
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from tests.attacks.law import contents

pytestmark = pytest.mark.slow

CALLS = ("fsync", "rename", "replace", "mkdir", "chmod")


def checkpoint(folder, number):
    tensors = {"weight": torch.full((1_009,), float(number))}
    save_checkpoint(folder / "c", kind=str(number), config={"step": number}, tensors=tensors, files={"a.txt": "배"})


def text(folder, number):
    with atomic_file(folder / "labels.txt", "w") as file:
        file.write(f"{number}\n" * 5_003)


def answers(folder, number):
    os.environ["COURSE_ANSWERS_DIR"] = str(folder)
    if note := store.update("1.2", lambda item: True, lambda items: [*items, str(number) * 5_003]):
        raise CourseError(note)


SAVES = [checkpoint, text, answers]


@pytest.mark.parametrize("save", SAVES)
def test_any_call_fails(tmp_path, monkeypatch, save):
    """The disk is full at the first, the second, ... call that writes to it, and stays full or does not."""
    monkeypatch.setenv("COURSE_ANSWERS_DIR", "")
    folder = tmp_path / "folder"
    folder.mkdir()
    save(folder, 1)
    said = []
    for stays in (True, False):
        for first in range(40):
            before, count = contents(folder), []

            def full(*arguments, real, first=first, stays=stays, count=count, **options):
                count.append(1)
                if len(count) - 1 == first or (stays and len(count) > first):
                    raise OSError(errno.ENOSPC, "No space left on device")
                return real(*arguments, **options)

            with monkeypatch.context() as patch:
                for name in CALLS:
                    real = getattr(os, name)
                    patch.setattr(os, name, lambda *a, real=real, full=full, **o: full(*a, real=real, **o))
                try:
                    save(folder, 2)
                except CourseError as error:
                    said.append(str(error))
            if len(count) <= first:
                break
            after = contents(folder)
            new = any(b"2" in content for content in after.values()) and after != before
            assert new or after == before, f"call {first}: {sorted(set(after) ^ set(before))}"
            if new:
                save(folder, 1)
        else:
            pytest.fail("it never ended")
    assert len(said) > 4
    assert [text for text in said if "disk is full" not in text] == []


@contextlib.contextmanager
def files_at_most(n_bytes):
    """The system itself stops a write after so many bytes."""
    old, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (old, hard))


@pytest.mark.parametrize("save", SAVES)
def test_a_file_breaks_off_in_the_middle(tmp_path, monkeypatch, save):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", "")
    folder, chance = tmp_path / "folder", random.Random(7)
    folder.mkdir()
    save(folder, 1)
    before = contents(folder)
    for size in [0, 1, *(chance.randrange(2, 4_001) for _ in range(23))]:
        with pytest.raises(CourseError), files_at_most(size):
            save(folder, 2)
        assert contents(folder) == before, size
    save(folder, 2)
    assert contents(folder) != before
