"""Rows of pieces for pre-training, all of one length and without padding, cut from running text.

Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1 and appendix A.2: two spans of text that together fill a row,
"sentences" in name only. In half of the rows the second span follows the first one; in the others it is from another
article. Unlike there, a row is never shorter: the ends of articles are only read as parts of rows that begin earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course.recipes.piece_text import PieceText
from course_lib.data.masking import Masking
from course_lib.data.streams import StreamBatch
from course_lib.errors import CourseError
from course_lib.models.bert import MaskedPairs
from course_lib.text.word_pieces import WordPieces


class Places:
    """Where rows of `length` pieces may begin in a text: at sentences with enough of their article behind them."""

    def __init__(self, text: PieceText, length: int):
        """Raises CourseError if fewer than two articles are long enough."""
        self.text, self.length = text, length
        self.shortest, self.longest = (length - 3) // 4, 3 * (length - 3) // 4  # of the first span
        n_sentences = text.documents.diff()
        self.document = torch.repeat_interleave(torch.arange(len(n_sentences)), n_sentences)  # of each sentence
        end = text.sentences[text.documents[1:]][self.document]
        # The second span begins after the first sentence, or `longest` pieces after its beginning, or in between.
        second = torch.maximum(text.sentences[1:], text.sentences[:-1] + self.longest)
        self.allowed = (second + length <= end).nonzero().squeeze(1)
        if len(self.document[self.allowed].unique()) < 2:
            raise CourseError(
                f"Rows of {length} pieces need two articles of {2 * length} pieces or more. Use longer articles, or "
                "a smaller length."
            )

    def seconds(
        self, first: Int[Tensor, " row"], generator: torch.Generator
    ) -> tuple[Int[Tensor, " row"], Int[Tensor, " row"]]:
        """For rows that begin at the sentences `first`: how long the first span is, and where the next one begins.

        The first span is of whole sentences up to a length that is drawn; a sentence longer than that is cut off.
        """
        starts = self.text.sentences
        most = torch.randint(self.shortest, self.longest + 1, first.shape, generator=generator)
        after = torch.searchsorted(starts, starts[first] + most, right=True) - 1
        begin = starts[torch.maximum(after, first + 1)]
        return torch.minimum(begin - starts[first], most), begin

    def elsewhere(self, first: Int[Tensor, " row"], generator: torch.Generator) -> Int[Tensor, " row"]:
        """For each sentence of `first` another one, of another article."""
        other = first
        while (same := self.document[other] == self.document[first]).any():
            drawn = self.allowed[torch.randint(len(self.allowed), first.shape, generator=generator)]
            other = torch.where(same, drawn, other)
        return other


LONG_EVERY = 8  # batches: positions past the usual length are learned too, as in the paper's appendix A.2


@dataclass(frozen=True)
class Rows:
    """Batches for `fit`: called with an epoch it gives that epoch's, the same for the same seed.

    An epoch takes every sentence once as the beginning of a row of the usual length. Every LONG_EVERY-th batch has
    longer rows, and fewer of them.
    """

    usual: Places
    long: Places
    make: Callable[[Places, Int[Tensor, " row"], torch.Generator], Any]
    pieces_per_batch: int
    seed: int = 0

    def __call__(self, epoch: int = 0) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        usual, long = (self._beginnings(places, generator) for places in (self.usual, self.long))
        for number in count(1):
            is_long = number % LONG_EVERY == 0
            first = next(long if is_long else usual, None)
            if first is None:
                return
            yield self.make(self.long if is_long else self.usual, first, generator)

    def _beginnings(self, places: Places, generator: torch.Generator) -> Iterator[Int[Tensor, " row"]]:
        order = places.allowed[torch.randperm(len(places.allowed), generator=generator)]
        n_rows = max(1, self.pieces_per_batch // places.length)
        return (order[at : at + n_rows] for at in range(0, len(order), n_rows))


@dataclass(frozen=True)
class MixedRows:
    """Batches of several texts, each of one text, drawn by weight. An epoch is short, so that a resume skips little."""

    texts: tuple[Rows, ...]
    weights: tuple[float, ...]
    batches: int = 2_000
    seed: int = 0

    def __call__(self, epoch: int = 0) -> Iterator[Any]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        order = torch.multinomial(torch.tensor(self.weights), self.batches, replacement=True, generator=generator)
        # a text that ends within an epoch begins anew, in another order
        streams = [chain.from_iterable(map(rows, count(epoch))) for rows in self.texts]
        return (next(streams[text]) for text in order.tolist())


@dataclass(frozen=True)
class MaskedPairRows:
    """[CLS] a [SEP] b [SEP], masked: for `Bert.loss`. Half of the b follow their a; asks_next: is that asked for?"""

    pieces: WordPieces
    masking: Masking
    asks_next: bool = True

    def __call__(self, places: Places, first: Int[Tensor, " row"], generator: torch.Generator) -> MaskedPairs:
        """Rows that begin at the sentences `first`."""
        text, length = places.text, places.length
        n_first, following = places.seconds(first, generator)
        # The other seconds are found like the true ones, so that nothing but their meaning tells them apart.
        _, foreign = places.seconds(places.elsewhere(first, generator), generator)
        follows = torch.rand(first.shape, generator=generator) < 0.5
        second = torch.where(follows, following, foreign)
        column, sep = torch.arange(length), n_first[:, None] + 1  # column of the first [SEP]
        in_second = column > sep
        source = column + torch.where(in_second, second[:, None] - sep - 1, text.sentences[first][:, None] - 1)
        ids = text.ids[source.clamp(0, len(text.ids) - 1)].long()
        ids[:, 0] = self.pieces.cls
        ids[(column == sep) | (column == length - 1)] = self.pieces.sep
        masked = self.masking(ids, torch.ones_like(ids, dtype=torch.bool), generator)
        asked = follows if self.asks_next else None
        return MaskedPairs(masked.ids, masked.rows, masked.columns, masked.answers, in_second.long(), None, asked)


@dataclass(frozen=True)
class OneWayRows:
    """[CLS] and the text from a sentence's beginning on: for `LeftToRightLM.loss`."""

    pieces: WordPieces

    def __call__(self, places: Places, first: Int[Tensor, " row"], generator: torch.Generator) -> StreamBatch:
        """Rows that begin at the sentences `first`."""
        text = places.text
        targets = text.ids[text.sentences[first][:, None] + torch.arange(places.length)].long()
        ids = targets.roll(1, 1)
        ids[:, 0] = self.pieces.cls
        return StreamBatch(ids, targets)
