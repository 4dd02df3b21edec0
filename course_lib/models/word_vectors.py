"""Word vectors as a finished thing: a table to ask for similar words, analogies and files.

Cosine throughout: v . w / (|v| |w|), between -1 and 1; 0 where one of the two vectors is all zeros.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.checkpoints import load_checkpoint, save_checkpoint
from course_lib.errors import CourseError
from course_lib.files import compact_json
from course_lib.models.rebuilding import rebuilding
from course_lib.models.word2vec_file import read_word2vec, write_word2vec

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
        """Raises CourseError for repeated or empty words, wrong shapes, NaN and infinite numbers."""
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
        """The cosine of two words; exactly 1 for a word and itself."""
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
        Raises CourseError for a word the format cannot hold (line break; in binary also a space).
        """
        binary = str(path).endswith(".bin") if binary is None else binary
        write_word2vec(path, self.words, self.vectors.numpy(), binary=binary)

    @classmethod
    def load_word2vec(cls, path: str | Path, limit: int | None = None) -> WordVectors:
        """Read word2vec's text or binary format, told apart by content; with `limit` the first words only.

        Raises CourseError with file, line and remedy for anything damaged, truncated or foreign.
        """
        return cls(*read_word2vec(path, limit))

    def save(self, folder: str | Path, *, card: str | None = None, int8: bool = False) -> None:
        """Write a checkpoint folder with words, counts and vectors; `int8`: a byte per number, a scale per word."""
        words = {"words": self.words, "counts": self.counts}
        save_checkpoint(
            folder,
            kind="word-vectors",
            config={"dim": self.vectors.shape[1], "words": len(self)},
            tensors={"vectors": self.vectors},
            files={"words.json": compact_json(words)},
            card=card,
            int8=["vectors"] if int8 else [],
        )

    @classmethod
    def load(cls, folder: str | Path) -> WordVectors:
        """Read what `save` wrote. Raises CourseError for anything damaged or foreign."""
        checkpoint = load_checkpoint(folder)
        if checkpoint.kind != "word-vectors":
            raise CourseError(f"{folder} holds a {checkpoint.kind!r}, not word vectors. Load it with its own class.")
        with rebuilding(folder, "table of word vectors", checkpoint.tensors.values()):
            words = json.loads(checkpoint.files["words.json"].read_text(encoding="utf-8"))
            return cls(words["words"], checkpoint.tensors["vectors"], words["counts"])
