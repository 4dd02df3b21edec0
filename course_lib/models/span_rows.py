"""Questions and passages to rows that an encoder can read: one question beside one window of its passage.

A passage that is too long is cut into windows that overlap (the code of Devlin et al. 2019, run_squad.py, does so),
here between words, so that no word is torn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from course_lib.data.records import Passage, Question, Sentence
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder
from course_lib.models.spans import Place, units_of, word_windows

Asked = Iterable[Passage | Sequence]  # a Sequence: (question, passage)


@dataclass(frozen=True)
class Row:
    """number, name  of the question among all asked
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


def rows_of(asked: Asked, encoder: ContextEncoder, overlap: int | None) -> list[list[Row]]:
    """For each question the rows that hold its whole passage, in input order.

    overlap  most pieces that a window shares with the one before; never more than half a window, which is None
    Raises CourseError that names the question: an empty question or passage, a question that leaves no room for the
    passage, a word that fits into no window, an answer that does not stand where it should.
    """
    if isinstance(asked, (Passage, str)):
        raise CourseError(f"SpanExtractor reads a list, not one {type(asked).__name__}. Put it in [ ].")
    found: list[list[Row]] = []
    for item in asked:
        passage, questions = _parts(item, len(found))
        words = Sentence.of(passage.text)
        sizes = _sizes(encoder, words)
        for question in questions:
            found.append(_windows(encoder, len(found), question, words, sizes, overlap))
    if not found:
        raise CourseError("SpanExtractor got no question. Give passages with questions, or (question, passage) pairs.")
    return found


def training_rows(rows: Sequence[Row], no_answer: bool) -> list[Row]:
    """The windows of one question to learn from: those that hold its answer.

    With `no_answer` also those that hold nothing of it, with answer None. A window that cuts the answer is left out.
    Raises CourseError if none is left.
    """
    answer, name = rows[0].answer, rows[0].name
    if not rows[0].labelled:
        raise CourseError(f"SpanExtractor: {name} came as bare text, others with answers. Make it a Question.")
    if answer is None:
        if no_answer:
            return list(rows)
        raise CourseError(f"SpanExtractor: {name} has no answer to learn. Leave it out, or set no_answer=True.")
    kept, whole = [], False
    for row in rows:
        left, right = row.window.spans[0][0], row.window.spans[-1][1]
        if left <= answer[0] and answer[1] <= right:
            kept, whole = [*kept, row], True
        elif no_answer and (right <= answer[0] or answer[1] <= left):
            kept.append(replace(row, answer=None))
    if not whole:
        raise CourseError(
            f"SpanExtractor: the answer of {name}, characters {answer[0]} to {answer[1]}, is in no window as a whole. "
            "Leave it out, or use a larger overlap."
        )
    return kept


def _parts(item: object, number: int) -> tuple[Passage, Sequence[Question | str]]:
    if isinstance(item, Passage):
        return item, item.questions
    match item:
        case (Question() | str() as question, Passage() as passage):
            return passage, (question,)
        case (Question() | str() as question, str() as text):
            return Passage(text), (question,)
    raise CourseError(
        f"SpanExtractor: after {number} questions comes {repr(item)[:80]}. "
        "Give Passage records or (question, passage) pairs."
    )


def _windows(
    encoder: ContextEncoder,
    number: int,
    asked: Question | str,
    passage: Sentence,
    sizes: list[int],
    overlap: int | None,
) -> list[Row]:
    name = f"question {asked.id!r}" if isinstance(asked, Question) else f"question {number}"
    question = Sentence.of(asked.question if isinstance(asked, Question) else asked)
    for what, sentence in [("question", question), ("passage", passage)]:
        if not sentence.words:
            raise CourseError(
                f"SpanExtractor, {name}: the {what} is empty. Give it at least one word, or leave it out."
            )
    answer = _answer(asked, name, passage) if isinstance(asked, Question) else None
    places = [(0, len(passage))]
    if encoder.max_units is not None:
        n_asked, room = sum(_sizes(encoder, question)), encoder.max_units
        fits = n_asked <= room
        if encoder.reads_pairs:
            room -= n_asked + 1  # the second [SEP] takes a place
            fits = room > 0
        if not fits:
            raise CourseError(
                f"SpanExtractor, {name}: it has {n_asked} pieces; the encoder reads {encoder.max_units}, passage "
                "included if it reads both in one pass. Shorten the question."
            )
        if max(sizes) > room:
            word = passage.words[sizes.index(max(sizes))]
            raise CourseError(
                f"SpanExtractor, {name}: the word {word[:40]!r} has {max(sizes)} pieces, but {room} fit beside the "
                "question. Shorten the question, or use an encoder with more max_units."
            )
        places = word_windows(sizes, room, room // 2 if overlap is None else min(overlap, room // 2))
    parts = [Sentence(passage.text, passage.words[a:b], passage.spans[a:b]) for a, b in places]
    return [Row(number, name, question, part, answer, isinstance(asked, Question)) for part in parts]


def _answer(question: Question, name: str, passage: Sentence) -> Place | None:
    """Where the first answer stands, widened to a whole unit only later; None if there are no answers."""
    for text, start in question.answers:
        if start < 0 or not text or passage.text[start : start + len(text)] != text:
            raise CourseError(
                f"SpanExtractor, {name}: the answer {text[:60]!r} does not stand at character {start} of the passage. "
                "Count characters from 0 in the passage's text."
            )
    if not question.answers:
        return None
    text, start = question.answers[0]
    start, end = start + len(text) - len(text.lstrip()), start + len(text.rstrip())
    if units_of(passage.spans, start, end) is None:
        raise CourseError(f"SpanExtractor, {name}: the answer {text!r} holds no word. Leave it out.")
    return start, end


def _sizes(encoder: ContextEncoder, sentence: Sentence) -> list[int]:
    """Places that each word takes in the encoder: its pieces, or one."""
    pieces = getattr(encoder, "pieces", None)
    return [1] * len(sentence) if pieces is None else [len(word) for word in pieces.split(sentence.words)]
