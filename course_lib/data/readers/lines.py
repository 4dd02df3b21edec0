"""Text on the disk: files plain or compressed, line by line with numbers for errors, and whole folders or archives.

Nothing is ever unpacked onto the disk, so a path inside an archive is a name and leads nowhere.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import BinaryIO

from course_lib.errors import CourseError

OPENERS = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError)
MAX_FILE_BYTES = 16 << 20  # the largest review and the largest sense file are far below
MAX_TOTAL_BYTES = 1 << 30
MAX_FILES = 500_000
_ARCHIVE_DAMAGE = (tarfile.TarError, zipfile.BadZipFile, RuntimeError)  # RuntimeError: zipfile's word for a password
_MAGIC = {b"\xfd7zXZ\0": lzma.open, b"\x1f\x8b": gzip.open, b"BZh": bz2.open}
_END = 1024  # a tar archive ends with two blocks of zeros


def unpacked(path: str | Path) -> BinaryIO:
    """Open a file for bytes, unpacked (.xz, .gz, .bz2) by what it begins with, whatever its name."""
    path = Path(os.path.expanduser(path))
    if not path.is_file():
        raise CourseError(f"There is no file {path}. Check the path, or fetch the data set (`course data get`).")
    with open(path, "rb") as file:
        begin = file.read(6)
    opener = next((opener for magic, opener in _MAGIC.items() if begin.startswith(magic)), open)
    return io.BufferedReader(opener(path, "rb"))


def numbered_lines(path: str | Path, stream: BinaryIO | None = None) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end), one line in memory at a time; a byte-order mark is dropped.

    stream: is read in place of the file, and stays open; `path` then only says what it is.
    """
    number = 0
    try:  # bytes: the line of a fault is then known
        with contextlib.nullcontext(stream) if stream else unpacked(path) as file:
            for number, line in enumerate(file, 1):
                line = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                yield number, line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8")
    except UnicodeDecodeError as error:
        raise CourseError(
            f"{path}, line {number}, is not UTF-8: byte {error.object[error.start]:#04x} in column {error.start + 1}. "
            "Save the file as UTF-8."
        ) from None
    except DAMAGE as error:
        raise CourseError(f"{path}, near line {number + 1}, is damaged: {error}. Fetch it again.") from error


def text_files(path: str | Path) -> Iterator[tuple[PurePosixPath, str]]:
    """(path inside, text) of every .txt file below a folder or in a .tar (.gz, .bz2, .xz) or .zip.

    Archives are read in their own order. Links and what is `hidden` are passed over. Raises CourseError for damage,
    text that is not UTF-8, and for more than these limits allow: a small archive can hold endless text.
    """
    path = Path(os.path.expanduser(path))
    total, place = 0, path
    contents = _from_folder(path) if path.is_dir() else _from_archive(path)
    try:
        for count, (name, size, read) in enumerate(contents, 1):
            total, place = total + size, f"{path}, file {name}"
            is_text = name.suffix.lower() == ".txt"
            if (is_text and size > MAX_FILE_BYTES) or total > MAX_TOTAL_BYTES or count > MAX_FILES:
                raise CourseError(
                    f"{place}: more text than expected ({count} files, {total / 1e6:.0f} MB so far). Allowed are "
                    f"{MAX_FILES} files, {MAX_FILE_BYTES >> 20} MB each. Check that it is the right archive."
                )
            if is_text:
                yield name, read().decode("utf-8-sig")
    except (*_ARCHIVE_DAMAGE, *DAMAGE) as error:
        raise CourseError(
            f"{place}: damaged, locked, not UTF-8, or neither a tar nor a zip archive ({error}). Fetch it again, save "
            "it as UTF-8, or unpack it and name the folder."
        ) from error


def _from_folder(path: Path) -> Iterator:
    for file in sorted(path.rglob("*.[tT][xX][tT]")):
        name = PurePosixPath(file.relative_to(path).as_posix())
        if file.is_file() and not file.is_symlink() and not hidden(name):
            yield name, file.stat().st_size, file.read_bytes


def _from_archive(path: Path) -> Iterator:
    with unpacked(path) as file:
        if file.peek(2).startswith(b"PK"):
            yield from _from_zip(path)
            return
        stream = _Tail(file)
        with tarfile.open(fileobj=stream, mode="r|") as archive:  # forward only, one member in memory
            for member in archive:
                name = PurePosixPath(member.name)
                if member.isreg() and not hidden(name):
                    yield name, member.size, archive.extractfile(member).read
        while stream.read(1 << 16):  # to the end, where a packed file that was cut short shows
            pass
        if stream.last.strip(b"\0") or len(stream.last) < _END:
            raise tarfile.ReadError("its end is missing")


def _from_zip(path: Path) -> Iterator:
    with zipfile.ZipFile(path) as archive:
        for name, member in zip_members(archive):
            if not stat.S_ISLNK(member.external_attr >> 16):
                yield name, member.file_size, partial(archive.read, member)


def hidden(path: PurePath) -> bool:
    """Whether a system left this, not a person: .DS_Store, a Mac's ._ files and __MACOSX. `path` begins at what the
    reader named: whatever is above that may begin with a dot."""
    return any((part.startswith(".") and part != "..") or part == "__MACOSX" for part in path.parts)


def zip_members(archive: zipfile.ZipFile) -> Iterator[tuple[PurePosixPath, zipfile.ZipInfo]]:
    """The files in a zip archive that are not hidden, by their path.

    Names that are not marked as UTF-8 are UTF-8 all the same (a Mac's), Korean (Windows'), or as zipfile reads them.
    """
    for member in archive.infolist():
        name = member.filename
        if not member.flag_bits & 0x800:
            for encoding in ("utf-8", "euc-kr"):  # a letter of Western Europe alone is valid in neither
                with contextlib.suppress(UnicodeError):
                    name = name.encode("cp437").decode(encoding)
                    break
        path = PurePosixPath(name.replace("\\", "/"))
        if path.name and not name.endswith("/") and not hidden(path):
            yield path, member


class _Tail:
    """A stream that remembers its last bytes: tarfile takes an archive that breaks off for one that ends."""

    def __init__(self, file) -> None:
        self.file, self.last = file, b""

    def read(self, size: int) -> bytes:
        piece = self.file.read(size)
        self.last = (self.last + piece)[-_END:]
        return piece
