"""The reader's language. What the package says to a reader goes through `t`; the key is the English sentence.

    t("{n} of {all} answered", n=3, all=10)       in a Korean session "10문항 가운데 3문항에 답했습니다"
    t("verdict|open")                             a word before the bar tells two uses apart and is never shown
    WORDS = {"a": key("first"), "b": key("last")}; t(WORDS[which])       a sentence that is chosen elsewhere

The library itself speaks English. Who has a translation puts it in as `translate` (the course: course/catalogue.py).
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterator, Mapping
from unicodedata import east_asian_width

from course_lib.errors import CourseError

LANGUAGES = ("en", "ko")
_FIELD = re.compile(r"\{(\w+)\}")
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


def _no_translation(english: str, values: Mapping[str, object]) -> str | None:
    return None


translate: Callable[[str, Mapping[str, object]], str | None] = _no_translation  # English, values -> what is said


def t(english: str, /, **values: object) -> str:
    """The sentence in the reader's language, its {names} replaced by `values` (format numbers before)."""
    if language() != "en" and (said := translate(english, values)) is not None:
        return said
    plain = _CONTEXT.sub("", english)
    return _FIELD.sub(lambda match: str(values.get(match[1], match[0])), plain) if values else plain


def key(english: str) -> str:
    """The sentence itself: tells the translators' tools that it will be said by `t` in another place."""
    return english


def t_label(english: str) -> str:
    """A label that was computed or recorded, such as "share at window 5, in %": its numbers are no part of the key,
    which has `#` for each ("share at window #, in %")."""
    if language() == "en":
        return english
    if (text := translate(english, {})) is None and (text := translate(label_key(english), {})) is not None:
        numbers = iter(_NUMBER.findall(english))
        text = re.sub("#", lambda _: next(numbers, "#"), text)
    return english if text is None else text


def label_key(english: str) -> str:
    """The label with `#` for each of its numbers."""
    return _NUMBER.sub("#", english)


def columns(text: str) -> int:
    """How many columns of a terminal the text takes."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)
