"""A text of one's own in the place of the invented world's: `course text FILE ...` makes it, builds read it.

It is kept in answers/text/LANGUAGE/NAME.txt: a sentence a line, words between spaces, rare words as <unk>.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path

from course import kept
from course.lab.particles import split_particles
from course.settings import answers_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file, given_path, small_text
from course_lib.language import key, language, t
from course_lib.text.words import split_sentences, split_words

LEAST, MOST = 20_000, 60_000  # words: with fewer little is learned; the world's text has as many as the most
SHORTEST, LONGEST = 3, 60  # words of a sentence; the networks have 64 places
KNOWN_FROM = 3  # times that a word must occur to be known
UNKNOWN = "<unk>"
_FRAME = re.compile(r"\*\*\* ?(START|END) OF ")  # Project Gutenberg's, around the book
_MARKUP = re.compile(r"\s*(?:\{\\rtf|%PDF-|<(?:!doctype|html|\?xml)\b|\{\s*\"|\[\s*\{)", re.IGNORECASE)
_REMEDY = key("Give a file of plain text, saved as UTF-8, of at most 16 MB.")


@dataclass
class OwnText:
    """The sentences, and what became of the rest."""

    sentences: list[list[str]]
    dropped: dict[str, list[int]] = field(default_factory=dict)  # file -> numbers of the lines that were dropped
    n_short: int = 0  # sentences that were dropped
    n_cut: int = 0  # sentences that were cut
    n_left: int = 0  # words behind the most
    n_unknown: int = 0

    @property
    def n_words(self) -> int:
        return sum(map(len, self.sentences))

    @property
    def n_known(self) -> int:
        """Different words, without the unknown one."""
        return len({word for words in self.sentences for word in words} - {UNKNOWN})


def folder() -> Path:
    return answers_dir() / "text" / language()


def made_of(files: Sequence[str | Path]) -> OwnText:
    """The text of some files, in the language spoken now. Korean particles become words of their own."""
    text = OwnText([])
    plain = "\n\n".join(_lines(given_path(file), text.dropped) for file in files)
    # in pieces: the time grows with the square of a row of accents
    plain = re.sub(r"\S{1,1000}", lambda piece: unicodedata.normalize("NFC", piece[0]), plain)
    _refuse_another_language(plain)
    paragraphs = re.split(r"\n\s*\n", plain)
    raw = [sentence for paragraph in paragraphs for sentence in split_sentences(paragraph)]
    split = list(split_particles(raw) if language() == "ko" else map(split_words, raw))
    whole = [words for words in split if len(words) >= SHORTEST]
    text.n_short, text.n_cut = len(split) - len(whole), sum(len(words) > LONGEST for words in whole)
    parts = [words[at : at + LONGEST] for words in whole for at in range(0, len(words), LONGEST)]
    n_words = list(accumulate(map(len, parts), initial=0))
    if n_words[-1] < LEAST:
        says = key("These files have {n} words that can be read; {least} are needed. Add files, or take a longer text.")
        raise CourseError(t(says, n=f"{n_words[-1]:,}", least=f"{LEAST:,}"))
    taken = [words for words, end in zip(parts, n_words[1:], strict=True) if end <= MOST]
    counts = Counter(word for words in taken for word in words)
    text.sentences = [[word if counts[word] >= KNOWN_FROM else UNKNOWN for word in words] for words in taken]
    text.n_left = n_words[-1] - text.n_words
    text.n_unknown = sum(words.count(UNKNOWN) for words in text.sentences)
    return text


def keep(name: str, text: OwnText) -> Path:
    """Write the text; one that was kept under this name before is replaced."""
    path = _path(name)
    with atomic_file(path, "w") as file:
        file.writelines(" ".join(words) + "\n" for words in text.sentences)
    return path


def read(name: str) -> list[list[str]]:
    """The sentences of the text kept under this name."""
    path = _path(name)
    if not path.exists():
        names = ", ".join(sorted(other.stem for other in folder().glob("*.txt"))) or "–"
        says = key(
            "There is no text {name} in {folder}. There are: {names}. `course text FILE --name {name}` makes one."
        )
        raise CourseError(t(says, name=name, folder=folder(), names=names))
    remedy = t("Make it again with `course text`.")
    sentences = [line.split() for line in small_text(path, remedy).splitlines()]
    if sum(map(len, sentences)) < LEAST or not all(1 <= len(words) <= LONGEST for words in sentences):
        raise CourseError(t("{path} is not as `course text` writes it. {remedy}", path=path, remedy=remedy))
    return sentences


def _path(name: str) -> Path:
    kept.refuse_name(name)
    return folder() / f"{name}.txt"


def _lines(path: Path, dropped: dict[str, list[int]]) -> str:
    """The lines of a file that hold a letter, without the frame around a book of Project Gutenberg."""
    text = small_text(path, t(_REMEDY))
    if _MARKUP.match(text):
        raise CourseError(
            t("{path} is HTML, XML, RTF, PDF or JSON, not plain text. {remedy}", path=path, remedy=t(_REMEDY))
        )
    lines = text.splitlines()
    frame = {mark[1]: i for i, line in enumerate(lines) if (mark := _FRAME.match(line))}
    first, end = frame.get("START", -1) + 1, frame.get("END", len(lines))
    read = [first <= i < end and any(map(str.isalpha, line)) for i, line in enumerate(lines)]
    if numbers := [i + 1 for i, line in enumerate(lines) if line.strip() and not read[i]]:
        dropped[path.name] = numbers
    return "\n".join(line if own else "" for line, own in zip(lines, read, strict=True))


def _refuse_another_language(text: str) -> None:
    letters = [letter for letter in text if letter.isalpha()]
    korean = sum("가" <= letter <= "힣" for letter in letters) > len(letters) / 2
    if letters and korean != (language() == "ko"):
        other = "ko" if korean else "en"
        says = key("Most letters of this text are those of another language: say `course --language {other} text ...`.")
        raise CourseError(t(says, other=other))
