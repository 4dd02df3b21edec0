"""The record types of the course: one per task, whatever the source (public, invented world, handmade, yours)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from course_lib.errors import CourseError
from course_lib.text.words import as_text, word_spans


@dataclass(frozen=True)
class Sentence:
    """A text and its words. `spans[i]` is where word i stands: text[start:end] == words[i], offsets in characters."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    @classmethod
    def of(cls, source: Any, name: str = "A sentence") -> Sentence:
        """A sentence from raw text (split by the course's tokeniser) or from a list of words (joined by spaces).

        Raises CourseError for anything else, which it calls `name`; a Sentence stays what it is.
        """
        if isinstance(source, Sentence):
            return source
        if isinstance(source, str):
            found = word_spans(source := str(source))  # a plain one, of numpy's too
            return cls(source, tuple(w for w, _, _ in found), tuple((start, end) for _, start, end in found))
        if isinstance(source, (bytes, Mapping, Set)) or not isinstance(source, Iterable):
            as_text(source, name)
        words = tuple(source)
        for position, word in enumerate(words):
            if not isinstance(word, str) or not word:
                raise CourseError(
                    f"{name} given as a list must hold words (non-empty str); item {position} is {word!r}. "
                    "Pass raw text as one str, or a list of words, and drop what is empty."
                )
        spans, start = [], 0
        for word in words:
            spans.append((start, start + len(word)))
            start += len(word) + 1
        return cls(" ".join(words), tuple(map(str, words)), tuple(spans))

    def __len__(self) -> int:
        return len(self.words)


def listed(items: Any, reader: str, what: str = "sentences") -> list:
    """A list of what `reader` is given. Raises CourseError for one text or record, for a table and for no list."""
    is_one = isinstance(items, (str, bytes, Sentence, SentencePair, LabelledText, TaggedSentence, Passage))
    if is_one or isinstance(items, Mapping) or hasattr(items, "columns") or not isinstance(items, Iterable):
        remedy = "Put it in [ ]." if is_one else "Take the texts out of it, such as one column of a table."
        found = f"{'one ' if is_one else 'a ' * isinstance(items, Iterable)}{type(items).__name__}"
        raise CourseError(f"{reader} reads a list of {what}, not {found}. {remedy}")
    return list(items)  # an iterator could be read only once


def checked_sentences(sentences: Any, reader: str) -> list[Sentence]:
    """What a model called `reader` is given, as records. CourseError for none, for an empty one and for no sentence."""
    records, items = [], listed(sentences, reader)
    for number, item in enumerate(items):
        name = f"{reader}: sentence {number} of {len(items)}"
        records.append(Sentence.of(item, name))
        if not records[-1].words:
            raise CourseError(f"{name} is empty. Drop empty sentences first.")
    if not records:
        raise CourseError(f"{reader} got no sentence. Pass at least one.")
    return records


@dataclass(frozen=True)
class TaggedSentence:
    """A sentence with one tag per word in each layer of `tags`, e.g. "upos", "ner" (BIO); heads: 0 = root."""

    sentence: Sentence
    tags: dict[str, tuple[str, ...]]
    heads: tuple[int, ...] | None = None

    def __post_init__(self):
        for name, tags in self.tags.items():
            if len(tags) != len(self.sentence):
                raise CourseError(
                    f"{len(tags)} {name} tags for {len(self.sentence)} words in {self.sentence.text[:80]!r}. "
                    "Give each word exactly one tag."
                )


@dataclass(frozen=True)
class LabelledText:
    text: str
    label: str


@dataclass(frozen=True)
class SentencePair:
    first: str
    second: str
    label: str


@dataclass(frozen=True)
class Question:
    """A question about a passage; each answer is (text, start) with passage[start:start + len(text)] == text."""

    id: str
    question: str
    answers: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Passage:
    text: str
    questions: tuple[Question, ...] = field(default=())
    title: str = ""

    def __post_init__(self):
        for question in self.questions:
            for answer, start in question.answers:
                if start < 0 or not answer or self.text[start : start + len(answer)] != answer:
                    raise CourseError(
                        f"Question {question.id!r}: the answer {answer[:60]!r} does not stand at character {start} of "
                        "its passage. Count characters from 0 in the passage's text, or leave the question out."
                    )


@dataclass(frozen=True)
class ParallelPair:
    """A sentence and its translation; `alignment` holds (source word, target word) index pairs where they are known."""

    source: Sentence
    target: Sentence
    alignment: tuple[tuple[int, int], ...] | None = None


@dataclass(frozen=True)
class SenseExample:
    """An occurrence of an ambiguous word: `sentence.words[position]` is used in the sense called `sense`."""

    sentence: Sentence
    position: int
    word: str
    sense: str
    cue: str = ""  # left, right, both: where the words stand that decide the sense; empty: not known
