"""The Korean of what the course and its library say, and what else a Korean line needs: particles and widths.

It stands beside its English in the files of `catalogue_files`. What is not there yet is said in English, so a
translation may be unfinished and no chapter breaks; `python -m tests.notebooks.korean count` says what is missing.
A particle that depends on the value before it is written {name:은/는}: "“{word}”{word:은/는} 없습니다".
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from course_lib.config import project_dir
from course_lib.errors import CourseError
from course_lib.language import columns, language

_FIELD = re.compile(r"\{(\w+)(?::([^{}/]+)/([^{}/]+))?\}")


def translate(english: str, values: Mapping[str, object]) -> str | None:
    """The Korean of this sentence with its values; None where there is none yet."""
    korean = catalogue().get(english)
    return None if korean is None else fill(korean, values)


def fill(text: str, values: Mapping[str, object]) -> str:
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


def catalogue_files() -> list[Path]:
    """Where Korean stands: what the library and the course say, what a chapter says."""
    root = project_dir()
    places = ("course/korean/[!.]*.toml", "course/chapters/ch*/ko.toml")
    return [path for place in places for path in sorted(root.glob(place))]


@cache
def catalogue() -> dict[str, str]:
    """English -> Korean, from all files; an entry whose Korean is still empty is not there."""
    return {english: korean for path in catalogue_files() for english, korean in entries(path) if korean}


def entries(path: Path) -> list[tuple[str, str]]:
    """The (English, Korean) of one file, in its order. Raises CourseError with the remedy if it is no TOML.

    A text of several lines begins and ends with a line break in the file, not on the page.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8")).get("text", [])
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CourseError(f"{path} is not valid TOML ({error}). Put texts in single quotes: ko = '...'.") from None
    return [(row["en"].strip("\n"), row["ko"].strip("\n")) for row in rows]


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
