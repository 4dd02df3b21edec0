"""Lines of files: every packing, line ends, byte-order mark, and every kind of damage named with its place."""

import bz2
import gzip
import lzma

import pytest

from course_lib.data.readers.lines import numbered_lines
from course_lib.errors import CourseError

TEXT = "사과 \tone\r\nline\u2028still two\rand two\n\nlast"
LINES = [(1, "사과 \tone"), (2, "line\u2028still two\rand two"), (3, ""), (4, "last")]


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("a.txt", bytes),
        ("a.conll", bytes),
        ("a.XZ", lzma.compress),
        ("a.xz", lzma.compress),
        ("a.gz", gzip.compress),
        ("a.bz2", bz2.compress),
    ],
)
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_lines_are_as_they_stand(tmp_path, name, pack, mark):
    (tmp_path / name).write_bytes(pack((mark + TEXT).encode()))
    assert list(numbered_lines(tmp_path / name)) == LINES


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("latin.txt", b"one\ntwo\ncaf\xe9\n"),
        ("utf16.txt", "one\n".encode("utf-16")),
        ("cut.xz", lzma.compress(b"one\n" * 99)[:-9]),
        ("cut.gz", gzip.compress(b"one\n" * 99, mtime=0)[:-9]),
        ("cut.bz2", bz2.compress(b"one\n" * 99)[:-9]),
        ("flipped.gz", gzip.compress(b"one\n" * 99, mtime=0)[:-9] + b"123456789"),
        ("plain.xz", b"one\n"),
        ("plain.gz", b"one\n"),
        ("plain.bz2", b"one\n"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",  # the bytes of an archive are no name
)
def test_damage_is_named(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CourseError, match=rf"{name}, near line \d+, cannot be read: damaged, or not UTF-8.*UTF-8"):
        list(numbered_lines(tmp_path / name))


def test_what_is_not_there(tmp_path):
    for path in (tmp_path, tmp_path / "gone.txt"):
        with pytest.raises(CourseError, match="There is no file"):
            list(numbered_lines(path))
