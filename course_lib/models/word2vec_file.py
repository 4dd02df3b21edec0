"""word2vec's file format, text and binary: the one every program for word vectors reads.

    text      "V d\n", then V lines: word, space, d numbers with a space between
    binary    "V d\n", then V times: word, space, d little-endian float32 (word2vec.c adds "\n", gensim does not)

Lines are counted from 1, the header; in a binary file word i counts as line i + 1.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from course_lib.errors import CourseError
from course_lib.files import atomic_file

_LONGEST_WORD = 1 << 20  # bytes; a longer one means that the file is no word2vec file
_REMEDY = "The file is damaged or was not written completely: get or write it again."


def write_word2vec(path: str | Path, words: Sequence[str], vectors: np.ndarray, *, binary: bool) -> None:
    """Write `words` and `vectors` [V, d] float32. Raises CourseError for a word that the format cannot hold."""
    for word in words:
        if "\n" in word or (binary and " " in word):
            raise CourseError(
                f"The word {word[:60]!r} cannot stand in a {'binary' if binary else 'text'} word2vec file: it holds a "
                f"{'space' if binary and ' ' in word else 'line break'}. "
                "Replace that character by '_', use text instead of binary, or save(folder), which holds any word."
            )
        try:
            word.encode("utf-8")
        except UnicodeEncodeError:
            raise CourseError(f"The word {word[:60]!r} cannot be written as UTF-8. Use save(folder) instead.") from None
    numbers = " ".join(["%.9g"] * vectors.shape[1])  # nine digits give every float32 back exactly
    with atomic_file(path) as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, vectors.astype("<f4"), strict=True):
            file.write(word.encode("utf-8") + b" ")
            file.write(vector.tobytes() if binary else (numbers % tuple(vector.tolist())).encode() + b"\n")


def read_word2vec(path: str | Path, limit: int | None = None) -> tuple[list[str], np.ndarray]:
    """The words and the vectors [V, d] float32 of a file of either kind; of the first `limit` words if given.

    Raises CourseError that names file, line, fault and remedy.
    """
    path = Path(path)
    if limit is not None and limit < 1:
        raise CourseError(f"limit={limit} words of {path}. Use 1 or more, or None for all.")
    try:
        size = os.path.getsize(path)
        with open(path, "rb") as file:
            if size == 0:
                raise CourseError(f"{path} is empty. {_REMEDY}")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
                return _read(path, content, limit)
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Check the name and its permissions.") from error


def _read(path: Path, content: mmap.mmap, limit: int | None) -> tuple[list[str], np.ndarray]:
    n_words, dim, start = _header(path, content)
    records = (_text_records if _is_text(content, start) else _binary_records)(path, content, start, dim)
    n_read = n_words if limit is None else min(limit, n_words)
    words: dict[str, None] = {}  # a set that keeps the order
    vectors = np.empty((n_read, dim), dtype=np.float32)
    for row in range(n_read):
        line = row + 2
        word, vector = next(records, (None, None))
        if word is None:
            raise CourseError(f"{path} ends after {row} of the {n_words} words that its header promises. {_REMEDY}")
        try:
            word = word.decode("utf-8")
        except UnicodeDecodeError:
            raise CourseError(
                f"{path}, line {line}: the word {word[:60]!r} is not UTF-8. "
                "Convert the file to UTF-8, or cut it before this word with limit."
            ) from None
        if not word or word in words:
            fault = f"the word {word[:60]!r} stood there before" if word else "there is no word"
            raise CourseError(f"{path}, line {line}: {fault}. Delete this line and lower the count in line 1.")
        if not np.isfinite(vector).all():
            raise CourseError(f"{path}, line {line}: the vector of {word[:60]!r} holds NaN or infinity. {_REMEDY}")
        words[word], vectors[row] = None, vector
    if n_read > 1 and all(_ends_in_number(word) for word in words):
        raise CourseError(
            f"{path}, line 1: the header promises {dim} dimensions, but every line has more numbers. Correct it."
        )
    if n_read == n_words and next(records, None) is not None:
        raise CourseError(f"{path}, line 1: the header promises {n_words} words, but more follow. Correct the count.")
    return list(words), vectors


def _header(path: Path, content: mmap.mmap) -> tuple[int, int, int]:
    """Number of words, dimensions, and where the first word starts."""
    end = content.find(b"\n", 0, 100)
    fields = content[: max(end, 0)].split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        raise CourseError(
            f"{path}, line 1: {bytes(content[:60])!r} is not the number of words and of dimensions. This is no "
            "word2vec file; for a GloVe file put a first line such as '400000 100' before its text."
        )
    n_words, dim = map(int, fields)
    if not n_words or not dim:
        raise CourseError(f"{path}, line 1: {n_words} words of {dim} dimensions. {_REMEDY}")
    # Checked before any memory is asked for: a number takes two bytes at least ("0 "), a word one.
    if n_words * (2 * dim + 1) > len(content):
        raise CourseError(
            f"{path}, line 1: the header promises {n_words} words of {dim} dimensions, for which {len(content)} bytes "
            f"are too few. {_REMEDY}"
        )
    return n_words, dim, end + 1


def _is_text(content: mmap.mmap, start: int) -> bool:
    """In a text file the first line ends in a space and a number; in a binary one raw bytes stand there."""
    first_line = content[start : start + _LONGEST_WORD].split(b"\n", 1)[0]
    try:
        float(first_line.rstrip().rsplit(b" ", 1)[1])
        return True
    except (IndexError, ValueError):
        return False


def _ends_in_number(word: str) -> bool:
    """Like "Apollo 11". One word may; if all do, the last numbers belong to the vectors."""
    try:
        float(word.rsplit(" ", 1)[1])
        return True
    except (IndexError, ValueError):
        return False


def _text_records(path: Path, content: mmap.mmap, start: int, dim: int) -> Iterator[tuple[bytes, np.ndarray]]:
    content.seek(start)
    for line, record in enumerate(iter(content.readline, b""), start=2):
        fields = record.rstrip(b" \r\n").rsplit(b" ", dim)  # from the right: a word may hold spaces
        try:
            with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused
                word, vector = fields[0], np.array([float(field) for field in fields[1:]], dtype=np.float32)
        except ValueError as error:
            raise CourseError(f"{path}, line {line}: {error}. {_REMEDY}") from None
        if len(vector) != dim:
            raise CourseError(f"{path}, line {line}: {len(vector)} numbers instead of {dim}. {_REMEDY}")
        yield word, vector


def _binary_records(path: Path, content: mmap.mmap, start: int, dim: int) -> Iterator[tuple[bytes, np.ndarray]]:
    line = 2
    while content[start : start + 1] == b"\n":
        start += 1
    while start < len(content):
        space = content.find(b" ", start, start + _LONGEST_WORD)
        end = space + 1 + 4 * dim
        if space < 0 or end > len(content):
            raise CourseError(
                f"{path}, line {line} (word {line - 1} of a binary file): the file ends inside this word. {_REMEDY}"
            )
        yield content[start:space], np.frombuffer(content[space + 1 : end], dtype="<f4")
        start = end + (content[end : end + 1] == b"\n")
        line += 1
