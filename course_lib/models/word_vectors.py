"""Word vectors as a finished thing: a table to ask for similar words and analogies, and word2vec's file format.

Cosine throughout: v . w / (|v| |w|), between -1 and 1; 0 where one of the two vectors is all zeros. The file format,
text and binary, is the one that every program for word vectors reads:

    text      "V d\\n", then V lines: word, space, d numbers with a space between
    binary    "V d\\n", then V times: word, space, d little-endian float32 (word2vec.c adds "\\n", gensim does not)

Lines are counted from 1, the header; in a binary file word i counts as line i + 1.
"""

from __future__ import annotations

import difflib
import json
import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.checkpoints import save_checkpoint
from course_lib.errors import CourseError
from course_lib.files import atomic_file, compact_json
from course_lib.models.encoder import opened

_SPELLINGS = 20_000  # words compared when an unknown word's nearest spellings are looked for: 0.1 s


class WordVectors:
    """One vector per word. `.words` list of str, `.vectors` float32 tensor [V, d] on the CPU, in the same order.

    index   dict: word -> row
    counts  list of int or None: how often each word was seen
    The table is a copy of what was given and is not to be changed.
    """

    def __init__(
        self, words: Iterable[str], vectors: Tensor | np.ndarray | Sequence, counts: Iterable[int] | None = None
    ):
        self.words = list(words)
        table = vectors.detach().float().cpu().numpy() if isinstance(vectors, Tensor) else vectors
        try:
            with np.errstate(over="ignore"):  # beyond float32 becomes infinite, which is refused below
                self.vectors: Float[Tensor, "word dim"] = torch.from_numpy(np.array(table, dtype=np.float32))
        except (TypeError, ValueError) as error:
            raise CourseError(f"WordVectors: the vectors are no table of numbers ({error}). Give [V, d].") from None
        self.counts = None if counts is None else [int(count) for count in counts]
        self.index = {word: row for row, word in enumerate(self.words)}
        shape = tuple(self.vectors.shape)
        if self.vectors.ndim != 2 or len(self.words) != shape[0] or 0 in shape:
            raise CourseError(
                f"WordVectors: {len(self.words)} words and vectors of shape {shape}. "
                "Give at least one word, and one row of at least one number per word."
            )
        if self.counts is not None and len(self.counts) != len(self.words):
            raise CourseError(f"WordVectors: {len(self.words)} words, {len(self.counts)} counts. Give one per word.")
        if bad := [word for word in self.words if not isinstance(word, str) or not word]:
            raise CourseError(f"WordVectors: {bad[0]!r} is not a word. Words are strings of one character or more.")
        if len(self.index) != len(self.words):
            twice = next(word for row, word in enumerate(self.words) if self.index[word] != row)
            raise CourseError(f"WordVectors: the word {twice[:60]!r} stands twice in the list. Keep one row of each.")
        finite = self.vectors.isfinite().all(1)
        if not finite.all():
            row = int(finite.logical_not().nonzero()[0])
            raise CourseError(
                f"WordVectors: the vector of {self.words[row][:60]!r} (row {row}) holds NaN or infinity. "
                "If they were trained here, use a smaller learning rate."
            )

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and word in self.index

    def __repr__(self) -> str:
        return f"WordVectors({len(self)} words, {self.vectors.shape[1]} dimensions)"

    def __getitem__(self, word) -> Float[Tensor, " dim"]:
        """The vector of a word. Raises CourseError with the nearest spellings for a word that is not here."""
        return self.vectors[self.row(word)]

    def row(self, word) -> int:
        """The row of a word, or CourseError with the nearest spellings."""
        if word in self:
            return self.index[word]
        if not isinstance(word, str):
            raise CourseError(f"WordVectors was asked for {word!r}, a {type(word).__name__}. Ask for one word, a str.")
        near = [other for other in self.words[:_SPELLINGS] if abs(len(other) - len(word)) <= 2]
        spellings = ", ".join(map(repr, difflib.get_close_matches(word, near, n=3)))
        raise CourseError(
            f"{word[:60]!r} is not among the {len(self)} words of these vectors. "
            + (f"Nearest spellings: {spellings}." if spellings else "Check with `word in vectors`, or try lower case.")
        )

    @cached_property
    def unit(self) -> Float[Tensor, "word dim"]:
        """The table with every row of length 1 (or 0), so that a dot product is a cosine."""
        return torch.nn.functional.normalize(self.vectors.double(), dim=1).float()

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two words; 1 for a word and itself."""
        first, second = self[a].double(), self[b].double()
        lengths = (first @ first).sqrt() * (second @ second).sqrt()
        return float((first @ second / lengths).clamp(-1, 1)) if lengths > 0 else 0.0

    def neighbours(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """The k words with the largest cosine to `word`, without itself; all others if there are fewer than k."""
        return self.nearest(self.unit[self.row(word)], k, exclude=[word])

    def analogy(self, a: str, b: str, c: str, k: int = 5, *, exclude_inputs: bool = True) -> list[tuple[str, float]]:
        """The k words nearest to a - b + c: `analogy("king", "man", "woman")` asks for king - man + woman.

        The three vectors are brought to length 1 first (3CosAdd: Levy and Goldberg 2014, section 3). The three words
        themselves are left out unless `exclude_inputs` is False: then the nearest is often a or c itself.
        """
        unit = self.unit
        target = unit[self.row(a)] - unit[self.row(b)] + unit[self.row(c)]
        return self.nearest(target, k, exclude=[a, b, c] if exclude_inputs else [])

    def nearest(
        self, vector: Float[Tensor, " dim"], k: int = 10, *, exclude: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """The k words whose vectors have the largest cosine to any `vector`, as (word, cosine), largest first."""
        if k < 1:
            raise CourseError(f"Asked for the {k} nearest words. Use k=1 or more.")
        cosines = self.unit @ torch.nn.functional.normalize(vector.float(), dim=0)
        cosines[[self.row(word) for word in exclude]] = -torch.inf
        best = cosines.topk(min(k, len(self) - len(set(exclude))))
        return [(self.words[row], cosine) for cosine, row in zip(*map(Tensor.tolist, best), strict=True)]

    def save_word2vec(self, path: str | Path, binary: bool | None = None) -> None:
        """Write word2vec's format, which gensim and others read; counts are not part of it.

        binary=None: binary for a name that ends in .bin, else text. Written whole or not at all.
        """
        binary = str(path).endswith(".bin") if binary is None else binary
        write_word2vec(path, self.words, self.vectors.numpy(), binary=binary)

    @classmethod
    def load_word2vec(cls, path: str | Path) -> WordVectors:
        """Read word2vec's text or binary format, told apart by content."""
        return cls(*read_word2vec(path))

    def save(self, folder: str | Path, *, card: str | None = None, int8: bool = False) -> None:
        """Write a checkpoint folder with words, counts and vectors; `int8`: a byte per number, a scale per word."""
        config, tensors = {"dim": self.vectors.shape[1], "words": len(self)}, {"vectors": self.vectors}
        files = {"words.json": compact_json({"words": self.words, "counts": self.counts})}
        few_bits = ["vectors"] if int8 else []
        save_checkpoint(
            folder, kind="word-vectors", config=config, tensors=tensors, files=files, card=card, int8=few_bits
        )

    @classmethod
    def load(cls, folder: str | Path) -> WordVectors:
        """Read what `save` wrote."""
        with opened(folder, "word-vectors", "table of word vectors") as checkpoint:
            words = json.loads(checkpoint.files["words.json"].read_text(encoding="utf-8"))
            return cls(words["words"], checkpoint.tensors["vectors"], words["counts"])


_LONGEST_WORD = 1 << 20  # bytes; a longer one means that the file is no word2vec file
_REMEDY = "The file is damaged or was not written completely: get or write it again."


def write_word2vec(path: str | Path, words: Sequence[str], vectors: np.ndarray, *, binary: bool) -> None:
    """Write `words` and `vectors` [V, d] float32."""
    bad = re.compile("[\n \ud800-\udfff]" if binary else "[\n\ud800-\udfff]")  # a lone surrogate has no UTF-8
    if word := next(filter(bad.search, words), None):
        raise CourseError(
            f"The word {word[:60]!r} cannot stand in a {'binary' if binary else 'text'} word2vec file: it holds a "
            f"{'space' if ' ' in word and binary else 'line break or half a character'}. "
            "Replace that character by '_', use text instead of binary, or save(folder), which holds any word."
        )
    numbers = " ".join(["%.9g"] * vectors.shape[1])  # nine digits give every float32 back exactly
    with atomic_file(path) as file:
        file.write(f"{len(words)} {vectors.shape[1]}\n".encode())
        for word, vector in zip(words, vectors.astype("<f4"), strict=True):
            file.write(word.encode() + b" ")
            file.write(vector.tobytes() if binary else (numbers % tuple(vector.tolist())).encode() + b"\n")


def read_word2vec(path: str | Path) -> tuple[list[str], np.ndarray]:
    """The words and the vectors [V, d] float32 of a file of either kind."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return _read(path, content)
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. Check the name and its permissions.") from error
    except ValueError as error:  # of mmap
        raise CourseError(f"{path}: {error}. {_REMEDY}") from None


def _read(path: str | Path, content: mmap.mmap) -> tuple[list[str], np.ndarray]:
    n_words, dim, start = _header(path, content)
    records = (_text_records if _is_text(content, start) else _binary_records)(content, start, dim)
    words: dict[str, None] = {}  # a set that keeps the order
    vectors = np.empty((n_words, dim), dtype=np.float32)
    for row in range(n_words + 1):
        try:
            word, vector = next(records, (None, None))
            if word is None or row == n_words:
                break
            word = word.decode()
            if not word or word in words:
                raise ValueError(f"the word {word[:60]!r} stood there before" if word else "there is no word")
            if not np.isfinite(vector).all():
                raise ValueError(f"the vector of {word[:60]!r} holds NaN or infinity")
        except ValueError as error:  # also what is no number, or not UTF-8
            raise CourseError(f"{path}, line {row + 2}: {error}. {_REMEDY}") from None
        words[word], vectors[row] = None, vector
    if row < n_words:
        raise CourseError(f"{path} ends after {row} of the {n_words} words that its header promises. {_REMEDY}")
    # One word may be like "Apollo 11"; if all are, their last numbers belong to the vectors.
    if n_words > 1 and all(_ends_in_number(word.encode()) for word in words):
        raise CourseError(
            f"{path}, line 1: the header promises {dim} dimensions, but every line has more numbers. Correct it."
        )
    if word is not None:
        raise CourseError(f"{path}, line 1: the header promises {n_words} words, but more follow. Correct the count.")
    return list(words), vectors


def _header(path: str | Path, content: mmap.mmap) -> tuple[int, int, int]:
    """Number of words, dimensions, and where the first word starts."""
    end = content.find(b"\n", 0, 100)
    fields = content[: max(end, 0)].split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        raise CourseError(
            f"{path}, line 1: {bytes(content[:60])!r} is not the number of words and of dimensions. This is no "
            "word2vec file; for a GloVe file put a first line such as '400000 100' before its text."
        )
    n_words, dim = map(int, fields)
    # Checked before any memory is asked for: a number takes two bytes at least ("0 "), a word one.
    if not n_words or not dim or n_words * (2 * dim + 1) > len(content):
        raise CourseError(
            f"{path}, line 1: the header promises {n_words} words of {dim} dimensions, for which {len(content)} bytes "
            f"are too few or too many. {_REMEDY}"
        )
    return n_words, dim, end + 1


def _is_text(content: mmap.mmap, start: int) -> bool:
    """In a text file the first line ends in a space and a number; in a binary one raw bytes stand there."""
    return _ends_in_number(content[start : start + _LONGEST_WORD].split(b"\n", 1)[0].rstrip())


def _ends_in_number(text: bytes) -> bool:
    try:
        float(text.rsplit(b" ", 1)[1])
        return True
    except (IndexError, ValueError):
        return False


def _text_records(content: mmap.mmap, start: int, dim: int) -> Iterator[tuple[bytes, np.ndarray]]:
    """Word and vector. Like the other reader's, its ValueError says what is wrong with the line that comes next."""
    content.seek(start)
    for record in iter(content.readline, b""):
        word, *numbers = record.rstrip(b" \r\n").rsplit(b" ", dim)  # from the right: a word may hold spaces
        if len(numbers) != dim:
            raise ValueError(f"{len(numbers)} numbers instead of {dim}")
        with np.errstate(over="ignore"):  # what float32 cannot hold becomes infinite, and is refused
            yield word, np.array([float(number) for number in numbers], dtype=np.float32)


def _binary_records(content: mmap.mmap, start: int, dim: int) -> Iterator[tuple[bytes, np.ndarray]]:
    while content[start : start + 1] == b"\n":
        start += 1
    while start < len(content):
        space = content.find(b" ", start, start + _LONGEST_WORD)
        end = space + 1 + 4 * dim
        if space < 0 or end > len(content):
            raise ValueError("the file ends inside this word")
        yield content[start:space], np.frombuffer(content[space + 1 : end], dtype="<f4")
        start = end + (content[end : end + 1] == b"\n")
