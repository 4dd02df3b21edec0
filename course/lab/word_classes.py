"""Classes for words that a vocabulary lacks, by their shape: numbers, capitalised words, -ing ...

Source: Weischedel et al. 1993, "Coping with ambiguity and unknown words through probabilistic models", Computational
Linguistics 19.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Sequence

from course_lib.data.records import Sentence
from course_lib.language import t

WORD_CLASSES = (
    *("number", "hyphen", "capitalised", "-ing", "-ed", "-ly", "-s"),
    *("Hangul + particle", "Hangul + ending", "Hangul", "other"),
)

_NUMBER = re.compile(r"[-+]?[.,]?\d")
_HYPHEN = re.compile(r"\w[\w'’]*(?:[-\u2010\u2011][\w'’]+)+")
_ENDINGS = {"ing": "", "ed": "e", "ly": "", "s": "isu"}  # -> what may not stand before it: need, this, glass, bus
_VOWELS = frozenset("aeiouy")  # one must stand before an ending: not thing, red, fly
_HANGUL = re.compile(r"[가-힣]+")
_AFTER_CONSONANT = re.compile("은|이|을|과|으로|이나|이랑")
_AFTER_VOWEL = re.compile("는|가|를|와|로|나|랑")
_PARTICLE = re.compile("의|에|도|만|에서|에게|에는|에도|께서|한테|까지|부터|처럼|보다|마저|조차|밖에|에서는|으로는")
_VERB_ENDING = re.compile(
    "다|고|며|면|서|지|게|요|까|자|던|니다|니까|면서|지만|는데|려고|도록|어서|아서|세요|어요|아요|거나"
)
_FIRST, _RIEUL, _FINALS = ord("가"), 8, 28


def word_class(word: str) -> str:
    """The class of a word by its shape alone, one of WORD_CLASSES; the first that fits, in that order.

    A rough cut: no dictionary is asked, so 고양이 passes as 고양 with a particle. Endings count in small letters.
    """
    if _NUMBER.match(word):
        return "number"
    if _HYPHEN.fullmatch(word):
        return "hyphen"
    if word[:1].isupper():
        return "capitalised"
    for ending, not_before in _ENDINGS.items():
        stem = word.removesuffix(ending)
        if stem != word and stem[-1:] not in tuple(not_before) and not _VOWELS.isdisjoint(stem):
            return f"-{ending}"
    word = unicodedata.normalize("NFC", word)
    return _hangul_class(word)[0] if _HANGUL.fullmatch(word) else "other"


def particle_of(word: str) -> str:
    """The particle that a word of Hangul ends in, by the same rules, else ""."""
    name, suffix = _hangul_class(word) if _HANGUL.fullmatch(word) else ("", "")
    return suffix if name == "Hangul + particle" else ""


def typed_words(text: str, known: Container[str]) -> list[str]:
    """Words and marks of a typed text. A word that is not known loses its particle, since the Korean texts that the
    models have read write particles apart: 배가 -> 배 가."""
    words = []
    for word in Sentence.of(text).words:
        particle = "" if word in known else particle_of(word)
        words += [word.removesuffix(particle), particle] if particle else [word]
    return words


def with_unknown(says: str, words: Sequence[str], known: Container[str]) -> str:
    """What is said of a sentence, and which of its words the model does not know."""
    unknown = [word for word in dict.fromkeys(words) if word not in known]
    return t("{says}; not known to it: {words}", says=says, words=", ".join(unknown)) if unknown else says


def _hangul_class(word: str) -> tuple[str, str]:
    """Its class and its suffix, the longest particle or ending.

    Which of 을 and 를 fits depends on the sound before it; a single syllable that fits after any sound needs two
    syllables before it, or 바다 and 편지 would be cut.
    """
    for length in (3, 2, 1):
        stem, suffix = word[:-length], word[-length:]
        if not stem:
            continue
        if _sound_fits(stem, suffix):
            return "Hangul + particle", suffix
        if length + len(stem) > 2:
            if _PARTICLE.fullmatch(suffix):
                return "Hangul + particle", suffix
            if _VERB_ENDING.fullmatch(suffix):
                return "Hangul + ending", suffix
    return "Hangul", ""


def _sound_fits(stem: str, suffix: str) -> bool:
    final = (ord(stem[-1]) - _FIRST) % _FINALS  # number of the last syllable's final consonant, 0 for none
    after_vowel = final == 0 or (final == _RIEUL and suffix == "로")
    return bool((_AFTER_VOWEL if after_vowel else _AFTER_CONSONANT).fullmatch(suffix))
