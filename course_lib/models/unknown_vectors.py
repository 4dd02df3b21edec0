"""A table of word vectors that takes care of words it lacks: one row for all, one per class, or a vector of their own.

Source: Dhingra et al. 2017, "A Comparative Study of Word Embeddings for Reading Comprehension", arXiv:1703.00993.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.data.batch import Batch, pad, word_batch
from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.files import compact_json
from course_lib.models.baselines import PADDING, masked_mean
from course_lib.models.encoder import ContextEncoder, Encoding
from course_lib.models.word_vectors import WordVectors
from course_lib.text.unknown_words import WORD_CLASSES, check_strategy, extend, known_form, type_key, word_class
from course_lib.text.vocabulary import Vocabulary

_STATIC = 0  # the draw that is used outside training


class UnknownVectors(ContextEncoder):
    """One layer, the word itself. A word the table lacks is looked up in lower case; if that fails, by `unknown`:

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
    layer_names = ("word",)

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
        super().__init__()
        check_strategy(unknown)
        vectors = WordVectors(words, vectors).vectors  # it says what is wrong with them
        self.vocabulary = Vocabulary(words)
        self.unknown, self.redraw, self.seed = unknown, redraw, seed
        self.std = (float(vectors.square().mean().sqrt()) or 1.0) if std is None else std
        first_rows = torch.cat([vectors.new_zeros(1, vectors.shape[1]), self._unknown_rows(vectors)])
        self.first_word = len(first_rows)
        self.embedding = nn.Embedding.from_pretrained(
            torch.cat([first_rows, vectors]), freeze=False, padding_idx=PADDING
        )
        self.dims = (vectors.shape[1],)
        self.sentence_dim = vectors.shape[1]
        self._draw = _STATIC

    def extended(self, words: Sequence[str], vectors: Float[Tensor, "word dim"]) -> UnknownVectors:
        """A copy in eval mode that also knows these words, from a larger table: for test time.

        Rows it has already stay. It helps only if both tables share one space: this one must have started from the
        larger one and have been kept frozen, or have moved little.
        """
        larger, given = extend(self.vocabulary, words), WordVectors(words, vectors)
        if given.vectors.shape[1] != self.dim:
            raise CourseError(
                f"UnknownVectors.extended: {given.vectors.shape[1]} numbers per word, but this table has {self.dim} "
                f"dimensions. Give {self.dim} per word."
            )
        rows = [given.index[word] for word in larger.words[len(self.vocabulary) :]]
        old = self.embedding.weight.detach().cpu()
        config = {"unknown": self.unknown, "redraw": self.redraw, "seed": self.seed, "std": self.std}
        table = UnknownVectors(larger.words, torch.cat([old[self.first_word :], given.vectors[rows]]), **config)
        with torch.no_grad():
            table.embedding.weight[: self.first_word] = old[: self.first_word]
        return table.to(self.device).eval()

    def row(self, word: str) -> int | None:
        """The table row of a word, known or not; None for a new word that has no row but a vector of its own."""
        form = known_form(word, self.vocabulary)
        if form is not None:
            return self.first_word + self.vocabulary.index[form]
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

    def _unknown_rows(self, vectors: Float[Tensor, "word dim"]) -> Float[Tensor, "unknown dim"]:
        if self.unknown == "own":
            return vectors[:0]
        mean = vectors.mean(0)
        if self.unknown == "unk":
            return mean[None]
        classes = torch.tensor([WORD_CLASSES.index(word_class(word)) for word in self.vocabulary.words])
        members = [vectors[classes == number] for number in range(len(WORD_CLASSES))]
        return torch.stack([rows.mean(0) if len(rows) else mean for rows in members])

    def _batch(self, first: list[Sentence], second: list[Sentence] | None, unit: str) -> Batch:
        rows = [[self.row(word) for word in sentence.words] for sentence in first]
        keys = [
            [
                0 if row is not None else type_key(word, self.seed)
                for word, row in zip(sentence.words, row_ids, strict=True)
            ]
            for sentence, row_ids in zip(first, rows, strict=True)
        ]
        ids = {"words": pad([[row or PADDING for row in row_ids] for row_ids in rows]), "types": pad(keys)}
        return word_batch(ids, first)

    def _states(self, batch: Batch) -> Encoding:
        hidden = self.embedding(batch.ids["words"])
        new = batch.ids["types"] != 0
        if new.any():
            keys, place = batch.ids["types"][new].unique(return_inverse=True)
            vectors = self.std * own_vectors(keys.cpu(), self.dim, self._draw)
            hidden = hidden.index_put((new,), vectors.to(hidden)[place])
        return Encoding(hidden[None], batch.mask, batch.segment, masked_mean(hidden, batch.mask))

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [("word", [self.embedding])]

    def _config(self) -> dict[str, Any]:
        return {
            "dim": self.dim,
            "unknown": self.unknown,
            "redraw": self.redraw,
            "seed": self.seed,
            "std": self.std,
        }

    def _files(self) -> dict[str, str]:
        return {"words.json": compact_json(self.vocabulary.words)}

    @classmethod
    def _build(cls, config: dict[str, Any], files: dict[str, Path]) -> UnknownVectors:
        words, config = json.loads(files["words.json"].read_text(encoding="utf-8")), dict(config)
        return cls(words, torch.zeros(len(words), config.pop("dim")), **config)


def own_vectors(keys: Int[Tensor, " type"], dim: int, draw: int) -> Float[Tensor, "type dim"]:
    """A standard normal vector per key, a function of key, draw and dim alone: whoever stands beside it, and where.

    Philox is a generator made for this: it turns a pair of numbers into a stream (Salmon et al. 2011).
    """
    rows = [np.random.Generator(np.random.Philox(key=[key, draw])).standard_normal(dim) for key in keys.tolist()]
    return torch.from_numpy(np.array(rows, dtype=np.float32).reshape(len(rows), dim))
