"""An answer as a span of a passage: for each unit, how well the answer may start there and how well it may end there.

Source: Devlin et al. 2019, arXiv:1810.04805, sections 4.2 (start and end) and 4.3 (no answer).
P(start = i) = softmax over the passage of S t_i + b; the same with E for the end; S and E are the rows of `output`.
A span's score is the sum of its start's and its end's, and the best span with start <= end is the answer.

From top to bottom: the best span; questions and passages to rows (a passage that is too long is cut into windows that
overlap, as in the authors' run_squad.py, here between words, so that no word is torn); the head.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F
from torch.utils.data import DataLoader

from course_lib.data.batch import Batch
from course_lib.data.bucketing import by_length, loader
from course_lib.data.records import Passage, Question, Sentence, listed
from course_lib.data.windows import word_windows
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder, evaluating, in_its_place, masked_mean
from course_lib.models.head_base import Head, match, seeded
from course_lib.text.words import as_text

NULL = 0  # the place of "no answer"; unit u of a row has place u + 1
Place = tuple[int, int]  # where something begins, and one past its end
Logits = Float[np.ndarray, " unit"]
Questions = Iterable[Any]  # Passages or pairs (question, passage); `rows_of` says what is none


@dataclass(frozen=True)
class Answer:
    """text == passage[start:end]; "no answer" is the empty text at 0. score: start logit + end logit, unbounded."""

    text: str
    start: int
    end: int
    score: float


def best_span(start: Logits, end: Logits, max_answer: int) -> tuple[float, int, int]:
    """(start[i] + end[j], i, j), the largest for i <= j < i + max_answer; of equal ones the leftmost and shortest."""
    width = min(max_answer, len(end))
    padded = np.concatenate([end, np.full(width - 1, -np.inf, end.dtype)])
    sums = start[:, None] + np.lib.stride_tricks.sliding_window_view(padded, width)  # [start, length - 1]
    best = int(sums.argmax())
    return float(sums.flat[best]), best // width, best // width + best % width


def units_of(spans: Sequence[Place], start: int, end: int) -> Place | None:
    """The first and the last unit that share a character with start:end, or None. spans: the units' characters."""
    touched = [number for number, (a, b) in enumerate(spans) if a < end and b > start]
    return (touched[0], touched[-1]) if touched else None


@dataclass(frozen=True)
class Row:
    """number, name  of the question among all
    window    some words of the passage; their spans count from the first character of the whole passage
    answer    characters (start, end) of the answer in the passage, or None
    labelled  the question came as a Question: without an answer, it has none
    """

    number: int
    name: str
    question: Sentence
    window: Sentence
    answer: Place | None = None
    labelled: bool = False

    def __len__(self) -> int:
        return len(self.question) + len(self.window)


def rows_of(questions: Questions, encoder: ContextEncoder, overlap: int | None) -> list[list[Row]]:
    """For each question the rows that hold its whole passage, in input order. overlap: as for SpanExtractor."""
    rows: list[list[Row]] = []
    for item in listed(questions, "SpanExtractor", "questions"):
        match item:
            case Passage() as passage:
                of_passage = passage.questions
            case (Question() | str() as question, Passage() | str() as text):
                of_passage, text = (question,), text.text if isinstance(text, Passage) else text
                passage = Passage(text, of_passage if isinstance(question, Question) else ())
            case _:
                raise CourseError(
                    f"SpanExtractor: after {len(rows)} questions comes {repr(item)[:80]}. "
                    "Give Passage records or (question, passage) pairs, and drop empty rows first."
                )
        words = Sentence.of(as_text(passage.text, f"SpanExtractor: the passage after {len(rows)} questions"))
        sizes = encoder.sizes(words)
        for question in of_passage:
            rows.append(_windows(encoder, len(rows), question, words, sizes, overlap))
    if not rows:
        raise CourseError("SpanExtractor got no question. Give passages with questions, or (question, passage) pairs.")
    return rows


def training_rows(rows: Sequence[Row], no_answer: bool) -> list[Row]:
    """Of one question's windows those that hold its answer; with `no_answer` also those without any of it.

    A window that cuts the answer is left out.
    """
    answer, name = rows[0].answer, rows[0].name
    if answer is None:
        if no_answer and rows[0].labelled:
            return list(rows)
        raise CourseError(f"SpanExtractor: {name} has no answer to learn. Leave it out, or set no_answer=True.")
    chosen = []
    for row in rows:
        left, right = row.window.spans[0][0], row.window.spans[-1][1]
        if left <= answer[0] and answer[1] <= right:
            chosen.append(row)
        elif no_answer and (right <= answer[0] or answer[1] <= left):
            chosen.append(replace(row, answer=None))
    if not any(row.answer for row in chosen):
        raise CourseError(
            f"SpanExtractor: the answer of {name}, characters {answer[0]} to {answer[1]}, is in no window as a whole. "
            "Leave it out, or use a larger overlap."
        )
    return chosen


def _windows(
    encoder: ContextEncoder,
    number: int,
    source: Question | str,
    passage: Sentence,
    sizes: list[int],
    overlap: int | None,
) -> list[Row]:
    labelled = isinstance(source, Question)
    name = f"question {source.id!r}" if labelled else f"question {number}"
    question = Sentence.of(as_text(source.question if labelled else source, f"SpanExtractor, {name}: it"))
    if not question.words or not passage.words:
        raise CourseError(f"SpanExtractor, {name}: it or its passage is empty. Leave it out.")
    answer = None
    if labelled and source.answers:
        text, start = source.answers[0]
        answer = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
    places = [(0, len(passage))]
    if encoder.max_units is not None:
        n_question = sum(encoder.sizes(question))
        room = encoder.max_units - (n_question + 1 if encoder.reads_pairs else 0)  # 1: the second [SEP]
        if n_question > encoder.max_units or max(sizes) > room:
            raise CourseError(
                f"SpanExtractor, {name}: it has {n_question} pieces, the longest word of its passage {max(sizes)}; the "
                f"encoder reads {encoder.max_units}. Shorten the question, or use an encoder with more max_units."
            )
        places = word_windows(sizes, room, room // 2 if overlap is None else min(overlap, room // 2))
    parts = [Sentence(passage.text, passage.words[a:b], passage.spans[a:b]) for a, b in places]
    return [Row(number, name, question, part, answer, labelled) for part in parts]


class SpanExtractor(Head):
    """Question and passage in, the answer's characters out.

    Of an encoder that reads pairs (BERT) `output` reads the passage's states. Otherwise each side is read alone, and
    `output` reads [p; q; p * q] of each passage state p, with q the mean of the question's states.

    unit       "piece": an answer may end inside a word (서울 in 서울에서) where the encoder has pieces; "word": it
               may not
    no_answer  learn and say that the passage holds no answer. Its score comes from the sentence vector ([CLS]; read
               apart: both, matched) by weights of its own, where Devlin et al. take S and E
    overlap    most pieces that two windows of a long passage share: never more than half a window, which is None
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
        if batch.sides is None:
            encoding = self.encoder.states(batch)
            units, sentence = self.output(self.word_states(batch, encoding)), encoding.sentence
        else:
            first, second = (self.encoder.states(side) for side in batch.sides)
            passage = self.word_states(batch.sides[1], second)
            question = masked_mean(self.word_states(batch.sides[0], first), first.mask)[:, None].expand_as(passage)
            read = self.output(torch.cat([passage, question, passage * question], -1))
            units, sentence = in_its_place(read, batch, 1), match(first.sentence, second.sentence)
        units = units.masked_fill((~batch.mask | (batch.segment == 0))[..., None], -torch.inf)
        none = units.new_full((len(batch), 2), -torch.inf) if self.null is None else self.null(self.dropout(sentence))
        return torch.cat([none[:, None], units], 1).transpose(1, 2)

    def batch(self, questions: Questions) -> Batch:
        """Tensors on the CPU: a row for each question and window; places in `.labels["start"]` and `.labels["end"]`.

        questions  Passages with their questions, or pairs (question, passage). Of several answers the first is learned;
                   the windows are those of `training_rows`. Bare text as a question gives all windows and no labels.
        """
        windows = rows_of(questions, self.encoder, self.overlap)
        if not any(rows[0].labelled for rows in windows):
            return self._encode([row for rows in windows for row in rows])
        return self._labelled([row for rows in windows for row in training_rows(rows, self.no_answer)])

    def batches(self, questions: Questions, batch_size: int, seed: int = 0) -> Callable[[int], DataLoader]:
        """For `fit`: epoch -> batches of rows of like length, shuffled anew. All questions are checked now."""
        windows = rows_of(questions, self.encoder, self.overlap)
        rows = [row for of_question in windows for row in training_rows(of_question, self.no_answer)]
        return loader(rows, [len(row) for row in rows], self._labelled, size=batch_size, seed=seed)

    def loss(self, batch: Batch) -> dict[str, Any]:
        """{"loss": mean cross-entropy of start and end in nats, "count": rows}."""
        places = batch.labels["start"], batch.labels["end"]
        losses = [F.cross_entropy(*pair) for pair in zip(self(batch).unbind(1), places, strict=True)]
        return {"loss": sum(losses) / 2, "count": len(batch)}

    def predict(
        self, questions: Questions, *, max_answer: int = 30, threshold: float | int = 0.0, batch_size: int = 32
    ) -> list[Answer]:
        """The best answer to each question, in input order: of all windows the one with the highest score.

        max_answer  most units of an answer
        threshold   with no_answer: by how much an answer's score must pass that of "no answer", which is the lowest of
                    all windows (as in run_squad.py). An empty answer's score has the threshold added
        """
        assert self.no_answer or not threshold, "a threshold needs a head made with no_answer=True"
        windows = rows_of(questions, self.encoder, self.overlap)
        spans: list[list[tuple[float, int, int]]] = [[] for _ in windows]  # minus the score, characters start and end
        nulls = [float("inf")] * len(windows)
        rows = [row for of_question in windows for row in of_question]
        with evaluating(self):
            for numbers in by_length([len(row) for row in rows], batch_size):
                chosen = [rows[number] for number in numbers]
                batch = self._encode(chosen)
                logits = self(batch.to(self.encoder.device)).float().cpu()
                for number, row in enumerate(chosen):
                    begin, places = _passage(batch, number)
                    start, end = logits[number, :, begin + 1 : begin + 1 + len(places)].numpy()
                    score, first, last = best_span(start, end, max_answer)
                    spans[row.number].append((-score, places[first][0], places[last][1]))
                    nulls[row.number] = min(nulls[row.number], float(logits[number, :, NULL].sum()))
        answers = []
        for of_question, found, null in zip(windows, spans, nulls, strict=True):
            # "no answer" is first among equals: an answer must pass it. Without no_answer its score is -inf.
            score, start, end = min([(-null - threshold, 0, 0), *found])
            answers.append(Answer(of_question[0].window.text[start:end], start, end, -score))
        return answers

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
    if units is None:  # white space, or characters that the encoder's cleaning drops
        raise CourseError(f"SpanExtractor: the encoder reads none of the answer of {row.name}. Leave it out.")
    return n_question + units[0] + 1, n_question + units[1] + 1
