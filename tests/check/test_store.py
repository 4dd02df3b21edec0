"""Answers are never half-written, never overwritten by a damaged file's successor, and never in the way."""

import errno
import json
import os
import subprocess
import sys

import pytest

from course.check import front, store
from course_lib.errors import CourseError


def is_item(item):
    return isinstance(item, str)


def add(item):
    return lambda items: [*items, item]


def test_round_trip(answers_folder):
    assert store.read("1.2", is_item) == ([], "")
    assert store.names() == []
    assert store.update("1.2", is_item, add("배")) == ""
    assert store.update("1.2", is_item, add("b")) == ""
    assert store.read("1.2", is_item) == (["배", "b"], "")
    assert store.names() == ["1.2"]
    before = (answers_folder / "1.2.json").stat().st_mtime_ns
    store.update("1.2", is_item, lambda items: items)  # what is unchanged is not written again
    assert (answers_folder / "1.2.json").stat().st_mtime_ns == before
    (answers_folder / "1.2.json").write_bytes(b"\xef\xbb\xbf" + (answers_folder / "1.2.json").read_bytes())
    assert store.read("1.2", is_item) == (["배", "b"], "")  # Windows' editor saved it


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"format": 1, "items": ["a"', "not the JSON"),
        (b"[" * 100_000, "not the JSON"),
        (b'{"format": 2, "items": ["a"]}', "format 2"),
        (b'{"format": 1, "items": [3]}', "incomplete"),
        (b'{"format": 1, "items": ["\\ud800"]}', "not the JSON"),  # half a letter: a kernel cannot send it
        (b" " * 20_000_001, "too large"),
    ],
)
def test_a_damaged_file_is_named_and_set_aside(answers_folder, content, reason):
    answers_folder.mkdir()
    (answers_folder / "1.2.json").write_bytes(content)
    items, note = store.read("1.2", is_item)
    assert items == []
    assert reason in note
    assert (answers_folder / "1.2.json").read_bytes() == content  # reading changes nothing
    note = store.update("1.2", is_item, add("new"))
    assert reason in note
    assert "1.2.damaged1.json" in note
    assert (answers_folder / "1.2.damaged1.json").read_bytes() == content
    assert store.read("1.2", is_item) == (["new"], "")
    assert store.names() == ["1.2"]
    (answers_folder / "1.2.json").write_text("another")
    assert "1.2.damaged2.json" in store.update("1.2", is_item, add("new"))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_what_is_no_file_is_not_waited_for(answers_folder, make):
    answers_folder.mkdir()
    make(answers_folder / "1.2.json")
    assert "not a file" in store.read("1.2", is_item)[1]
    assert "kept as 1.2.damaged1.json" in store.update("1.2", is_item, add("new"))
    assert store.read("1.2", is_item) == (["new"], "")
    with open(os.fsencode(answers_folder) + b"/1.3\xff.json", "w"):
        assert store.names() == ["1.2"]


DEEP = []
for _ in range(1_000_000):
    DEEP = [DEEP]


@pytest.mark.parametrize(
    "item", [object(), "\ud800", "x" * (store.MOST_BYTES + 1), DEEP], ids=["object", "half", "long", "deep"]
)
def test_what_cannot_be_written_gives_a_note_and_changes_nothing(answers_folder, item):
    for old in ("old", "older"):
        store.update("1.2", is_item, add(old))
    assert "not kept" in store.update("1.2", is_item, add(item))
    assert store.read("1.2", is_item) == (["old", "older"], "")
    assert store.update("1.2", is_item, add("new")) == ""


def test_a_home_that_nobody_has_is_named(monkeypatch):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", "~nobody-has-this/a")
    assert "COURSE_ANSWERS_DIR" in store.update("1.2", is_item, add("a"))
    with pytest.raises(CourseError, match="no such home"):
        store.names()


def test_a_full_file_loses_its_oldest_answers(answers_folder, monkeypatch):
    assert store.MOST_BYTES >= 200 * front._LONGEST_SOURCE
    monkeypatch.setattr(store, "MOST_BYTES", 331)
    for number in range(13):
        assert store.update("1.2", is_item, add(f"{number:02}" + "배" * 17)) == ""
    items, note = store.read("1.2", is_item)
    assert note == ""
    assert 3 <= len(items) < 13
    assert [int(item[:2]) for item in items] == list(range(13 - len(items), 13))
    assert (answers_folder / "1.2.json").stat().st_size <= 331


def test_a_full_disk_leaves_the_old_answers(answers_folder, monkeypatch):
    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    store.update("1.2", is_item, add("old"))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        assert "the disk is full" in store.update("1.2", is_item, add("new"))
    assert store.read("1.2", is_item) == (["old"], "")
    assert list(answers_folder.glob(".*.part")) == []


KERNEL = """
import sys
from course.check import store
print("ready", flush=True)
sys.stdin.readline()
for n in range(23):
    assert not store.update("1.2", lambda item: True, lambda items: [*items, sys.argv[1] + str(n)])
"""


def test_kernels_writing_at_once_lose_nothing(answers_folder):
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    kernels = [subprocess.Popen([sys.executable, "-c", KERNEL, name], **pipes) for name in "abc"]
    assert [kernel.stdout.readline() for kernel in kernels] == ["ready\n"] * 3
    for kernel in kernels:  # all are imported and waiting: now they write at the same time
        kernel.stdin.write("go\n")
        kernel.stdin.flush()
    for kernel in kernels:
        kernel.communicate(timeout=120)
    assert [kernel.returncode for kernel in kernels] == [0, 0, 0]
    items = json.loads((answers_folder / "1.2.json").read_text(encoding="utf-8"))["items"]
    assert sorted(items) == sorted(f"{name}{n}" for name in "abc" for n in range(23))
