"""The words of the world: nouns, names, verbs, adjectives, adverbials, each with its English and Korean forms."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Lexeme:
    """A noun or a name. `family` is equal for lexemes that look alike in either language: splits go by it."""

    concept: str
    kind: str  # its class, or PER, LOC, ORG
    topic: str
    en: tuple[str, ...]
    en_plural: tuple[str, ...]
    number: str  # "count", "mass", "plural" (always plural)
    ko: tuple[str, ...]
    counter: str = ""  # Korean counting word; "" if not counted
    preposition: str = "in"  # of place: on the farm, at the station
    gender: str = ""  # f or m for persons' names
    person: bool = False
    split: str = "train"
    family: int = 0
    senses: dict[str, str] = field(default_factory=dict)  # language -> sense label, only where the word is ambiguous
    adjectives: tuple[Adjective, ...] = ()  # that may follow be
    attributes: tuple[Adjective, ...] = ()  # that may stand before it

    @property
    def named(self) -> bool:
        return self.kind in ("PER", "LOC", "ORG")


@dataclass(slots=True, eq=False)
class Verb:
    concept: str
    base: str
    third: str
    past: str
    ing: str
    ko: dict[str, str]  # form name -> form, see korean.conjugate
    family: int = 0


@dataclass(slots=True, eq=False)
class Adjective:
    concept: str
    en: str
    ko: dict[str, str]
    before_nouns_only: bool  # in Korean (새)
    judgement: int  # +1, -1, 0
    after_be_only: bool = False
    family: int = 0


@dataclass(slots=True, eq=False)
class Adverbial:
    """An adverb or a short phrase: words with their parts of speech per language, and which of them is the head."""

    words: dict[str, tuple[tuple[str, str], ...]]
    heads: dict[str, int]
    family: int = 0


def make_name(kind: str, en: tuple[str, ...], ko: tuple[str, ...]) -> Lexeme:
    """A name of type PER.f, PER.m, LOC or ORG."""
    ner, _, gender = kind.partition(".")
    return Lexeme(" ".join(en), ner, "names", en, en, "count", ko, gender=gender, person=ner == "PER")
