"""An answer as a span of a passage: for each unit, how well the answer may start there and how well it may end there.

Source: Devlin et al. 2019, arXiv:1810.04805, sections 4.2 (start and end) and 4.3 (no answer).
P(start = i) = softmax over the passage of S t_i + b; the same with E for the end; S and E are the rows of `output`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional
from torch.utils.data import DataLoader

from course_lib.data.batch import Batch
from course_lib.errors import CourseError
from course_lib.models.baselines import masked_mean
from course_lib.models.encoder import UNITS, ContextEncoder, evaluating
from course_lib.models.head_base import Head, loader, seeded
from course_lib.models.pair_head import match
from course_lib.models.span_rows import Asked, Row, rows_of, training_rows
from course_lib.models.spans import Answer, distinct, spans_by_score, units_of

NULL = 0  # the place of "no answer"; unit u of a row has place u + 1


class SpanExtractor(Head):
    """Question and passage in, the answer's characters out.

    An encoder that reads pairs (BERT) sees question and passage in one pass, and `output` reads the passage's states.
    Otherwise each side is read alone, and `output` reads [p; q; p * q] of each passage state p, with q the mean of the
    question's states: Devlin et al. have no need of this.

    unit       "piece": an answer may end inside a word (서울 in 서울에서) where the encoder has pieces; "word": it
               may not
    no_answer  learn and say that the passage holds no answer. Its score comes from the sentence vector ([CLS]; read
               apart: both, matched) by weights of its own; Devlin et al. take S and E, the same width being given
    overlap    most pieces that two windows of a long passage share (None: half a window)
    """

    kind = "span-extractor"

    def __init__(
        self,
        encoder: ContextEncoder,
        *,
        unit: str = "piece",
        no_answer: bool = False,
        overlap: int | None = None,
        body: str = "none",
        hidden: int = 64,
        layer: int | str = -1,
        dropout: float | int = 0.1,
        seed: int | None = None,
    ):
        """Raises CourseError for settings that cannot work."""
        if unit not in UNITS:
            raise CourseError(f"SpanExtractor: unit={unit!r}. Use one of: {', '.join(UNITS)}.")
        if overlap is not None and overlap < 0:
            raise CourseError(f"SpanExtractor: overlap={overlap}. Use 0 or more, or None for half a window.")
        settings = {"body": body, "hidden": hidden, "layer": layer, "dropout": dropout}
        with seeded(seed):
            super().__init__(encoder, **settings)
            times, sentences = (1, 1) if encoder.reads_pairs else (3, 4)
            self.output = nn.Linear(times * self.width, 2)
            self.null = nn.Linear(sentences * encoder.sentence_dim, 2) if no_answer else None
        self.unit, self.no_answer, self.overlap = unit, no_answer, overlap
        self._settings = {"unit": unit, "no_answer": no_answer, "overlap": overlap, **settings}
        self.to(encoder.device)

    def forward(self, batch: Batch) -> Float[Tensor, "batch 2 place"]:
        """Logits of start and end: place 0 is "no answer", place u + 1 is unit u. -inf where no answer can be."""
        in_passage = batch.mask & (batch.segment == 1)
        if batch.sides is None:
            encoding = self.encoder.states(batch)
            read, sentence = self.output(self._words(encoding))[in_passage], encoding.sentence
        else:
            first, second = (self.encoder.states(side) for side in batch.sides)
            passage = self._words(second)
            question = masked_mean(self._words(first), first.mask)[:, None].expand_as(passage)
            read = self.output(torch.cat([passage, question, passage * question], -1))[second.mask]
            sentence = match(first.sentence, second.sentence)
        units = read.new_full((*batch.mask.shape, 2), -torch.inf)
        units[in_passage] = read
        none = read.new_full((len(batch), 2), -torch.inf) if self.null is None else self.null(self.dropout(sentence))
        return torch.cat([none[:, None], units], 1).transpose(1, 2)

    def batch(self, asked: Asked) -> Batch:
        """Tensors on the CPU: a row for each question and window; places in `.labels["start"]` and `.labels["end"]`.

        asked  Passages with their questions, or pairs (question, passage). Of several answers the first is learned;
               the windows are those of `training_rows`. Questions that are bare text give all windows and no labels.
        Raises CourseError as `rows_of` and `training_rows` do.
        """
        found = rows_of(asked, self.encoder, self.overlap)
        if not any(rows[0].labelled for rows in found):
            return self._encode([row for rows in found for row in rows])
        return self._labelled([row for rows in found for row in training_rows(rows, self.no_answer)])

    def batches(self, asked: Asked, batch_size: int, seed: int = 0) -> Callable[[int], DataLoader]:
        """A function epoch -> batches for `fit`: shuffled anew each epoch, rows of like length together.

        All questions are checked now. Raises CourseError as `batch` does.
        """
        found = rows_of(asked, self.encoder, self.overlap)
        rows = [row for windows in found for row in training_rows(windows, self.no_answer)]
        return loader(rows, [len(row) for row in rows], self._labelled, size=batch_size, seed=seed)

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean cross-entropy of start and end in nats, "count": rows}. Raises CourseError without labels."""
        if "start" not in batch.labels:
            raise CourseError("SpanExtractor.loss: the batch has no answers. Make it of Questions that have some.")
        start, end = self(batch).unbind(1)
        losses = [
            functional.cross_entropy(start, batch.labels["start"]),
            functional.cross_entropy(end, batch.labels["end"]),
        ]
        return {"loss": sum(losses) / 2, "count": len(batch)}

    def predict(
        self, asked: Asked, *, max_answer: int = 30, threshold: float | int = 0.0, batch_size: int = 32
    ) -> list[Answer]:
        """The best answer to each question, in input order. Arguments and errors as for `n_best`."""
        found = self.n_best(asked, 1, max_answer=max_answer, threshold=threshold, batch_size=batch_size)
        return [answers[0] for answers in found]

    def n_best(
        self, asked: Asked, n: int = 5, *, max_answer: int = 30, threshold: float | int = 0.0, batch_size: int = 32
    ) -> list[list[Answer]]:
        """For each question up to n different answers, best first. Of all windows a place's best score counts.

        max_answer  most units of an answer
        threshold   with no_answer: by how much an answer's score must pass that of "no answer", which is the lowest of
                    all windows (as in run_squad.py) and is listed with the threshold added
        Raises CourseError for what cannot be read, numbers out of range, and a threshold that would be ignored.
        """
        if n < 1 or max_answer < 1 or batch_size < 1:
            raise CourseError(f"SpanExtractor: n={n}, max_answer={max_answer}, batch_size={batch_size}. Use 1 or more.")
        if threshold and not self.no_answer:
            raise CourseError(f"SpanExtractor: threshold={threshold} needs a head made with no_answer=True.")
        found = rows_of(asked, self.encoder, self.overlap)
        spans: list[list[tuple[float, int, int]]] = [[] for _ in found]
        nulls = [float("inf")] * len(found)
        rows = sorted((row for windows in found for row in windows), key=len)  # like lengths together
        with evaluating(self):
            for first in range(0, len(rows), batch_size):
                chosen = rows[first : first + batch_size]
                batch = self._encode(chosen)
                logits = self(batch.to(self.encoder.device)).float().cpu()
                for number, row in enumerate(chosen):
                    begin, places = _passage(batch, number)
                    start, end = logits[number, :, begin + 1 : begin + 1 + len(places)].numpy()
                    ranked = ((s, places[i][0], places[j][1]) for s, i, j in spans_by_score(start, end, max_answer))
                    spans[row.number] += distinct(ranked, n)
                    nulls[row.number] = min(nulls[row.number], float(logits[number, :, NULL].sum()))
        return [
            self._answers(windows[0].window.text, *both, n, threshold)
            for windows, *both in zip(found, spans, nulls, strict=True)
        ]

    def _answers(
        self, text: str, spans: list[tuple[float, int, int]], null: float, n: int, threshold: float | int
    ) -> list[Answer]:
        nothing = [(null + threshold, 0, 0)] if self.no_answer else []  # first among equals: an answer must pass it
        ranked = sorted([*nothing, *spans], key=lambda span: (-span[0], span[1:]))
        return [Answer(text[start:end], start, end, score) for score, start, end in distinct(ranked, n)]

    def _encode(self, rows: Sequence[Row]) -> Batch:
        return self.encoder.batch([row.question for row in rows], [row.window for row in rows], unit=self.unit)

    def _labelled(self, rows: Sequence[Row]) -> Batch:
        batch = self._encode(rows)
        targets = [_target(row, *_passage(batch, number)) for number, row in enumerate(rows)]
        starts, ends = torch.tensor(targets).unbind(1)
        return replace(batch, labels={"start": starts, "end": ends})


def _passage(batch: Batch, number: int) -> tuple[int, list[tuple[int, int]]]:
    """Of a row: how many units the question has, and the characters of each unit of the passage."""
    n_question = int((batch.mask[number] & (batch.segment[number] == 0)).sum())
    return n_question, batch.spans[number][n_question:]


def _target(row: Row, n_question: int, places: list[tuple[int, int]]) -> tuple[int, int]:
    """Places of the answer's start and end."""
    if row.answer is None:
        return NULL, NULL
    units = units_of(places, *row.answer)
    if units is None:  # characters that the encoder's cleaning drops
        raise CourseError(f"SpanExtractor: the encoder reads none of the answer of {row.name}. Leave it out.")
    return n_question + units[0] + 1, n_question + units[1] + 1
