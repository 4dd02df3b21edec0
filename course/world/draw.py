"""Chance: which words fill the roles of a frame. Only Random.random() is used: equal on every machine and version."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from course.world.grammar import Frame, Role
from course.world.lexicon import Adjective, Adverbial, Lexeme, Lexicon, Verb, make_name

SPLITS = ("train", "dev", "test")
KIN = ("kin", "elder")
NAME_SHARE = 0.6  # of a person's role that allows names
HELD_OUT_WEIGHT = 4.0  # a word kept for dev or test is this much more frequent there, so that it occurs
NUMBERS = ((2, 0.5), (3, 0.8), (4, 0.92), (5, 1.0))  # with cumulative shares
BUCKETS = ("train",) * 8 + ("dev", "test")
MADE_UP = 5  # one in five combinations of syllables goes to dev, one to test


@dataclass(slots=True)
class Mention:
    """What fills a role: a noun or name with its form, or an adverbial."""

    lexeme: Lexeme | None
    determiner: str = ""  # "a", "the", "some", "number", "owner", ""
    number: int = 1
    adjective: Adjective | None = None
    form: str = "full"  # in English: "full", "pronoun", "zero", "who", "what"
    ko_form: str = "full"  # the same in Korean
    entity: int = 0
    owner: Mention | None = None  # of "her friend"
    adverbial: Adverbial | None = None

    @property
    def gender(self) -> str:
        return self.lexeme.gender if self.lexeme else ""

    def again(self, form: str = "full", ko_form: str = "full") -> Mention:
        """A later mention of the same referent."""
        determiner = self.determiner if self.lexeme.named or self.determiner == "owner" else "the"
        return Mention(self.lexeme, determiner, self.number, None, form, ko_form, self.entity, self.owner)


@dataclass(slots=True)
class Clause:
    """One frame with its words; `time` is an adverbial of time."""

    frame: Frame
    verb: Verb | None
    adjective: Adjective | None
    mentions: dict[str, Mention]
    tense: str = "past"  # or "present", "progressive" (was eating)
    negated: bool = False
    time: Adverbial | None = None
    time_first: bool = False

    @property
    def has_name(self) -> bool:
        """A name stands in it in both languages. Names differ between splits, so such a clause is in one split only."""
        return any(
            mention.form == mention.ko_form == "full" and mention.lexeme is not None and mention.lexeme.named
            for mention in self.mentions.values()
        )

    def key(self) -> int:
        """Equal for clauses that read alike in either language, whatever articles or numbers; splits go by it."""
        total = (self.verb or self.adjective).family * 7919
        for mention in self.mentions.values():
            if mention.adverbial is not None:
                total += mention.adverbial.family * 104729
            elif mention.form == mention.ko_form == "full":
                total += mention.lexeme.family * 31
                if mention.adjective is not None:
                    total += mention.adjective.family * 6007
        return total


class Draw:
    """Draws mentions, clauses and names for one split, from one stream of random numbers."""

    def __init__(self, lexicon: Lexicon, random: Random, split: str):
        self.lexicon, self.chance, self.split = lexicon, random.random, split
        self._choosers: dict[int, tuple[list, list[float]]] = {}
        self._entity = 0
        self.names = {kind: [name for name in names if name.split == split] for kind, names in lexicon.names.items()}

    def entity(self) -> int:
        self._entity += 1
        return self._entity

    def one(self, items):
        """One item, each equally likely."""
        return items[int(self.chance() * len(items))]

    def shuffled(self, items) -> list:
        """A copy in random order."""
        items = list(items)
        for place in range(len(items) - 1, 0, -1):
            other = int(self.chance() * (place + 1))
            items[place], items[other] = items[other], items[place]
        return items

    def name(self, kind: str) -> Lexeme:
        """A name of this split."""
        names = self.names[kind]
        return names[int(self.chance() ** 2 * len(names))]  # the square: the first names are the most frequent

    def made_up_name(self, kind: str) -> Lexeme:
        """A name of syllables that no other split has together."""
        syllables, endings = self.lexicon.name_parts["syllable"], self.lexicon.name_parts[kind]
        count, split = len(syllables), ""
        while split != self.split:
            number = int(self.chance() * count * count)
            first, second = divmod(number, count)
            split = {0: "dev", 1: "test"}.get((first + second) % MADE_UP, "train")
        parts = (syllables[first], syllables[second], self.one(endings))
        english, korean = ("".join(part[side] for part in parts) for side in (0, 1))
        lexeme = make_name(kind, (english.capitalize(),), (korean,))
        # no table holds this name: a number from its syllables, above those of the tables
        lexeme.family = 100_003 + number * 7 + endings.index(parts[2])
        return lexeme

    def person(self, *, made_up: bool = False) -> Lexeme:
        """The name of a woman or a man."""
        kind = self.one(("PER.f", "PER.m"))
        return self.made_up_name(kind) if made_up else self.name(kind)

    def lexeme(self, role: Role) -> Lexeme:
        if role.name_types and (not role.groups or self.chance() < NAME_SHARE):
            return self.name(self.one(role.name_types))
        if id(role) not in self._choosers:
            self._choosers[id(role)] = self._chooser(role)
        words, cumulative = self._choosers[id(role)]
        return words[bisect_right(cumulative, self.chance() * cumulative[-1], 0, len(words) - 1)]

    def _chooser(self, role: Role) -> tuple[list[Lexeme], list[float]]:
        """Zipf's law within each group of words; words kept for another split have no weight."""
        words: list[Lexeme] = []
        weights: list[float] = []
        for group in role.groups:
            allowed = [noun for noun in group if noun.split in ("train", self.split)]
            raw = [1 / (rank + 2) * (HELD_OUT_WEIGHT if n.split != "train" else 1) for rank, n in enumerate(allowed)]
            words += allowed
            weights += [weight / sum(raw) for weight in raw]
        return words, list(accumulate(weights))

    def mention(self, role: Role, subject: Mention | None = None) -> Mention:
        if role.adverbials:
            return Mention(None, adverbial=self.one(role.adverbials))
        lexeme = self.lexeme(role)
        owned = subject is not None and bool(subject.gender)
        if lexeme.kind in KIN and not owned:  # whose mother? Someone with a name instead
            lexeme = self.person()
        mention = Mention(lexeme, role.determiner, entity=self.entity())
        if lexeme.named:
            mention.determiner = ""
            return mention
        chance = self.chance()
        determiner = role.determiner or "the"
        if owned and lexeme.kind in ("friend", *KIN):
            mention.determiner, mention.owner = "owner", subject
            return mention
        if determiner == "own":
            mention.determiner, mention.owner = ("owner", subject) if owned else ("a", None)
            return mention
        if lexeme.number != "count":
            mention.number = 0 if lexeme.number == "mass" else 2
            mention.determiner = {"bare": "", "one": "", "the": "the"}.get(determiner, "some" if chance < 0.6 else "")
        elif determiner == "bare":
            mention.determiner, mention.number = "", 2
        elif determiner == "the":
            mention.determiner = "the"
            if role.plural and chance < 0.1 and lexeme.counter:
                mention.number = 2
        elif determiner == "one":
            mention.determiner = "a"
        elif chance < 0.16 and role.plural and lexeme.counter:
            count = self.chance()
            mention.determiner, mention.number = "number", next(n for n, share in NUMBERS if count < share)
        elif chance < 0.26 and role.plural and lexeme.counter:
            mention.determiner, mention.number = "some", 2
        else:
            mention.determiner = "a"
        if lexeme.attributes and self.chance() < (0.1 if lexeme.person else 0.18):
            mention.adjective = self.one(lexeme.attributes)
        return mention

    def clause(self, frame: Frame, given: dict[str, Mention] | None = None, *, optional: float = 0.45) -> Clause | None:
        """A frame filled with words; `given` fixes some roles. None if no words fit."""
        given = given or {}
        mentions: dict[str, Mention] = {}
        seen: set[int] = {mention.lexeme.family for mention in given.values()}
        for name, role in frame.roles.items():
            if name in given:
                mentions[name] = given[name]
                continue
            if role.optional and self.chance() > optional * (0.6 if role.adverbials else 1):
                continue
            mention = self.mention(role, mentions.get(frame.subject))
            if mention.lexeme is not None:
                for _ in range(4):
                    if mention.lexeme.family not in seen:
                        break
                    mention = self.mention(role, mentions.get(frame.subject))
                else:
                    return None
                seen.add(mention.lexeme.family)
                if any(mention.adjective is known.adjective for known in mentions.values()):
                    mention.adjective = None  # not: a big crane on the big pine
            mentions[name] = mention
        adjective = frame.adjective
        if frame.adjective_of:
            described = mentions[frame.adjective_of]
            described.adjective = None
            if not described.lexeme.adjectives:
                return None
            adjective = self.one(described.lexeme.adjectives)
        verb = self.one(frame.verbs) if frame.verbs else None
        return Clause(frame, verb, adjective, mentions)
