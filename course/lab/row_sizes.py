"""How many places a record takes in one row of an encoder, and whether it has room there."""

from __future__ import annotations

from course_lib.data.records import LabelledText, Passage, Sentence, SentencePair, TaggedSentence
from course_lib.errors import CourseError
from course_lib.models.encoder import ContextEncoder
from course_lib.models.spans import rows_of, training_rows

Record = LabelledText | SentencePair | TaggedSentence | Passage


def n_units(encoder: ContextEncoder, record: Record) -> int:
    """Pieces of a record's texts, without specials; words if the encoder has no pieces."""
    pieces = getattr(encoder, "pieces", None)
    count = 0
    for text in texts_of(record):
        words = Sentence.of(text).words
        count += len(words) if pieces is None else sum(map(len, pieces.split(words)))
    return count


def fits(encoder: ContextEncoder, record: Record) -> bool:
    """True if the record is not empty and one row holds it whole: both texts, if the encoder reads pairs."""
    seps = len(texts_of(record)) - 1  # a second [SEP] takes a place
    n, room = n_units(encoder, record), encoder.max_units
    return n > 0 and (room is None or n + seps <= room)


def fits_windows(encoder: ContextEncoder, passage: Passage) -> bool:
    """True if the span head can learn the passage's one question: a window beside it holds the answer whole."""
    try:
        [rows] = rows_of([passage], encoder, None)
        return bool(training_rows(rows, no_answer=False))
    except CourseError:  # the question takes the whole row, a word or the answer is longer than what is left
        return False


def texts_of(record: Record) -> tuple[Sentence | str, ...]:
    """The texts that stand in one row: question and passage of a Passage, which has one question."""
    match record:
        case TaggedSentence():
            return (record.sentence,)
        case LabelledText():
            return (record.text,)
        case SentencePair():
            return record.first, record.second
    return record.questions[0].question, record.text
