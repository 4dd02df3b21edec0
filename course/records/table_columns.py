"""The four columns of the one table: a label per text, per pair, per word, and an answer as a span.

Pair and span are made of the same questions by passages.py: does this sentence answer the question, and where is the
answer in a few sentences of its passage?
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from random import Random

from course.lab.passages import ANSWERS, OTHER, question_pairs, single_questions, split_by_article
from course.lab.row_sizes import Record, texts_of
from course.lab.task_scores import percent
from course.lab.tasks import parts_of_speech, reviews
from course_lib.data.handmade import handmade_questions
from course_lib.data.public import load_public
from course_lib.data.records import Passage
from course_lib.errors import CourseError
from course_lib.models.head_base import Head
from course_lib.models.heads import PairClassifier, SequenceClassifier, SpanExtractor, TokenTagger
from course_lib.text.words import split_words

SOURCES = {  # of each column: handmade, public
    "sentence": {"handmade": "handmade", "public": "sst2"},
    "pair": {"handmade": "handmade", "public": "squad1_dev"},
    "tagging": {"handmade": "handmade", "public": "ud_english_ewt"},
    "span": {"handmade": "handmade", "public": "squad1_dev"},
}
COLUMNS = tuple(SOURCES)
_NAMES = {"handmade": "handmade questions", "squad1_dev": "SQuAD 1.1 dev, split by article"}
METRICS = {"sentence": "accuracy", "pair": "accuracy", "tagging": "accuracy of words", "span": "F1 of words"}
MOST_WORDS = 50  # of a text, or of both sides of a pair: every encoder of the course reads that many in one pass
MOST_IN_PASSAGE = 36  # which leaves room for the question


@dataclass(frozen=True)
class Column:
    """Records to learn from and to score on; `make(encoder, **settings)` is the head; scores are in %."""

    name: str
    data: str
    train: Sequence[Record]
    test: Sequence[Record]
    make: Callable[..., Head]

    def drawn(self, n_labels: int, seed: int) -> list[Record]:
        """The labelled records of one seed; all of them if there are no more."""
        return Random(seed).sample(list(self.train), min(n_labels, len(self.train)))

    def score(self, head: Head) -> float:
        """Accuracy of the test texts, pairs or words, or F1 of the answers, in %."""
        guesses = head.predict(self.test)
        if self.name == "span":
            guesses = [answer.text for answer in guesses]
        return percent("words" if self.name == "tagging" else self.name, guesses, self.test, tags="upos")


def column(name: str, source: str = "handmade", n_train: int | None = None, n_test: int | None = None) -> Column:
    """A column of the table, with at most `n_train` records to draw from and `n_test` to score on (None: all).

    source: "handmade" or "public". Raises CourseError for an unknown name or source, and if a public set is not here.
    """
    if name not in COLUMNS or source not in SOURCES[name]:
        raise CourseError(
            f"The table has no column {name!r} on {source!r} data. Columns: {', '.join(COLUMNS)}; "
            f"data: {', '.join(SOURCES['span'])}."
        )
    train, test, data, make = _READERS[name](SOURCES[name][source])
    return Column(name, data, _some(train, n_train), _some(test, n_test), make)


def sides(records: Iterable[Record]) -> tuple[list, list | None]:
    """What an encoder reads of the records: sentences, or the firsts and the seconds of pairs."""
    columns = [list(side) for side in zip(*map(texts_of, records), strict=True)]
    return (columns[0], columns[1] if len(columns) == 2 else None)


def _questions(source: str) -> list[list[Passage]]:
    """Passages to learn from and to score on; no article is in both."""
    if source == "handmade":
        return [handmade_questions("en", split) for split in ("train", "test")]
    train, _, test = split_by_article(load_public(source))
    return [train, test]


# Each gives: records to learn from, records to score on, what they are, and the head without its encoder.
def _sentence(source: str):
    task = reviews(source)
    return task.train, task.test, task.name, partial(SequenceClassifier, labels=task.labels, pooling="mean")


def _tagging(source: str):
    task = parts_of_speech(source)
    return task.train, task.test, task.name, partial(TokenTagger, labels=task.labels, tags="upos")


def _pair(source: str):
    parts = [question_pairs(passages, MOST_IN_PASSAGE) for passages in _questions(source)]
    return *parts, _NAMES[source], partial(PairClassifier, labels=[ANSWERS, OTHER], pooling="mean")


def _span(source: str):
    parts = [single_questions(passages, MOST_IN_PASSAGE) for passages in _questions(source)]
    return *parts, _NAMES[source], partial(SpanExtractor, unit="word")


_READERS = {"sentence": _sentence, "pair": _pair, "tagging": _tagging, "span": _span}


def _some(records: Iterable[Record], n: int | None) -> list[Record]:
    """The first n of a fixed shuffle that are short enough; all of these, in their order, if there are no more."""
    records = list(records)
    if n is None or n >= len(records):
        return [record for record in records if _length(record) <= MOST_WORDS]
    drawn = (record for record in Random(0).sample(records, len(records)) if _length(record) <= MOST_WORDS)
    return list(islice(drawn, n))


def _length(record: Record) -> int:
    return sum(len(split_words(t) if isinstance(t, str) else t) for t in texts_of(record))
