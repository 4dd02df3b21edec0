"""A table of word vectors that takes care of words it lacks: one row for all, one per class, or a vector of their own.

Source: Dhingra et al. 2017, "A Comparative Study of Word Embeddings for Reading Comprehension", arXiv:1703.00993.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.data.batch import Batch, pad, word_batch
from course_lib.data.records import Sentence
from course_lib.models.encoder import PADDING, Encoding, StaticVectors, masked_mean
from course_lib.models.word_vectors import WordVectors
from course_lib.text.unknown_words import WORD_CLASSES, check_strategy, known_form, type_key, word_class

_STATIC = 0  # the draw that is used outside training


class UnknownVectors(StaticVectors):
    """StaticVectors in which `unknown` says what a word gets that the table lacks, also in lower case:

    "unk"      one trainable row for all, at first the mean of the table
    "classes"  one trainable row per `word_class`, at first the mean of the table's words of that class
    "own"      a random vector of its own, no parameter. In eval mode it depends on the word and `seed` alone. In
               training it is drawn anew for each batch, the same wherever the word stands in it, both sides of a pair
               included: a reader cannot learn the vectors by heart, only that equal vectors mean the same word.
               It is drawn anew even where the table is frozen, as long as the encoder is in training mode.

    redraw  False: "own" vectors stay the same in training as well (for comparison)
    std     spread of each number of an "own" vector; None: the root mean square of the table (1 if it is all zeros)
    """

    kind = "unknown-vectors"

    def __init__(
        self,
        words: Sequence[str],
        vectors: Float[Tensor, "word dim"],
        *,
        unknown: str = "own",
        redraw: bool = True,
        seed: int = 0,
        std: float | None = None,
    ):
        check_strategy(unknown)
        table = WordVectors(words, vectors)
        super().__init__(table.words, table.vectors, _unknown_rows(unknown, table))
        self.unknown, self.redraw, self.seed = unknown, redraw, seed
        self.std = (float(table.vectors.square().mean().sqrt()) or 1.0) if std is None else std
        self._draw = _STATIC

    def extended(self, words: Sequence[str], vectors: Float[Tensor, "word dim"]) -> UnknownVectors:
        """A copy in eval mode that also knows these words, from a larger table: for test time.

        Rows it has already stay. It helps only if both tables share one space: this one must have started from the
        larger one and have been kept frozen, or have moved little.
        """
        given = WordVectors(words, vectors)
        new = [word for word in given.words if word not in self.index]
        rows = [given.index[word] for word in new]
        old = self.embedding.weight.detach().cpu()
        both = torch.cat([old[self.first_word :], given.vectors[rows]])
        table = UnknownVectors([*self.words, *new], both, **self._settings())
        with torch.no_grad():
            table.embedding.weight[: self.first_word] = old[: self.first_word]
        return table.to(self.device).eval()

    def row(self, word: str) -> int | None:
        """The table row of a word, known or not; None for a new word that has no row but a vector of its own."""
        form = known_form(word, self.index)
        if form is not None:
            return self.index[form]
        if self.unknown == "own":
            return None
        return 1 + (WORD_CLASSES.index(word_class(word)) if self.unknown == "classes" else 0)

    def states(self, batch: Batch) -> Encoding:
        # Here and not in _states: the two sides of a pair must share one draw.
        if self.training and self.redraw:
            self._draw = int(torch.randint(1, 2**62, ()))  # torch's generator: `fit` saves it, so a resumed run agrees
        else:
            self._draw = _STATIC
        return super().states(batch)

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        found = [[(word, self.row(word)) for word in sentence.words] for sentence in first]
        rows = [[PADDING if row is None else row for _, row in sentence] for sentence in found]
        keys = [[type_key(word, self.seed) if row is None else 0 for word, row in sentence] for sentence in found]
        return word_batch({"words": pad(rows), "types": pad(keys)}, first)

    def _states(self, batch: Batch) -> Encoding:
        hidden = self.embedding(batch.ids["words"])
        new = batch.ids["types"] != 0
        if self.unknown == "own":
            keys, place = batch.ids["types"][new].unique(return_inverse=True)
            vectors = self.std * own_vectors(keys.cpu(), self.dim, self._draw)
            hidden = hidden.index_put((new,), vectors.to(hidden)[place])
        return Encoding(hidden[None], batch.mask, batch.segment, masked_mean(hidden, batch.mask))

    def _settings(self) -> dict[str, Any]:
        return {"unknown": self.unknown, "redraw": self.redraw, "seed": self.seed, "std": self.std}

    def _config(self) -> dict[str, Any]:
        return super()._config() | self._settings()


def _unknown_rows(unknown: str, table: WordVectors) -> Float[Tensor, "unknown dim"] | None:
    """Where they start from; None: at the mean of the table."""
    if unknown != "classes":
        return None if unknown == "unk" else table.vectors[:0]
    mean, classes = table.vectors.mean(0), torch.tensor([WORD_CLASSES.index(word_class(word)) for word in table.words])
    members = [table.vectors[classes == number] for number in range(len(WORD_CLASSES))]
    return torch.stack([rows.mean(0) if len(rows) else mean for rows in members])


def own_vectors(keys: Int[Tensor, " type"], dim: int, draw: int) -> Float[Tensor, "type dim"]:
    """A standard normal vector per key, a function of key, draw and dim alone: whoever stands beside it, and where.

    Philox is a generator made for this: it turns a pair of numbers into a stream (Salmon et al. 2011).
    """
    rows = [np.random.Generator(np.random.Philox(key=[key, draw])).standard_normal(dim) for key in keys.tolist()]
    return torch.from_numpy(np.array(rows, dtype=np.float32).reshape(len(rows), dim))
