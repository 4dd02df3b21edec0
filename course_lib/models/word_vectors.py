"""Word vectors as a finished thing: a table to ask for similar words and analogies, and word2vec's file format.

Cosine throughout: v . w / (|v| |w|), between -1 and 1; 0 where one of the two vectors is all zeros. The file format,
text and binary, is the one that every program for word vectors reads:

    text      "V d\\n", then V lines: word, space, d numbers with a space between
    binary    "V d\\n", then V times: word, space, d little-endian float32 (word2vec.c adds "\\n", gensim does not)

Read are also files without a header (GloVe), with tabs, commas or several spaces between the numbers, and packed ones.
Lines are counted from 1, the header; in a binary file word i counts as line i + 1.
"""

from __future__ import annotations

import contextlib
import difflib
import io
import json
import re
import unicodedata
from array import array
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice, takewhile
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.arrays import numbers
from course_lib.checkpoints import opened, save_checkpoint
from course_lib.data.readers.lines import DAMAGE, OPENERS, unpacked
from course_lib.errors import CourseError
from course_lib.files import atomic_file, compact_json, given_path
from course_lib.language import key, t

_SPELLINGS = 20_000  # words compared when an unknown word's nearest spellings are looked for: 0.1 s
_ROWS = 10_000  # normed at a time, in double precision


class WordVectors:
    """One vector per word. `.words` list of str, `.vectors` float32 tensor [V, d] on the CPU, in the same order.

    index   dict: word -> row
    counts  list of int or None: how often each word was seen
    The table is a copy of what was given and is not to be changed.
    """

    def __init__(
        self, words: Iterable[str], vectors: Tensor | np.ndarray | Sequence, counts: Iterable[int] | None = None
    ):
        self.words = list(map(str, words))
        table = np.array(numbers("WordVectors: the vectors", vectors, np.float32))
        self.vectors: Float[Tensor, "word dim"] = torch.from_numpy(table)
        self.counts = None if counts is None else [int(count) for count in counts]
        self.index = {word: row for row, word in enumerate(self.words)}
        shape = tuple(self.vectors.shape)
        if self.vectors.ndim != 2 or len(self.words) != shape[0] or 0 in shape:
            raise CourseError(
                f"WordVectors: {len(self.words)} words and vectors of shape {shape}. "
                "Give at least one word, and one row of at least one number per word."
            )
        if len(self.index) != len(self.words):
            twice = next(word for row, word in enumerate(self.words) if self.index[word] != row)
            raise CourseError(f"WordVectors: the word {twice[:60]!r} stands twice in the list. Keep one row of each.")
        low, high = self.vectors.aminmax(dim=1)  # NaN shows in both, without a second table
        finite = low.isfinite() & high.isfinite()
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
        word = str(word)
        for form in ("NFC", "NFD"):  # the same to the eye: a Mac's file names and what is typed there are often NFD
            if (same := unicodedata.normalize(form, word)) in self:
                raise CourseError(
                    f"{word[:60]!r} is not among these words, but {same[:60]!r} is, which looks the same and is "
                    f"written with other characters ({form}). Ask for unicodedata.normalize({form!r}, word)."
                )
        near = [other for other in self.words[:_SPELLINGS] if abs(len(other) - len(word)) <= 2]
        spellings = ", ".join(map(repr, difflib.get_close_matches(word, near, n=3)))
        if spellings:
            says = t("Nearest spellings: {spellings}.", spellings=spellings)
        else:
            says = t("Check with `word in vectors`, or try lower case.")
        missing = t("{word} is not among the {n} words of these vectors.", word=repr(word[:60]), n=len(self))
        raise CourseError(f"{missing} {says}")

    @cached_property
    def unit(self) -> Float[Tensor, "word dim"]:
        """The table with every row of length 1 (or 0), so that a dot product is a cosine."""
        rows = torch.empty_like(self.vectors)
        for some, unit in zip(self.vectors.split(_ROWS), rows.split(_ROWS), strict=True):
            unit.copy_(torch.nn.functional.normalize(some.double(), dim=1))
        return rows

    def similarity(self, a: str, b: str) -> float:
        """The cosine of two words; 1 for a word and itself."""
        first, second = self[a].double(), self[b].double()
        lengths = (first @ first).sqrt() * (second @ second).sqrt()
        return float((first @ second / lengths).clamp(-1, 1)) if lengths > 0 else 0.0

    def neighbours(self, word: str, k: int = 10) -> list[tuple[str, float]]:
        """The k words with the largest cosine to `word`, without itself; all others if there are fewer than k."""
        return self.nearest(self.unit[self.row(word)], k, exclude=[word])

    def analogy(self, a: str, b: str, c: str, k: int = 5) -> list[tuple[str, float]]:
        """The k words nearest to a - b + c, but these three: `analogy("king", "man", "woman")`.

        The three vectors are brought to length 1 first (3CosAdd: Levy and Goldberg 2014, section 3).
        """
        unit = self.unit
        target = unit[self.row(a)] - unit[self.row(b)] + unit[self.row(c)]
        return self.nearest(target, k, exclude=[a, b, c])

    def nearest(
        self, vector: Float[Tensor, " dim"], k: int = 10, *, exclude: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """The k words whose vectors have the largest cosine to any `vector`, as (word, cosine), largest first."""
        cosines = self.unit @ torch.nn.functional.normalize(vector.float(), dim=0)
        cosines[[self.row(word) for word in exclude]] = -torch.inf
        best = cosines.topk(min(k, len(self) - len(set(exclude))))
        return [(self.words[row], cosine) for cosine, row in zip(*map(Tensor.tolist, best), strict=True)]

    def save_word2vec(self, path: str | Path, binary: bool | None = None) -> None:
        """Write word2vec's format, which gensim and others read; counts are not part of it.

        binary=None: binary for a name that ends in .bin (or .bin.gz), else text. Packed for an ending .gz, .xz, .bz2.
        Written whole or not at all.
        """
        path, vectors = given_path(path), self.vectors.numpy()
        packs = path.suffix.lower() in OPENERS
        if binary is None:
            binary = (path.stem if packs else path.name).endswith(".bin")
        bad = re.compile("[\n \ud800-\udfff]" if binary else "[\n\ud800-\udfff]")  # half a character has no UTF-8
        if word := next(filter(bad.search, self.words), None):
            raise CourseError(
                f"The word {word[:60]!r} cannot stand in a {'binary' if binary else 'text'} word2vec file: it holds a "
                f"{'space' if ' ' in word and binary else 'line break or half a character'}. "
                "Replace that character by '_', use text instead of binary, or save(folder), which holds any word."
            )
        row = " ".join(["%.9g"] * vectors.shape[1]) + "\n"  # nine digits give every float32 back exactly
        packed = OPENERS[path.suffix.lower()] if packs else (lambda file, _: contextlib.nullcontext(file))
        with atomic_file(path) as whole, packed(whole, "wb") as file:
            file.write(f"{len(self)} {vectors.shape[1]}\n".encode())
            for word, vector in zip(self.words, vectors, strict=True):
                numbers = vector.astype("<f4").tobytes() if binary else (row % tuple(vector.tolist())).encode()
                file.write(word.encode() + b" " + numbers)

    @classmethod
    def load_word2vec(cls, path: str | Path, *, limit: int | None = None) -> WordVectors:
        """Read word2vec's text or binary format, told apart by content; also GloVe's text, and packed files.

        limit: read so many rows only, the first, which in published files are the most frequent words.
        Of a word that stands twice the first row is kept, bytes that are not UTF-8 become U+FFFD; both are said.
        """
        return cls(*read_word2vec(path, limit))

    def save(self, folder: str | Path, *, int8: bool = False) -> None:
        """Write a checkpoint folder with words, counts and vectors; `int8`: a byte per number, a scale per word."""
        config, tensors = {"dim": self.vectors.shape[1], "words": len(self)}, {"vectors": self.vectors}
        files = {"words.json": compact_json({"words": self.words, "counts": self.counts})}
        few_bits = ["vectors"] if int8 else []
        save_checkpoint(folder, kind="word-vectors", config=config, tensors=tensors, files=files, int8=few_bits)

    @classmethod
    def load(cls, folder: str | Path) -> WordVectors:
        """Read what `save` wrote."""
        with opened(folder, "word-vectors", "table of word vectors") as checkpoint:
            words = json.loads(checkpoint.files["words.json"])
            return cls(words["words"], checkpoint.tensors["vectors"], words["counts"])


_LONGEST = 4 << 20  # bytes of a line, or of a word in a binary file; what is longer is no word2vec file
_MOST_DIMENSIONS = 1 << 16
_BOM = b"\xef\xbb\xbf"
_REMEDY = "The file is damaged, cut short or in another format: get or write it again."
_NUMBER = rb"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|(?i:nan|inf|infinity))"


def read_word2vec(path: str | Path, limit: int | None = None) -> tuple[list[str], np.ndarray]:
    """The words and the vectors [V, d] float32 of a file of either kind, packed or not; of its first `limit` rows."""
    words: dict[str, None] = {}  # a set that keeps the order
    table, first, row, cut = bytearray(), 1, 0, 0
    try:
        with unpacked(path) as file:
            promised, dim, records = _begin(file)
            first += promised is not None  # the line of the first row
            for raw, vector in islice(records, limit):
                if row == promised:
                    raise ValueError(f"the header promises {promised} words, but more follow")
                word = raw.decode(errors="replace")
                if not np.isfinite(vector).all():
                    raise ValueError(f"the vector of {word[:60]!r} holds NaN or infinity")
                if word and word not in words:
                    words[word] = None
                    table += vector.tobytes()
                row, cut = row + 1, cut + (word.encode() != raw)
        if not words or row < min(promised or 0, limit or row + 1):
            raise ValueError(f"the file ends after {row} of the {promised} words that its header promises")
        if cut > row / 2:
            raise ValueError(f"{cut} of {row} words are not UTF-8")
        # One word may be like "Apollo 11"; if all are, their last numbers belong to the vectors.
        if len(words) > 1 and all(" " in word and _numbers_at_end(word.encode()) for word in words):
            raise ValueError(f"the header promises {dim} dimensions, but every line has more numbers")
    except (ValueError, *DAMAGE) as error:
        raise CourseError(f"{path}, line {first + row}: {error}. {_REMEDY}") from error
    notes = {
        key("{path}: {n} of {rows} words are not UTF-8; where their bytes are no letter stands U+FFFD."): cut,
        key("{path}: {n} of {rows} rows are left out, whose word is empty or stood there before."): row - len(words),
    }
    for note, n in notes.items():
        if n:
            print(t(note, path=path, n=n, rows=row))
    if len(words) > 1 and sum(word.endswith((" ", "\t")) for word in words if word.strip()) > len(words) / 2:
        words = dict.fromkeys(word.rstrip(" \t") or word for word in words)  # filled up, so that numbers stand below
    return list(words), np.frombuffer(table, dtype=np.float32).reshape(-1, dim)


def _begin(file: io.BufferedReader) -> tuple[int | None, int, Iterator]:
    """How many words the header promises (None: there is no header), dimensions, and (word, vector) of every row."""
    line, start = file.readline(_LONGEST), 0
    if line.startswith(_BOM):
        line, start = line.removeprefix(_BOM), len(_BOM)
    fields = line.replace(b",", b" ").split()
    promised, dim = None, _numbers_at_end(line)
    if len(fields) == 2 and all(field.isdigit() and len(field) < 19 for field in fields):
        promised, dim = map(int, fields)
        start, line = file.tell(), file.readline(_LONGEST)
    # A line of text ends in numbers, whatever stands between them; raw bytes hardly ever look so.
    between = rb"(?:[\s,;:|]+%s){%d}[\s,;|]*\Z" % (_NUMBER, min(dim, 2))
    is_text = re.search(between, line.rstrip()[-200:])
    foreign = promised is None and (not is_text or re.search(b"[\0\r].", line))
    if foreign or promised == 0 or not 0 < dim <= _MOST_DIMENSIONS:
        raise ValueError(
            "a word2vec file begins with its number of words and of dimensions, such as '400000 100', or, without them "
            "(GloVe), with a word and its numbers; lines end in line feeds, and a .zip must be unpacked first"
        )
    file.seek(start)
    return promised, dim, (_text_rows if is_text else _binary_rows)(file, dim)


def _numbers_at_end(line: bytes) -> int:
    """How many numbers stand at the end of a line, after its word."""
    fields = re.split(rb"[\s,]+", line.rstrip(b" \t\r\n,"))
    return sum(1 for _ in takewhile(re.compile(_NUMBER).fullmatch, reversed(fields[1:])))


def _text_rows(file: io.BufferedReader, dim: int) -> Iterator[tuple[bytes, array]]:
    """Word and vector. Like the other reader's, its ValueError says what is wrong with the line that comes next."""
    for line in filter(None, map(bytes.rstrip, iter(partial(file.readline, _LONGEST), b""))):
        word, *numbers = line.rsplit(b" ", dim)  # from the right: a word may hold spaces
        try:
            vector = array("f", map(float, numbers))
        except ValueError:
            vector = array("f")
        if len(vector) < dim:  # something else than single spaces; the word stays as it is
            if (found := _numbers_at_end(line)) < dim:
                raise ValueError(
                    f"{found} numbers instead of {dim}; they end the line, with spaces, tabs or commas between"
                )
            rest, *numbers = (b"." + line.replace(b",", b" ")).rsplit(None, dim)
            word, vector = line[: len(rest) - 1], array("f", map(float, numbers))
        yield word, vector


def _binary_rows(file: io.BufferedReader, dim: int) -> Iterator[tuple[bytes, np.ndarray]]:
    while True:
        word = b""
        while (ahead := file.peek()) and b" " not in ahead and len(word) < _LONGEST:
            word += file.read(len(ahead))
        word = (word + file.read(ahead.find(b" ") + 1)).lstrip(b"\n")  # word2vec.c ends each row with a line feed
        if not word:
            return
        numbers = file.read(4 * dim)
        if len(numbers) < 4 * dim:
            raise ValueError(f"the file ends inside this word and its {dim} binary numbers")
        if b"\n" in word:
            raise ValueError("a line feed stands in this word, so the numbers before it are not as the header says")
        yield word[:-1], np.frombuffer(numbers, dtype="<f4").astype(np.float32)
