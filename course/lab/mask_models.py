"""A BERT as the widget `fill_mask` asks it: pieces in, the most probable pieces of each gap out."""

from __future__ import annotations

from collections.abc import Sequence

from course_lib.data.records import Sentence
from course_lib.models.bert import Bert, guesses
from course_lib.models.shipped import load, shipped_names
from course_lib.text.word_pieces import WordPieces
from course_lib.widgets.gap_model import FillModel, LanguageSwitch

ENGLISH, KOREAN = "bert-en", "bert-ko"
# Particles stand alone, as in the text that bert-ko has read.
KOREAN_SENTENCES = (
    "그녀 는 1950년 서울 에서 태어났다 .",
    "아버지 와 어머니 는 함께 살았다 .",
    "그 섬 은 북쪽 에 있다 .",
    "바다 멀리 하얀 배 가 보였다 .",
    "과수원 에서 딴 배 는 달고 맛있다 .",
)


def fill_model(bert: Bert, name: str) -> FillModel:
    """The model under the name that stands above its guesses. It works where the model's weights are."""

    def fill(tokens: Sequence[str], masked: Sequence[int], k: int) -> list[list[tuple[str, float]]]:
        return piece_guesses(bert, tokens, masked, k)

    return FillModel(name, lambda text: text_pieces(bert.pieces, text), fill)


def shipped_model(english: Bert | None = None) -> FillModel | LanguageSwitch:
    """bert-en; where bert-ko ships too, both behind a switch: a text with Hangul is read by bert-ko.

    english  bert-en, if it is loaded already
    """
    usual = fill_model(english or load(ENGLISH), ENGLISH)
    if KOREAN not in shipped_names():
        return usual
    return LanguageSwitch("the shipped BERT", usual, fill_model(load(KOREAN), KOREAN))


def example_sentences(english: Sequence[str]) -> list[str]:
    """For `shipped_model`: the English sentences, and Korean ones where bert-ko ships."""
    return [*english, *(KOREAN_SENTENCES if KOREAN in shipped_names() else ())]


def language_note() -> str:
    """What `shipped_model` makes of Korean, in a sentence for the reader."""
    if KOREAN in shipped_names():
        return (
            f"{KOREAN} reads texts with Hangul. Put a space before a particle, as it has learned them: 배 가, not 배가."
        )
    return (
        f"There is no {KOREAN} in this copy of the course, and {ENGLISH} has no Hangul: Korean is all [UNK]. "
        f"`python -m course.recipes {KOREAN}` trains it."
    )


def text_pieces(pieces: WordPieces, text: str) -> list[str]:
    """The text's pieces as they stand in the vocabulary; a word that cannot be made of them is [UNK]."""
    return pieces.tokens(pieces.ids(Sentence.of(text).words))


def piece_guesses(bert: Bert, tokens: Sequence[str], masked: Sequence[int], k: int) -> list[list[tuple[str, float]]]:
    """As `Bert.fill`, but of pieces, so that a gap can be a part of a word. A piece of another model is [UNK] here."""
    pieces = bert.pieces
    known = {piece: number for number, piece in enumerate(pieces.vocabulary)}
    ids = [pieces.cls, *(known.get(token, pieces.unknown) for token in tokens), pieces.sep]
    columns = [1 + place for place in masked]
    for column in columns:
        ids[column] = pieces.mask
    return guesses(bert, ids, columns, min(k, len(pieces)))
