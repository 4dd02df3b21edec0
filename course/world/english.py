"""English inflection by rule; what the rules miss stands in the word tables."""

from __future__ import annotations

import re

_SIBILANT = re.compile(r"(?:s|x|z|ch|sh)$")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")
_SHORT = re.compile(r"^[^aeiou]*[aeiou][^aeiouwxy]$")  # stop, plan, sit: one short syllable doubles its last letter
_VOWEL_SOUND = re.compile(r"^(?:[aeio]|u(?!ni|se|su|ti|ro)|hour|honest|heir)", re.IGNORECASE)


def with_s(word: str) -> str:
    """The plural of a noun, the third person of a verb: dogs, boxes, cities, washes."""
    if _SIBILANT.search(word):
        return word + "es"
    if _CONSONANT_Y.search(word):
        return word[:-1] + "ies"
    return word + "s"


def third_person(verb: str) -> str:
    return {"go": "goes", "do": "does", "have": "has", "be": "is"}.get(verb) or with_s(verb)


def past(verb: str) -> str:
    """The regular past: walked, baked, carried, stopped."""
    if verb.endswith("e"):
        return verb + "d"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ied"
    return _doubled(verb) + "ed"


def ing(verb: str) -> str:
    """walking, baking, lying, sitting."""
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if verb.endswith("e") and not verb.endswith("ee"):
        return verb[:-1] + "ing"
    return _doubled(verb) + "ing"


def article(following: str) -> str:
    """a or an, by the sound the next word starts with."""
    return "an" if _VOWEL_SOUND.match(following) else "a"


def _doubled(verb: str) -> str:
    return verb + verb[-1] if _SHORT.match(verb) else verb
