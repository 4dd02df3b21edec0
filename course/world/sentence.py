"""A sentence of the world with all its labels at once: being written, written, as a pair and in a document."""

from __future__ import annotations

from dataclasses import dataclass, field

from course.world.lexicon import Adverbial
from course_lib.data.records import ParallelPair, Sentence, TaggedSentence

_APART = frozenset(("위해", "대해", "지나", "향해", "가지고"))  # postpositions written as words of their own


@dataclass(frozen=True, slots=True)
class WorldSentence:
    """One sentence of one language; every tuple has one item per word.

    heads     1-based place of the head word, 0 = root (as in CoNLL-U)
    ner       BIO tags: B-PER, I-ORG, O ...
    senses    sense label of an ambiguous word (bank.river), "_" elsewhere
    entities  number of the person, place or thing a word refers to, 0 = none; the same within a document
    roles     role name -> (first word, last word + 1), without particle or preposition
    """

    language: str
    words: tuple[str, ...]
    upos: tuple[str, ...]
    heads: tuple[int, ...]
    ner: tuple[str, ...]
    senses: tuple[str, ...]
    entities: tuple[int, ...]
    roles: dict[str, tuple[int, int]]
    topic: str
    places: dict = field(default_factory=dict, repr=False, compare=False)  # (clause, role, part) -> word; for alignment

    def __len__(self) -> int:
        return len(self.words)

    def text(self, *, attached: bool = True) -> str:
        """As one writes it (배를 탔다.); attached=False: the words between spaces (배 를 탔다 .)."""
        return self.sentence(attached=attached).text

    def sentence(self, *, attached: bool = False) -> Sentence:
        """The words with their places. attached=True: spans point into the text as one writes it."""
        if not attached:
            return Sentence.of(self.words)
        pieces, spans, start = [], [], 0
        for word, upos in zip(self.words, self.upos, strict=True):
            glued = upos == "PUNCT" or word == "'s" or (self.language == "ko" and upos == "ADP" and word not in _APART)
            if pieces and not glued:
                pieces.append(" ")
                start += 1
            pieces.append(word)
            spans.append((start, start + len(word)))
            start += len(word)
        return Sentence("".join(pieces), self.words, tuple(spans))

    @property
    def tagged(self) -> TaggedSentence:
        """Tags "upos", "ner", "sense"; and heads."""
        tags = {"upos": self.upos, "ner": self.ner, "sense": self.senses}
        return TaggedSentence(self.sentence(), tags, heads=self.heads)

    @property
    def antecedents(self) -> tuple[int | None, ...]:
        """For each pronoun the place of the nearest earlier word for the same referent in this sentence, else None."""
        last: dict[int, int] = {}
        antecedents: list[int | None] = []
        for place, (entity, upos) in enumerate(zip(self.entities, self.upos, strict=True)):
            antecedents.append(last.get(entity) if entity and upos == "PRON" else None)
            if entity:
                last[entity] = place
        return tuple(antecedents)


@dataclass(frozen=True, slots=True)
class WorldPair:
    """One meaning in both languages."""

    en: WorldSentence
    ko: WorldSentence

    def __getitem__(self, language: str) -> WorldSentence:
        return self.en if language == "en" else self.ko

    @property
    def alignment(self) -> tuple[tuple[int, int], ...]:
        """(English word, Korean word) pairs of places, in English order.

        They have one role in one clause. Where that is a pronoun in English and a name or noun in Korean (Sofia fed it
        because she was kind: the Korean name stands beside "kind"), the English name or noun is meant.
        """
        korean, english = self.ko.places, self.en
        pairs = ((place, korean[key]) for key, place in english.places.items() if key in korean)
        return tuple(sorted({(self._named(e) if self.ko.upos[k] != "PRON" else e, k) for e, k in pairs}))

    def _named(self, place: int) -> int:
        """Of an English pronoun the nearest word that names the same person or thing; of others the place itself."""
        upos, entities = self.en.upos, self.en.entities
        named = [i for i, e in enumerate(entities) if e and e == entities[place] and upos[i] != "PRON"]
        return min(named, key=lambda i: abs(i - place)) if upos[place] == "PRON" and named else place

    def parallel(self, source: str = "en") -> ParallelPair:
        """As a translation record; source is "en" or "ko"."""
        pair = ParallelPair(self.en.sentence(), self.ko.sentence(), self.alignment)
        turned = tuple(sorted((k, e) for e, k in self.alignment))
        return pair if source == "en" else ParallelPair(pair.target, pair.source, turned)


@dataclass(frozen=True, slots=True)
class WorldDocument:
    """Sentences about the same people, places and things, in both languages."""

    topic: str
    pairs: tuple[WorldPair, ...]

    def sentences(self, language: str) -> tuple[WorldSentence, ...]:
        return tuple(pair[language] for pair in self.pairs)


class Line:
    """`heads` holds 0-based places while writing, -1 for the root; `finish` turns them into CoNLL's 1-based ones."""

    def __init__(self):
        self.words: list[str] = []
        self.heads: list[int] = []
        self.labels: list[tuple[str, str, str, int]] = []  # part of speech, name, sense, entity
        self.places: dict[tuple, int] = {}  # (clause, role, part) -> word
        self.roles: dict[str, tuple[int, int]] = {}

    def add(self, word: str, upos: str, head: int = -1, sense: str = "_", entity: int = 0, ner: str = "O") -> int:
        self.words.append(word)
        self.heads.append(head)
        self.labels.append((upos, ner, sense, entity))
        return len(self.words) - 1

    def name(self, words: tuple[str, ...], kind: str, entity: int, key: tuple) -> int:
        """A name of one or several words; its first word is the head."""
        first = self.add(words[0], "PROPN", entity=entity, ner="B-" + kind)
        for word in words[1:]:
            self.add(word, "PROPN", head=first, ner="I-" + kind)
        self.places[*key, "noun"] = first
        self.roles[key[1]] = (first, len(self.words))
        return first

    def phrase(self, adverbial: Adverbial, language: str, key: tuple) -> int:
        start = len(self.words)
        head = start + adverbial.heads[language]
        for word, upos in adverbial.words[language]:
            self.add(word, upos, head=head)
        self.places[*key, "noun"] = head
        self.roles[key[1]] = (start, len(self.words))
        return head

    def finish(self, language: str, topic: str, stop: str = ".") -> WorldSentence:
        """With the full stop, and the first letter large in English. Exactly one word must have no head by now."""
        root = next(place for place, head in enumerate(self.heads) if head == -1)
        self.add(stop, "PUNCT", head=root)
        if language == "en":
            first = self.words[0]
            self.words[0] = first[0].upper() + first[1:]
        upos, ner, senses, entities = zip(*self.labels, strict=True)
        words, heads = tuple(self.words), tuple([head + 1 for head in self.heads])
        return WorldSentence(language, words, upos, heads, ner, senses, entities, self.roles, topic, self.places)
