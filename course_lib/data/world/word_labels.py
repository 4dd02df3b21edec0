"""Part of speech and topic of the words of the world."""

from __future__ import annotations

from collections import defaultdict

from course_lib.data.world.grammar import Frame
from course_lib.data.world.lexicon import Lexicon

VERB_FORMS = ("past", "present", "and", "not")  # Korean forms that sentences use


def word_labels(lexicon: Lexicon, frames: list[Frame], language: str) -> dict[str, tuple[str, str]]:
    """word -> (part of speech, topic) of nouns, verbs and adjectives that have one of each.

    The topic of a noun is that of its class, of a verb that of its frames, of an adjective that of its nouns.
    """
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for noun in lexicon.nouns.values():
        forms = (noun.en, noun.en_plural) if language == "en" else (noun.ko,)
        for form in forms:
            found[form[0] if len(form) == 1 else ""].add(("NOUN", noun.topic))
        for adjective in (*noun.adjectives, *noun.attributes):
            forms = (adjective.en,) if language == "en" else tuple(adjective.ko.values())
            for word in forms:
                found[word].add(("ADJ", noun.topic))
    for frame in frames:
        for verb in frame.verbs:
            english = (verb.base, verb.third, verb.past)
            for word in english if language == "en" else [verb.ko[form] for form in VERB_FORMS]:
                found[word].add(("VERB", frame.topic))
    return {word: next(iter(labels)) for word, labels in found.items() if word and len(labels) == 1}
