"""What heads with a list of labels share: texts and labels to batches, the loss, predicting many texts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader

from course_lib.data.batch import Batch
from course_lib.data.records import LabelledText, Sentence, SentencePair, TaggedSentence
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder, evaluating
from course_lib.models.head_base import Head, loader

NO_LABEL = -100  # at padding: no part of the loss
Texts = Iterable[Sentence | LabelledText | TaggedSentence | SentencePair | str | Sequence]


class LabelHead(Head):
    """A head that gives one of `labels` (names, in the order of the output's rows) to each text, pair or word."""

    item_name = "sentence"  # what an error calls that which a row holds

    def __init__(self, encoder: ContextEncoder, labels: Sequence[str], **settings: Any):
        super().__init__(encoder, **settings)
        names = [] if isinstance(labels, str) else list(labels)
        if len(names) < 2 or len(set(names)) < len(names) or not all(isinstance(name, str) for name in names):
            raise CourseError(f"{type(self).__name__}: labels={labels!r}. Give at least two names, each once.")
        self.labels = tuple(names)
        self._index = {label: number for number, label in enumerate(names)}
        self._settings = {"labels": names, **settings}

    @abstractmethod
    def forward(self, batch: Batch) -> Tensor:
        """Logits, before softmax: one row of `labels` per item."""

    @abstractmethod
    def _target(self, label: Any, sentence: Any, number: int) -> Any:
        """The label(s) of sentence (or pair) `number` as label numbers. Raises CourseError for what does not fit."""

    @abstractmethod
    def _stack(self, targets: list) -> Tensor:
        """Targets of a batch as one tensor, NO_LABEL at padding."""

    @abstractmethod
    def _label_of(self, record: Any) -> Any:
        """The label(s) that a record brings along, or None."""

    def batch(self, sentences: Texts, labels: Sequence | None = None) -> Batch:
        """Tensors on the CPU for texts or records; `labels`, or what the records bring, is in `.labels["labels"]`.

        Raises CourseError for what the encoder cannot read, a label the head does not know, and a wrong number of them.
        """
        read, targets = self._read(sentences, labels)
        return self._encode(read) if targets is None else self._labelled(read, targets)

    def batches(self, records: Texts, batch_size: int, seed: int = 0) -> Callable[[int], DataLoader]:
        """A function epoch -> batches for `fit`: shuffled anew each epoch, texts of like length together.

        All records are checked now. Raises CourseError as `batch` does, and for a record without a label.
        """
        read, targets = self._read(records)
        if targets is None:
            raise CourseError(
                f"{type(self).__name__}.batches: there are no labels to learn from. "
                "Give records that bring them: LabelledText for texts, SentencePair for pairs, TaggedSentence for "
                "words."
            )

        def collate(rows: list[tuple]) -> Batch:
            items, labels = map(list, zip(*rows, strict=True))
            return self._labelled(items, labels)

        rows = list(zip(read, targets, strict=True))
        return loader(rows, [self._length(item) for item in read], collate, size=batch_size, seed=seed)

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean cross-entropy in nats, "count": texts or real words}. Raises CourseError without labels."""
        if "labels" not in batch.labels:
            raise CourseError(
                f"{type(self).__name__}.loss: the batch has no labels. Make it with batch(sentences, labels)."
            )
        targets = batch.labels["labels"]
        logits = self(batch)
        mean = functional.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=NO_LABEL)
        return {"loss": mean, "count": (targets != NO_LABEL).sum()}

    def _logits(self, sentences: Texts, batch_size: int) -> list[Tensor]:
        """Per sentence, in input order, float32 on the CPU: [label], or [unit, label] for a tagger."""
        if batch_size < 1:
            raise CourseError(f"{type(self).__name__}: batch_size={batch_size}. Use 1 or more.")
        read = self._sentences(self._listed(sentences))
        order = sorted(range(len(read)), key=lambda i: self._length(read[i]))  # like lengths together
        found: list[Tensor] = [torch.empty(0)] * len(read)
        with evaluating(self):
            for start in range(0, len(order), batch_size):
                rows = order[start : start + batch_size]
                logits = self(self._encode([read[i] for i in rows]).to(self.encoder.device)).float().cpu()
                for i, row in zip(rows, logits, strict=True):
                    found[i] = row[: len(read[i])] if row.dim() == 2 else row
        return found

    def _listed(self, texts: Any) -> list:
        if isinstance(texts, (str, Sentence, LabelledText, SentencePair, TaggedSentence)):
            raise CourseError(f"{type(self).__name__} reads a list, not one {type(texts).__name__}. Put it in [ ].")
        return list(texts)  # an iterator could be read only once

    def _sentences(self, items: list) -> list:
        """What `_encode` reads, one per item."""
        return self.encoder._checked([_text_of(item) for item in items])

    def _encode(self, read: list) -> Batch:
        return self.encoder.batch(read)

    def _labelled(self, read: list, targets: list) -> Batch:
        return replace(self._encode(read), labels={"labels": self._stack(targets)})

    def _length(self, item: Any) -> int:
        return len(item)

    def _read(self, texts: Any, labels: Any = None) -> tuple[list, list | None]:
        """Sentences (or pairs) and their label numbers; None if there are no labels at all."""
        items = self._listed(texts)
        read = self._sentences(items)
        given = [self._label_of(item) for item in items] if labels is None else list(labels)
        if len(given) != len(read):
            raise CourseError(
                f"{type(self).__name__}: {len(given)} labels for {len(read)} {self.item_name}s. "
                "Give each exactly one entry."
            )
        if labels is None and all(label is None for label in given):
            return read, None
        return read, [self._target(*pair, number) for number, pair in enumerate(zip(given, read, strict=True))]

    def _number(self, label: Any, where: str) -> int:
        if not isinstance(label, str) or label not in self._index:
            raise CourseError(
                f"{type(self).__name__}: {where} has the label {label!r}, which this head does not know. "
                f"Its labels: {', '.join(self.labels)}."
            )
        return self._index[label]


def _text_of(item: Any) -> Any:
    if isinstance(item, TaggedSentence):
        return item.sentence
    return item.text if isinstance(item, LabelledText) else item
