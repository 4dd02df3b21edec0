"""Small text files in a folder or in a tar archive, read one by one. Nothing is ever unpacked onto the disk."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tarfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from course_lib.data.readers.lines import DAMAGE
from course_lib.errors import CourseError

MAX_FILE_BYTES = 16 << 20  # the largest review and the largest sense file are far below
MAX_TOTAL_BYTES = 1 << 30
MAX_FILES = 500_000
_MAGIC = {b"\xfd7zXZ\0": lzma.open, b"\x1f\x8b": gzip.open, b"BZh": bz2.open}
_END = 1024  # a tar archive ends with two blocks of zeros


def text_files(path: str | Path) -> Iterator[tuple[PurePosixPath, str]]:
    """(path inside, text) of every .txt file below a folder or in a .tar (.gz, .bz2, .xz), archives in their own order.

    Links are passed over. Raises CourseError for damage, text that is not UTF-8, paths that lead outside, and for
    more than these limits allow: a small archive can hold endless text.
    """
    path = Path(path)
    total = 0
    contents = _from_folder(path) if path.is_dir() else _from_tar(path)
    for count, (name, size, read) in enumerate(contents, 1):
        total += size
        if size > MAX_FILE_BYTES or total > MAX_TOTAL_BYTES or count > MAX_FILES:
            raise CourseError(
                f"{path}, file {name}: more text than expected ({count} files, {total / 1e6:.0f} MB so far). "
                f"Allowed are {MAX_FILES} files, {MAX_FILE_BYTES >> 20} MB each. Check that it is the right archive."
            )
        if name.suffix == ".txt":
            try:
                yield name, read().decode("utf-8")
            except UnicodeDecodeError as error:
                raise CourseError(f"{path}, file {name}: not UTF-8 ({error}). Save it as UTF-8.") from error
            except (tarfile.TarError, *DAMAGE) as error:
                raise CourseError(f"{path}, file {name}: damaged ({error}). Fetch it again.") from error


def _from_folder(path: Path) -> Iterator:
    for file in sorted(path.rglob("*.txt")):
        if file.is_file() and not file.is_symlink():
            yield PurePosixPath(file.relative_to(path).as_posix()), file.stat().st_size, file.read_bytes


def _from_tar(path: Path) -> Iterator:
    if not path.is_file():
        raise CourseError(f"There is no file or folder {path}. Check the path, or fetch it (`course data get`).")
    try:
        with _opener(path)(path, "rb") as file:
            stream = _Tail(file)
            with tarfile.open(fileobj=stream, mode="r|") as archive:  # forward only, one member in memory
                for member in archive:
                    name = PurePosixPath(member.name)
                    if name.is_absolute() or ".." in name.parts:
                        raise CourseError(f"{path} holds the path {member.name!r}, which leads outside. Do not use it.")
                    if member.isreg():
                        yield name, member.size, archive.extractfile(member).read
            while stream.read(1 << 16):  # to the end, where a packed file that was cut short shows
                pass
    except (tarfile.TarError, *DAMAGE) as error:
        raise CourseError(f"{path} is damaged or no tar archive: {error}. Fetch it again.") from error
    if stream.last.strip(b"\0") or len(stream.last) < _END:
        raise CourseError(f"{path} is damaged: its end is missing. Fetch it again.")


def _opener(path: Path):
    """How to open the file, by its first bytes."""
    with open(path, "rb") as file:
        begin = file.read(6)
    return next((opener for magic, opener in _MAGIC.items() if begin.startswith(magic)), open)


class _Tail:
    """A stream that remembers its last bytes: tarfile takes an archive that breaks off for one that ends."""

    def __init__(self, file) -> None:
        self.file, self.last = file, b""

    def read(self, size: int) -> bytes:
        piece = self.file.read(size)
        self.last = (self.last + piece)[-_END:]
        return piece
