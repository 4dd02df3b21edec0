"""The reader's language. What the package says to a reader goes through `t`; the key is the English sentence.

    t("{n} of {all} answered", n=3, all=10)       Korean: "10문항 가운데 3문항에 답했습니다"
    t("verdict|open")                             a word before the bar tells two uses apart and is never shown
    WORDS = {"a": key("first"), "b": key("last")}; t(WORDS[which])       a sentence that is chosen elsewhere

Korean stands beside its English in the files of `catalogue_files`. What is not there yet is said in English, so a
translation may be unfinished and no chapter breaks; `python -m tests.notebooks.korean count` says what is missing.
A particle that depends on the value before it is written {name:은/는}: "“{word}”{word:은/는} 없습니다".
"""

from __future__ import annotations

import contextlib
import os
import re
import textwrap
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from unicodedata import east_asian_width

from course_lib.config import project_dir
from course_lib.errors import CourseError

LANGUAGES = ("en", "ko")
_FIELD = re.compile(r"\{(\w+)(?::([^{}/]+)/([^{}/]+))?\}")
_CONTEXT = re.compile(r"^[a-z]+\|")
_NUMBER = re.compile(r"\d[\d,.]*\d|\d")
_chosen: str | None = None  # by `start(..., language=...)`; else COURSE_LANGUAGE


def use(language: str | None) -> None:
    """Speak this language from now on; None: as COURSE_LANGUAGE says. Raises CourseError if it is not known."""
    global _chosen
    if language is not None and language not in LANGUAGES:
        raise CourseError(f"There is no edition in {language!r}. Languages: {', '.join(LANGUAGES)}.")
    _chosen = language


def language() -> str:
    """The language spoken now: "en" or "ko". Raises CourseError if COURSE_LANGUAGE names no edition."""
    named = _chosen or os.environ.get("COURSE_LANGUAGE") or "en"
    if named not in LANGUAGES:
        raise CourseError(f"COURSE_LANGUAGE is {named!r}. Set it to one of: {', '.join(LANGUAGES)}.")
    return named


@contextlib.contextmanager
def speaking(language: str) -> Iterator[None]:
    """In the block this language, after it the one before."""
    before = _chosen
    use(language)
    try:
        yield
    finally:
        use(before)


def t(english: str, /, **values: object) -> str:
    """The sentence in the reader's language, its {names} replaced by `values` (format numbers before)."""
    text = catalogue().get(english) if language() == "ko" else None
    return fill(_CONTEXT.sub("", english) if text is None else text, values)


def key(english: str) -> str:
    """The sentence itself: tells the translators' tools that it will be said by `t` in another place."""
    return english


def t_label(english: str) -> str:
    """A label that was computed or recorded, such as "share at window 5, in %": its numbers are no part of the key,
    which has `#` for each ("share at window #, in %")."""
    if language() == "en":
        return english
    if (text := catalogue().get(english)) is not None:
        return text
    numbers = iter(_NUMBER.findall(english))
    text = catalogue().get(label_key(english))
    return english if text is None else re.sub("#", lambda _: next(numbers, "#"), text)


def label_key(english: str) -> str:
    """The label with `#` for each of its numbers."""
    return _NUMBER.sub("#", english)


def fill(text: str, values: dict[str, object]) -> str:
    """{name} becomes its value, {name:은/는} the particle that follows it; a name without a value stays as it is."""

    def one(match: re.Match) -> str:
        name, after_consonant, after_vowel = match.groups()
        if name not in values:
            return match.group()
        return str(values[name]) if after_consonant is None else particle(values[name], after_consonant, after_vowel)

    return _FIELD.sub(one, text) if values else text


def texts(keys: Iterable[str]) -> dict[str, str]:
    """What a widget's page needs: the Korean of its English sentences; empty in an English session."""
    return {key: catalogue()[key] for key in keys if key in catalogue()} if language() == "ko" else {}


# ---- the catalogue


def catalogue_files() -> list[Path]:
    """Where Korean stands: what the library and its widgets say, what the course says, what a chapter says."""
    root = project_dir()
    places = ("course_lib/korean/[!.]*.toml", "course/korean/[!.]*.toml", "course/chapters/ch*/ko.toml")
    return [path for place in places for path in sorted(root.glob(place))]


@cache
def catalogue() -> dict[str, str]:
    """English -> Korean, from all files; an entry whose Korean is still empty is not there."""
    return {english: korean for path in catalogue_files() for english, korean in entries(path) if korean}


def entries(path: Path) -> list[tuple[str, str]]:
    """The (English, Korean) of one file, in its order. Raises CourseError with the remedy if it is not as it must be.

    A text of several lines begins and ends with a line break in the file, not on the page.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("text", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise CourseError(f"{path} is not valid TOML ({error}). Put texts in single quotes: ko = '...'.") from None
    for n, row in enumerate(rows if isinstance(rows, list) else [rows], start=1):
        if (
            not isinstance(row, dict)
            or set(row) != {"en", "ko"}
            or not all(isinstance(text, str) for text in row.values())
        ):
            raise CourseError(f"{path}, entry {n}: each [[text]] has en = '...' and ko = '...', and nothing else.")
    return [(row["en"].strip("\n"), row["ko"].strip("\n")) for row in rows]


# ---- lines


def wrapped(text: str, width: int, **options) -> list[str]:
    """Lines of at most `width` columns, as textwrap.wrap; a Hangul syllable takes two, and words stay whole."""
    if language() == "en":
        return textwrap.wrap(text, width, **options)
    lines, line = [], options.get("initial_indent", "")
    start = line
    for word in text.split():
        if line != start and columns(line) + 1 + columns(word) > width:
            lines.append(line)
            line = start = options.get("subsequent_indent", "")
        line += word if line == start else f" {word}"
    return [*lines, line] if line != start else lines


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


# ---- particles

_LETTERS_CLOSED = "LMNR"  # 엘, 엠, 엔, 알: names of letters that end in a consonant
_DIGITS_CLOSED = "013678"  # 영 일 삼 육 칠 팔; and 십, 백, 천, 만 of numbers that end in 0
_DIGITS_L, _LETTERS_L = "178", "LR"  # ... in ㄹ, after which 으로 is 로


def particle(value: object, after_consonant: str, after_vowel: str) -> str:
    """The form that fits the last sound of `value`; both, as in 은(는), where a foreign word does not tell."""
    word = re.sub(r"[\s\"'”’)\]}>.…]+$", "", str(value))
    end = word[-1:]
    with_ro = after_vowel == "로"
    if "가" <= end <= "힣":
        last = (ord(end) - ord("가")) % 28
        closed = last != 0 and not (with_ro and last == 8)
    elif end.isdecimal():
        closed = end in _DIGITS_CLOSED and not (with_ro and end in _DIGITS_L)
    elif end == "%":
        closed = False  # 퍼센트
    elif re.search(r"(?:^|[^A-Za-z])[A-Z0-9-]*[A-Z]$", word):
        closed = end in _LETTERS_CLOSED and not (with_ro and end in _LETTERS_L)
    else:
        return f"({after_consonant[0]}){after_vowel}" if with_ro else f"{after_consonant}({after_vowel})"
    return after_consonant if closed else after_vowel
