"""What a small BERT or its one-way twin is asked in each step: rows of pieces, and the places with an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import torch

from course_lib.data.batch import length_mask, pad
from course_lib.data.bucketing import Buckets
from course_lib.data.masking import Masking
from course_lib.data.next_sentence import NextSentencePairs
from course_lib.models.bert import MaskedPairs
from course_lib.text.word_pieces import WordPieces

BATCH = 32  # rows


@dataclass(frozen=True)
class Row:
    """[CLS] a [SEP], or [CLS] a [SEP] b [SEP]; n_first: pieces of segment 0. follows: does b follow a?"""

    ids: tuple[int, ...]
    n_first: int
    follows: bool | None = None


@dataclass(frozen=True)
class Shares:
    """The settings of `data.masking.Masking` without the vocabulary. A one-way network takes `predict` alone."""

    corrupt: float = 0.15
    predict: float | None = None
    to_mask: float = 0.8
    to_random: float = 0.1


MASKED = Shares()  # the paper's: 15 %, 80/10/10
LEAKY = Shares(to_mask=0.0, to_random=0.0)  # 15 % are asked for and none is hidden: the answer can be read


def sentence_rows(text: Sequence[Sequence[str]], pieces: WordPieces) -> tuple[Row, ...]:
    rows = [(pieces.cls, *pieces.ids(words), pieces.sep) for words in text]
    return tuple(Row(ids, len(ids)) for ids in rows)


def pair_rows(
    documents: Sequence[Sequence[Sequence[str]]], topics: Sequence[str], pieces: WordPieces, seed: int = 0
) -> tuple[Row, ...]:
    """Each sentence with its next one, or with one from a document of another topic."""
    rows = []
    for pair in NextSentencePairs(documents, topics=topics, seed=seed)():
        first, second = (pieces.ids(documents[d][s]) for d, s in (pair.first, pair.second))
        ids = (pieces.cls, *first, pieces.sep, *second, pieces.sep)
        rows.append(Row(ids, len(first) + 2, pair.is_next))
    return tuple(rows)


class Asked:
    """Batches for `Bert.loss`, the rows in the same order for all objectives; give it to `fit`.

    objective  "masked": pieces hidden as `shares` says; "left-to-right": each place is asked for the next piece;
               "right-to-left": for the one before. One-way networks are asked at a random `shares.predict` of the
               places (None: at all)
    nsp        ask whether the second sentence follows, too
    Called with an epoch it gives that epoch's batches, the same for the same seed.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        pieces: WordPieces,
        *,
        objective: str = "masked",
        shares: Shares = MASKED,
        nsp: bool = False,
        seed: int = 0,
        batch: int = BATCH,
    ):
        self.rows, self.pieces, self.objective, self.shares, self.nsp = rows, pieces, objective, shares, nsp
        self.masking = Masking(len(pieces), pieces.mask, pieces.special_ids, **asdict(shares))
        self.buckets, self.seed = Buckets([len(row.ids) for row in rows], size=batch, seed=seed), seed

    def __call__(self, epoch: int = 0) -> Iterator[MaskedPairs]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        for numbers in self.buckets(epoch):
            yield self.batch([self.rows[number] for number in numbers], generator)

    def batch(self, rows: Sequence[Row], generator: torch.Generator) -> MaskedPairs:
        ids, real = pad([row.ids for row in rows], self.pieces.padding), length_mask([len(row.ids) for row in rows])
        segments = torch.arange(ids.shape[1]) >= torch.tensor([[row.n_first] for row in rows])
        shared = MaskedPairs(
            ids,
            *(torch.empty(0, dtype=torch.long),) * 3,
            token_type_ids=(segments & real).long(),
            attention_mask=real,
            next=torch.tensor([row.follows for row in rows]) if self.nsp else None,
        )
        if self.objective == "masked":
            found = self.masking(ids, real, generator)
            return replace(shared, input_ids=found.ids, rows=found.rows, columns=found.columns, answers=found.answers)
        ahead = 1 if self.objective == "left-to-right" else -1
        asked = real.clone()
        asked[:, 0] = False  # a place is asked if its answer, the piece beside it, is not [CLS] or padding
        if ahead < 0:
            asked[torch.arange(len(rows)), real.sum(1) - 1] = False
        if self.shares.predict is not None:
            asked &= torch.rand(ids.shape, generator=generator) < self.shares.predict
        answer_rows, answer_columns = asked.nonzero(as_tuple=True)
        return replace(
            shared, rows=answer_rows, columns=answer_columns - ahead, answers=ids[answer_rows, answer_columns]
        )
