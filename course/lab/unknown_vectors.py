"""A table of word vectors that takes care of words it lacks: one row for all, or a vector of their own.

Source: Dhingra et al. 2017, "A Comparative Study of Word Embeddings for Reading Comprehension", arXiv:1703.00993.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.data.batch import Batch, pad, word_batch
from course_lib.data.records import Sentence
from course_lib.models.encoder import FIRST_WORD, PADDING, UNKNOWN, Encoding, StaticVectors, masked_mean
from course_lib.models.word_vectors import WordVectors

_STATIC = 0  # the draw that is used outside training


def type_key(word: str, seed: int = 0) -> int:
    """A number from 1 to 2**63 - 1 that is this word's own: the same on every machine, another with another seed.

    Two of a million different words share a key with a probability below one in ten million.
    """
    data = f"{seed}\t{word}".encode("utf-8", errors="surrogatepass")
    return 1 + int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "big") % (2**63 - 1)


class UnknownVectors(StaticVectors):
    """StaticVectors in which `unknown` says what a word gets that the table lacks, also in lower case:

    "unk"  one trainable row for all, at first the mean of the table
    "own"  a random vector of its own, no parameter. In eval mode it depends on the word and `seed` alone. In training,
           also where the table is frozen, it is drawn anew for each batch, the same wherever the word stands in it: a
           reader cannot learn the vectors by heart, only that equal vectors mean the same word

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
        assert unknown in ("unk", "own"), unknown
        super().__init__(words, vectors)
        self.unknown, self.redraw, self.seed = unknown, redraw, seed
        spread = float(self.embedding.weight[FIRST_WORD:].detach().square().mean().sqrt())
        self.std = (spread or 1.0) if std is None else std
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
        settings = {name: getattr(self, name) for name in ("unknown", "redraw", "seed", "std")}
        table = UnknownVectors([*self.words, *new], torch.cat([old[FIRST_WORD:], given.vectors[rows]]), **settings)
        with torch.no_grad():
            table.embedding.weight[:FIRST_WORD] = old[:FIRST_WORD]
        return table.to(self.device).eval()

    def row(self, word: str) -> int | None:
        """The table row of a word, known or not; None for a new word that has no row but a vector of its own."""
        row = super().row(word)
        return None if row == UNKNOWN and self.unknown == "own" else row

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


def own_vectors(keys: Int[Tensor, " type"], dim: int, draw: int) -> Float[Tensor, "type dim"]:
    """A standard normal vector per key, a function of key, draw and dim alone: whoever stands beside it, and where.

    Philox is a generator made for this: it turns a pair of numbers into a stream (Salmon et al. 2011).
    """
    rows = [np.random.Generator(np.random.Philox(key=[key, draw])).standard_normal(dim) for key in keys.tolist()]
    return torch.from_numpy(np.array(rows, dtype=np.float32).reshape(len(rows), dim))
