"""Lines of text files, plain or compressed, numbered so that an error can name the place."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path

from course_lib.errors import CourseError

OPENERS = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}
DAMAGE = (OSError, EOFError, lzma.LZMAError, zlib.error, UnicodeDecodeError)


def open_text(path: str | Path):
    """Open a UTF-8 text file, unpacked by its ending (.xz, .gz, .bz2). Raises CourseError if it is not there.

    Line ends are kept as they are: only a line feed ends a line, so a stray carriage return splits nothing.
    """
    path = Path(path)
    if not path.is_file():
        raise CourseError(f"There is no file {path}. Check the path, or fetch the data set (`course data get`).")
    return OPENERS.get(path.suffix.lower(), open)(path, "rt", encoding="utf-8", newline="\n")


def numbered_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """(line number from 1, line without its end), one line in memory at a time; a byte-order mark is dropped.

    Raises CourseError with file and line for what is missing, cut short, damaged or not UTF-8.
    """
    number = 0
    try:
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                line = line.removesuffix("\n").removesuffix("\r")
                yield number, line.removeprefix("\ufeff") if number == 1 else line
    except DAMAGE as error:
        raise CourseError(
            f"{path}, near line {number + 1}, cannot be read: damaged, or not UTF-8 ({error}). "
            "Fetch it again, or save it as UTF-8."
        ) from error
