"""Heads for any encoder: a label per text (SequenceClassifier), per pair (PairClassifier), per word (TokenTagger), and
an answer as a span of a passage (SpanExtractor).

P(label) = softmax(W c + b), with c the vector of the text or of the word; body and head are trained together by maximum
likelihood (Devlin et al. 2019, section 4.1). K labels on vectors of width H take K (H + 1) numbers without a body.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.checkpoints import load_checkpoint
from course_lib.data.batch import Batch, pad
from course_lib.data.records import LabelledText, Sentence, TaggedSentence
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder
from course_lib.models.head_base import Head, seeded
from course_lib.models.label_head import NO_LABEL, LabelHead, Texts
from course_lib.models.pair_head import PairClassifier
from course_lib.models.pooled_head import PooledHead
from course_lib.models.shipped import class_at
from course_lib.models.span_head import SpanExtractor

__all__ = ["HEADS", "PairClassifier", "SequenceClassifier", "SpanExtractor", "TokenTagger", "load_head"]


class SequenceClassifier(PooledHead):
    """One label per text: the settings of a PooledHead."""

    kind = "sequence-classifier"

    def forward(self, batch: Batch) -> Float[Tensor, "batch label"]:
        return self.output(self._text(self.encoder.states(batch)))

    def _label_of(self, record: Any) -> str | None:
        return record.label if isinstance(record, LabelledText) else None

    def _target(self, label: Any, sentence: Sentence, number: int) -> int:
        return self._number(label, f"sentence {number}")


class TokenTagger(LabelHead):
    """One label per word. `tags`: which layer of a TaggedSentence is learned, e.g. "ner"; None: the only one it has."""

    kind = "token-tagger"

    def __init__(
        self,
        encoder: ContextEncoder,
        labels: Sequence[str],
        *,
        body: str = "none",
        hidden: int = 64,
        layer: int | str = -1,
        dropout: float | int = 0.1,
        tags: str | None = None,
        seed: int | None = None,
    ):
        with seeded(seed):
            super().__init__(encoder, labels, body=body, hidden=hidden, layer=layer, dropout=dropout)
            self.output = nn.Linear(self.width, len(self.labels))
        self.tags = tags
        self._settings["tags"] = tags
        self.to(encoder.device)

    def forward(self, batch: Batch) -> Float[Tensor, "batch unit label"]:
        return self.output(self._words(self.encoder.states(batch)))

    def predict(self, sentences: Texts, batch_size: int = 32) -> list[list[str]]:
        """The most probable label of each word, in input order."""
        return [[self.labels[i] for i in row.argmax(-1).tolist()] for row in self._logits(sentences, batch_size)]

    def probabilities(self, sentences: Texts, batch_size: int = 32) -> list[np.ndarray]:
        """Per sentence: [word, label]; rows sum to 1."""
        return [row.softmax(-1).numpy() for row in self._logits(sentences, batch_size)]

    def _label_of(self, record: Any) -> tuple[str, ...] | None:
        if not isinstance(record, TaggedSentence):
            return None
        name = next(iter(record.tags)) if self.tags is None and len(record.tags) == 1 else self.tags
        if name not in record.tags:
            raise CourseError(
                f"TokenTagger: tags={name!r}, but {record.sentence.text[:80]!r} has the tag layers "
                f"{', '.join(record.tags) or 'none'}. Name one of them: TokenTagger(..., tags=...)."
            )
        return record.tags[name]

    def _target(self, label: Any, sentence: Sentence, number: int) -> list[int]:
        if label is None or isinstance(label, str) or len(label) != len(sentence):
            got = f"{len(label)} labels" if isinstance(label, (list, tuple)) else f"the label {label!r}"
            raise CourseError(
                f"TokenTagger: sentence {number} has {len(sentence)} words but {got}. Give each word exactly one."
            )
        return [self._number(one, f"sentence {number}, word {place},") for place, one in enumerate(label)]

    def _stack(self, targets: list) -> Tensor:
        return pad(targets, NO_LABEL)


# kind, as a checkpoint's config.json names it -> where its class stands; imported only when such a file is opened
HEADS = {
    "sequence-classifier": "course_lib.models.heads:SequenceClassifier",
    "pair-classifier": "course_lib.models.pair_head:PairClassifier",
    "token-tagger": "course_lib.models.heads:TokenTagger",
    "span-extractor": "course_lib.models.span_head:SpanExtractor",
    "ulmfit-classifier": "course_lib.models.ulmfit:ULMFiTClassifier",
}


def load_head(folder: str | Path) -> Head:
    """A whole system that `head.save` wrote, on the CPU, in eval mode. Raises CourseError if damaged or not a head."""
    checkpoint = load_checkpoint(folder)
    if checkpoint.kind not in HEADS:
        raise CourseError(
            f"{folder}/config.json is of kind {checkpoint.kind!r}, which is not a head ({', '.join(HEADS)}). "
            "An encoder loads with course_lib.load."
        )
    return class_at(HEADS[checkpoint.kind]).from_checkpoint(checkpoint)
