"""Heads for any encoder: a label per text (SequenceClassifier), per pair (PairClassifier), per word (TokenTagger), and
an answer as a span of a passage (SpanExtractor).

P(label) = softmax(W c + b), with c the vector of the text or of the word; body and head are trained together by maximum
likelihood (Devlin et al. 2019, section 4.1). K labels on vectors of width H take K (H + 1) numbers without a body.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from course_lib.checkpoints import load_checkpoint
from course_lib.data.batch import Batch, pad
from course_lib.data.bucketing import by_length, loader
from course_lib.data.records import LabelledText, Sentence, SentencePair, TaggedSentence, listed
from course_lib.errors import CourseError
from course_lib.language import key, t
from course_lib.models.encoder import ContextEncoder, evaluating, masked_mean
from course_lib.models.head_base import Head, match, seeded
from course_lib.models.spans import SpanExtractor

__all__ = ["HEADS", "PairClassifier", "SequenceClassifier", "SpanExtractor", "TokenTagger", "load_head"]

NO_LABEL = -100  # at padding: no part of the loss
Texts = Any  # an iterable of texts or records; `listed` and `Sentence.of` say what is none


class LabelHead(Head):
    """A head that gives one of `labels` (names, in the order of the output's rows) to each text, pair or word.

    pooling  what stands for the text: "sentence", the encoder's own sentence vector (BERT: [CLS]); "mean" or "max" over
             the words' vectors. Over a "bilstm" body "sentence" is mean and max side by side. None: a label per word
    """

    item_name = key("sentence")  # what an error calls that which a row holds

    def __init__(
        self,
        encoder: ContextEncoder,
        labels: Sequence[str],
        *,
        body: str = "none",
        hidden: int = 64,
        layer: int | str = -1,
        pooling: str | None = "sentence",
        dropout: float | int = 0.1,
        seed: int | None = None,
    ):
        name, names = type(self).__name__, list(labels)
        assert pooling in ("sentence", "mean", "max", None), f"{name}: pooling={pooling!r}"
        if pooling == "sentence" and body == "none" and layer != -1:
            raise CourseError(
                f'{name}: pooling="sentence" takes the encoder\'s own sentence vector, so layer={layer!r} '
                'would be ignored. Use pooling="mean" or "max", or body="bilstm".'
            )
        if isinstance(labels, str) or not 2 <= len(names) == len(set(names)) or {*map(type, names)} != {str}:
            raise CourseError(f"{name}: labels={labels!r}. Give at least two names, each once.")
        self._settings = {"labels": names, "body": body, "hidden": hidden, "layer": layer, "dropout": dropout}
        with seeded(seed):
            super().__init__(encoder, body=body, hidden=hidden, layer=layer, dropout=dropout)
            width = self.width
            if pooling == "sentence":
                width = encoder.sentence_dim if body == "none" else 2 * self.width
            self.output = nn.Linear(self._vectors_per_item() * width, len(names))
        self.labels, self.pooling = tuple(names), pooling
        self._index = {label: number for number, label in enumerate(names)}
        if pooling is not None:
            self._settings["pooling"] = pooling
        self.to(encoder.device)

    def forward(self, batch: Batch) -> Float[Tensor, "batch label"]:
        """Logits, before softmax."""
        return self.output(self.pooled(batch))

    def pooled(self, batch: Batch) -> Float[Tensor, "batch text_width"]:
        """One vector for each row, after body and dropout."""
        encoding = self.encoder.states(batch)
        if self.pooling == "sentence" and self.lstm is None:
            return self.dropout(encoding.sentence)
        words, mask = self.word_states(batch, encoding), batch.mask
        mean = masked_mean(words, mask)
        largest = words.masked_fill(~mask[..., None], -torch.inf).amax(1)
        return {"mean": mean, "max": largest, "sentence": torch.cat([mean, largest], 1)}[self.pooling]

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean cross-entropy in nats, "count": texts or real words}."""
        targets = batch.labels["labels"]
        logits = self(batch)
        mean = F.cross_entropy(logits.flatten(0, -2), targets.flatten(), ignore_index=NO_LABEL)
        return {"loss": mean, "count": (targets != NO_LABEL).sum()}

    def predict(self, items: Texts, batch_size: int = 32) -> list:
        """The most probable label of each item, in input order; of a tagger, those of its words."""
        return [self.labels[int(row.argmax())] for row in self._logits(items, batch_size)]

    def probabilities(self, items: Texts, batch_size: int = 32) -> Float[np.ndarray, "item label"]:
        """Rows sum to 1."""
        return torch.stack(self._logits(items, batch_size)).softmax(-1).numpy()

    def _logits(self, records: Texts, batch_size: int) -> list[Tensor]:
        """Per text, in input order, float32 on the CPU: [label], or [unit, label] for a tagger."""
        texts = self._sentences(self._listed(records))
        rows: list[Tensor] = [torch.empty(0)] * len(texts)
        with evaluating(self):
            for numbers in by_length(_lengths(texts), batch_size):
                logits = self(self._batch_of([texts[i] for i in numbers]).to(self.encoder.device)).float().cpu()
                for i, row in zip(numbers, logits, strict=True):
                    rows[i] = row[: len(texts[i][0])] if row.dim() == 2 else row
        return rows

    # -- batches ------------------------------------------------------------------------------------------------------
    def batch(self, sentences: Texts, labels: Sequence | None = None) -> Batch:
        """Tensors on the CPU for texts or records; `labels`, or what the records bring, is in `.labels["labels"]`."""
        return self._batch_of(*self._read(sentences, labels))

    def batches(self, records: Texts, batch_size: int, seed: int = 0) -> Callable[[int], DataLoader]:
        """For `fit`: epoch -> batches of texts of like length, shuffled anew. All records are checked now."""
        records = self._listed(records)
        texts, targets = self._read(records, [self._label_of(record) for record in records])
        rows = list(zip(texts, targets, strict=True))
        return loader(
            rows, _lengths(texts), lambda some: self._batch_of(*zip(*some, strict=True)), size=batch_size, seed=seed
        )

    def _read(self, records: Any, labels: Any = None) -> tuple[list, list | None]:
        """Texts and their label numbers; None if there are no labels at all."""
        texts = self._sentences(records := self._listed(records))
        given = [self._label_of(record) for record in records] if labels is None else list(labels)
        if len(given) != len(texts):
            says = key("{name}: {n} labels for {m} {item}s. Give each exactly one entry.")
            values = {"n": len(given), "m": len(texts), "item": t(self.item_name)}
            raise CourseError(t(says, name=type(self).__name__, **values))
        if labels is None and all(label is None for label in given):
            return texts, None
        return texts, [self._target(*pair, number) for number, pair in enumerate(zip(given, texts, strict=True))]

    def _listed(self, records: Any) -> list:
        return listed(records, type(self).__name__, f"{self.item_name}s")

    def _batch_of(self, texts: Sequence[tuple[Sentence, ...]], targets: Sequence | None = None) -> Batch:
        batch = self.encoder.batch(*map(list, zip(*texts, strict=True)))
        if targets is None:
            return batch
        labels = torch.tensor(targets) if isinstance(targets[0], int) else pad(targets, NO_LABEL)
        return replace(batch, labels={"labels": labels})

    def _number(self, label: Any, where: str, **place: Any) -> int:
        if not isinstance(label, str) or label not in self._index:
            says = key("{name}: {where} has the label {label}, which this head does not know. Its labels: {all}.")
            values = {"where": t(where, **place), "label": repr(label), "all": ", ".join(self.labels)}
            raise CourseError(t(says, name=type(self).__name__, **values))
        return self._index[label]

    # -- what differs for pairs and for words -------------------------------------------------------------------------
    def _vectors_per_item(self) -> int:
        """1; 4 if `output` reads the `match` of two texts."""
        return 1

    def _sentences(self, records: list) -> list[tuple[Sentence, ...]]:
        """The sentence of each record, checked; the two of a pair."""
        texts = [record.text if isinstance(record, LabelledText) else record for record in records]
        texts = [text.sentence if isinstance(text, TaggedSentence) else text for text in texts]
        return [(text,) for text in self.encoder._checked(texts)]

    def _label_of(self, record: Any) -> Any:
        """The label(s) that a record brings along, or None."""
        return getattr(record, "label", None)

    def _target(self, label: Any, text: tuple[Sentence, ...], number: int) -> int | list[int]:
        """The label(s) of text `number` as label numbers."""
        return self._number(label, key("{item} {number}"), item=t(self.item_name), number=number)


class SequenceClassifier(LabelHead):
    """One label per text: the settings of a LabelHead."""

    kind = "sequence-classifier"


class PairClassifier(LabelHead):
    """One label per pair: a SentencePair, or a tuple (first, second) of texts, of Sentences or of lists of words.

    A pair read in one pass (BERT) is classified as one text. Of a pair read side by side, the head sees the `match` of
    the sides' vectors: neither layers nor body see the other side.
    """

    kind = "pair-classifier"
    item_name = key("pair")

    def forward(self, batch: Batch) -> Float[Tensor, "batch label"]:
        if batch.sides is None:
            return super().forward(batch)
        return self.output(match(*map(self.pooled, batch.sides)))

    def _vectors_per_item(self) -> int:
        return 1 if self.encoder.reads_pairs else 4

    def _sentences(self, records: list) -> list[tuple[Sentence, ...]]:
        pairs = [(record.first, record.second) if isinstance(record, SentencePair) else record for record in records]
        for number, pair in enumerate(pairs):
            if not isinstance(pair, tuple) or len(pair) != 2:
                says = key(
                    "PairClassifier: item {number} is {given}, not a pair. Give a SentencePair or (first, second)."
                )
                raise CourseError(t(says, number=number, given=repr(pair)))
        sides = (self.encoder._checked(list(side)) for side in zip(*pairs, strict=True))
        return list(zip(*sides, strict=True))


class TokenTagger(LabelHead):
    """One label per word: the settings of a LabelHead but `pooling`, and

    tags  which layer of a TaggedSentence is learned, e.g. "ner"; None: the only one it has
    """

    kind = "token-tagger"

    def __init__(self, encoder: ContextEncoder, labels: Sequence[str], *, tags: str | None = None, **settings: Any):
        super().__init__(encoder, labels, pooling=None, **settings)
        self.tags = self._settings["tags"] = tags

    def forward(self, batch: Batch) -> Float[Tensor, "batch unit label"]:
        return self.output(self.word_states(batch, self.encoder.states(batch)))

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

    def _target(self, label: Any, text: tuple[Sentence, ...], number: int) -> list[int]:
        n_words = len(text[0])
        if label is None or isinstance(label, str) or len(label) != n_words:
            listed = isinstance(label, (list, tuple))
            got = t("{n} labels", n=len(label)) if listed else t("the label {label}", label=repr(label))
            says = key("TokenTagger: sentence {number} has {n} words but {got}. Give each word exactly one.")
            raise CourseError(t(says, number=number, n=n_words, got=got))
        return [
            self._number(one, key("sentence {number}, word {word},"), number=number, word=word)
            for word, one in enumerate(label)
        ]


def _lengths(texts: list[tuple[Sentence, ...]]) -> list[int]:
    return [sum(map(len, text)) for text in texts]


# kind, as a checkpoint names it -> where its class stands; imported only when such a file is opened
HEADS = {
    "sequence-classifier": "course_lib.models.heads:SequenceClassifier",
    "pair-classifier": "course_lib.models.heads:PairClassifier",
    "token-tagger": "course_lib.models.heads:TokenTagger",
    "span-extractor": "course_lib.models.spans:SpanExtractor",
    "ulmfit-classifier": "course_lib.models.ulmfit:ULMFiTClassifier",
}


def load_head(folder: str | Path) -> Head:
    """A whole system that `head.save` wrote, on the CPU, in eval mode."""
    checkpoint = load_checkpoint(folder, HEADS, "head")
    return resolve_name(HEADS[checkpoint.kind]).from_checkpoint(checkpoint)
