"""A text as skip-gram training reads it: one long row of word ids, thinned out anew each epoch and cut into blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, repeat

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.data.records import Sentence
from course_lib.errors import CourseError
from course_lib.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class TokenRow:
    """All known words of a text in order. Unknown words are gone before windows are laid, as in word2vec."""

    ids: Int[Tensor, " token"]
    sentence: Int[Tensor, " token"]  # number of the sentence each token belongs to

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Layout:
    """How a step's tokens are cut: chunks of `chunk` centres; contexts reach `window` tokens beyond a chunk."""

    chunks: int
    chunk: int
    window: int

    @property
    def centres(self) -> int:
        return self.chunks * self.chunk


@dataclass(frozen=True)
class Blocks:
    """An epoch's text in equal pieces, one for each step. Block k: its centres and `window` tokens on either side."""

    ids: Int[Tensor, " token"]
    sentence: Int[Tensor, " token"]
    layout: Layout

    def __len__(self) -> int:
        return (len(self.ids) - 2 * self.layout.window) // self.layout.centres

    def __getitem__(self, number: int) -> tuple[Int[Tensor, " token"], Int[Tensor, " token"]]:
        start = number * self.layout.centres
        end = start + self.layout.centres + 2 * self.layout.window
        return self.ids[start:end].long(), self.sentence[start:end]  # long: index_add_ is twice as fast with it

    def to(self, device: torch.device) -> Blocks:
        return Blocks(self.ids.to(device), self.sentence.to(device), self.layout)


def encode_sentences(sentences: Iterable[Sequence[str] | Sentence], vocabulary: Vocabulary) -> TokenRow:
    """Words to ids in one pass. Raises CourseError for a str in place of a list, and if there is no pair of words."""
    lengths: list[int] = []

    def words_and_lengths() -> Iterator[Sequence[str]]:
        for sentence in sentences:
            words = getattr(sentence, "words", sentence)
            if isinstance(words, str):
                raise CourseError(f"{words[:40]!r} is a string, not a list of words. Use split_words(text) first.")
            lengths.append(len(words))
            yield words

    # map, chain and fromiter loop in C: 4 times as fast as a list of ids per sentence.
    id_of = dict(vocabulary.index).get
    every_word = chain.from_iterable(words_and_lengths())
    ids = torch.from_numpy(np.fromiter(map(id_of, every_word, repeat(-1)), dtype=np.int32))
    sentence = torch.repeat_interleave(torch.arange(len(lengths), dtype=torch.int32), torch.tensor(lengths))
    known = ids >= 0
    row = TokenRow(ids[known], sentence[known])
    if not (row.sentence[1:] == row.sentence[:-1]).any():
        raise CourseError(
            f"Skip-gram found no pair of words: none of {len(lengths)} sentences holds two of the "
            f"{len(vocabulary)} words of the vocabulary. Use longer sentences, a longer text or a smaller min_count."
        )
    return row


def thin_out(text: TokenRow, keep: Float[Tensor, " word"], layout: Layout, generator: torch.Generator) -> Blocks:
    """Drop tokens at random (`keep`: probability to stay, per word), then cut the rest into blocks of the layout.

    What is left moves together, so windows reach further past dropped words: word2vec does the same.
    """
    kept = torch.rand(len(text), generator=generator) < keep[text.ids]
    ids, sentence = text.ids[kept], text.sentence[kept]
    to_fill = -len(ids) % layout.centres
    before, after = layout.window, to_fill + layout.window
    # Each token of the filling is a sentence of its own (negative number), so that no pair holds one.
    filling = -1 - torch.arange(before + after, dtype=sentence.dtype)
    return Blocks(F.pad(ids, (before, after)), torch.cat([filling[:before], sentence, filling[before:]]), layout)
