"""A sentence being written: words with their labels, appended from left to right."""

from __future__ import annotations

from course_lib.data.world.lexemes import Adverbial
from course_lib.data.world.sentence import WorldSentence


class Line:
    """`heads` holds 0-based places while writing, -1 for the root; `finish` turns them into CoNLL's 1-based ones."""

    __slots__ = ("entities", "heads", "ner", "places", "roles", "senses", "upos", "words")

    def __init__(self):
        self.words: list[str] = []
        self.upos: list[str] = []
        self.heads: list[int] = []
        self.ner: list[str] = []
        self.senses: list[str] = []
        self.entities: list[int] = []
        self.places: dict[tuple, int] = {}
        self.roles: dict[str, tuple[int, int]] = {}

    def add(self, word: str, upos: str, head: int = -1, sense: str = "_", entity: int = 0, ner: str = "O") -> int:
        self.words.append(word)
        self.upos.append(upos)
        self.heads.append(head)
        self.ner.append(ner)
        self.senses.append(sense)
        self.entities.append(entity)
        return len(self.words) - 1

    def name(self, words: tuple[str, ...], kind: str, entity: int, key: tuple) -> int:
        """A name of one or several words; its first word is the head."""
        number, role = key
        first = self.add(words[0], "PROPN", entity=entity, ner="B-" + kind)
        for word in words[1:]:
            self.add(word, "PROPN", head=first, ner="I-" + kind)
        self.places[number, role, "noun"] = first
        self.roles[role] = (first, len(self.words))
        return first

    def phrase(self, adverbial: Adverbial, language: str, key: tuple) -> int:
        start = len(self.words)
        head = start + adverbial.heads[language]
        for word, upos in adverbial.words[language]:
            self.add(word, upos, head=head)
        number, role = key
        self.places[number, role, "noun"] = head
        self.roles[role] = (start, len(self.words))
        return head

    def finish(self, language: str, topic: str, sentiment: str = "neutral", stop: str = ".") -> WorldSentence:
        """With the full stop, and the first letter large in English. Exactly one word must have no head by now."""
        root = next(place for place, head in enumerate(self.heads) if head == -1)
        self.add(stop, "PUNCT", head=root)
        if language == "en":
            first = self.words[0]
            self.words[0] = first[0].upper() + first[1:]
        return WorldSentence(
            language,
            tuple(self.words),
            tuple(self.upos),
            tuple([head + 1 for head in self.heads]),
            tuple(self.ner),
            tuple(self.senses),
            tuple(self.entities),
            self.roles,
            topic,
            sentiment,
            self.places,
        )
