"""One label per pair of sentences: does the second answer the first, follow from it, say the same?

A pair read in one pass is classified by the vector of the whole (Devlin et al. 2019, section 4.1: [CLS]). Of a pair
read side by side, the head sees [u; v; |u - v|; u * v], with u and v the vectors of the sides (Conneau et al. 2017,
arXiv:1705.02364, section 3.1).
"""

from __future__ import annotations

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.data.batch import Batch
from course_lib.data.records import Sentence, SentencePair
from course_lib.errors import CourseError
from course_lib.models.pooled_head import PooledHead


def match(first: Float[Tensor, "batch dim"], second: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch four_dim"]:
    """[u; v; |u - v|; u * v]: a linear layer over it can ask where two vectors agree."""
    return torch.cat([first, second, (first - second).abs(), first * second], -1)


class PairClassifier(PooledHead):
    """One label per pair: a SentencePair, or a tuple (first, second) of texts, of Sentences or of lists of words.

    Settings as for SequenceClassifier. They hold for the pair as one text if the encoder reads pairs (BERT), and for
    each side by itself otherwise: then neither layers nor body see the other side.
    """

    kind = "pair-classifier"
    item_name = "pair"

    def forward(self, batch: Batch) -> Float[Tensor, "batch label"]:
        if batch.sides is None:
            return self.output(self._text(self.encoder.states(batch)))
        first, second = (self._text(self.encoder.states(side)) for side in batch.sides)
        return self.output(match(first, second))

    def _vectors_per_item(self) -> int:
        return 1 if self.encoder.reads_pairs else 4

    def _sentences(self, items: list) -> list[tuple[Sentence, Sentence]]:
        pairs = [(item.first, item.second) if isinstance(item, SentencePair) else item for item in items]
        for number, pair in enumerate(pairs):
            if not isinstance(pair, tuple) or len(pair) != 2:
                raise CourseError(
                    f"PairClassifier: item {number} is {pair!r}, not a pair. Give a SentencePair or (first, second)."
                )
        sides = [self._side(name, [pair[i] for pair in pairs]) for i, name in enumerate(("first", "second"))]
        return list(zip(*sides, strict=True))

    def _side(self, name: str, sentences: list) -> list[Sentence]:
        try:
            return self.encoder._checked(sentences)
        except CourseError as error:
            raise CourseError(f"PairClassifier, {name} sentences of the pairs: {error}") from error

    def _encode(self, read: list) -> Batch:
        return self.encoder.batch([first for first, _ in read], [second for _, second in read])

    def _length(self, item: Any) -> int:
        return len(item[0]) + len(item[1])

    def _label_of(self, record: Any) -> str | None:
        return record.label if isinstance(record, SentencePair) else None

    def _target(self, label: Any, sentence: Any, number: int) -> int:
        return self._number(label, f"pair {number}")
