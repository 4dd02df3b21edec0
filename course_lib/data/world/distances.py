"""Two words that belong together at a chosen distance: subject and verb, a word and its copy. English."""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from course_lib.data.world.draw import BUCKETS, Draw
from course_lib.data.world.fillers import fill
from course_lib.data.world.lexemes import Lexeme
from course_lib.data.world.line import Line
from course_lib.data.world.sentence import WorldSentence
from course_lib.errors import CourseError

LONGEST = 20
ATTRACTORS = ("random", "same", "opposite")
_SUBJECTS = ("pet", "wild", "bird", "livestock", "container", "vehicle", "fruit", "tree")
_PLACES = ("building", "tree", "vehicle", "eatery")
_PREPOSITIONS = ("near", "behind", "beside")


@dataclass(frozen=True, slots=True)
class Agreement:
    """`sentence` is right at `verb`, where `wrong` would break the agreement with the noun at `subject`."""

    sentence: WorldSentence
    subject: int
    verb: int
    right: str
    wrong: str
    distance: int  # words between subject and verb
    attractors: int  # nouns between them that are of the other number


@dataclass(frozen=True, slots=True)
class Copy:
    """The word at `first` comes again at `second`; nothing but the word itself tells which."""

    sentence: WorldSentence
    first: int
    second: int
    distance: int  # words between them


class Distances:
    def __init__(self, draw: Draw):
        self.draw = draw
        nouns = [noun for noun in draw.lexicon.nouns.values() if noun.split in ("train", draw.split)]
        usable = [noun for noun in nouns if noun.number == "count" and len(noun.en) == 1 and noun.en != noun.en_plural]
        self.subjects = [noun for noun in usable if noun.kind in _SUBJECTS and noun.adjectives]
        self.places = [noun for noun in usable if noun.kind in _PLACES]
        self.things = [noun for noun in usable if noun.split == "train"]

    def agreement(self, distance: int, attractors: str = "random") -> Agreement:
        """The dog [near the old trees ...] is clever; the nouns between are of the same, the opposite or any number."""
        _check(distance)
        if attractors not in ATTRACTORS:
            raise CourseError(f"attractors is {attractors!r}. Use one of: {', '.join(ATTRACTORS)}.")
        while True:
            item = self._agreement(distance, attractors)
            # no name marks the split of these sentences: their text does
            if BUCKETS[crc32(item.sentence.text().encode()) % len(BUCKETS)] == self.draw.split:
                return item

    def _agreement(self, distance: int, attractors: str) -> Agreement:
        draw, line = self.draw, Line()
        noun, plural = draw.one(self.subjects), draw.chance() < 0.5
        line.add("the", "DET", head=1)
        subject = line.add((noun.en_plural if plural else noun.en)[0], "NOUN", entity=1)
        opposite, above = 0, subject
        for length in self._lengths(distance):
            if length <= 2:
                for word in ("over", "there")[2 - length :]:
                    line.add(word, "ADV", head=subject)
                continue
            many = {"same": plural, "opposite": not plural}.get(attractors, draw.chance() < 0.5)
            opposite += many != plural
            above = self._phrase(line, above, many, adjective=length == 4)
        right, wrong = ("are", "is") if plural else ("is", "are")
        verb = line.add(right, "AUX", head=len(line.words) + 1)
        root = line.add(draw.one(noun.adjectives).en, "ADJ")
        line.heads[subject] = root
        return Agreement(line.finish("en", noun.topic), subject, verb, right, wrong, distance, opposite)

    def copying(self, distance: int) -> Copy:
        """Anna said apple [...] and apple again: the second word is the first one."""
        _check(distance)
        draw, line = self.draw, Line()
        noun = draw.one(self.things)
        name = draw.name(draw.one(("PER.f", "PER.m")))
        line.add(name.en[0], "PROPN", head=1, entity=1, ner="B-PER")
        line.add("said", "VERB")
        first = line.add(noun.en[0], "NOUN", head=1)
        if distance:
            fill(draw, line, "en", distance - 1)
            line.add("and", "CCONJ", head=len(line.words) + 1)
        second = line.add(noun.en[0], "NOUN", head=first)
        line.add("again", "ADV", head=second)
        for place, head in enumerate(line.heads):
            if head == -1 and place != 1:
                line.heads[place] = 1
        return Copy(line.finish("en", noun.topic), first, second, distance)

    def _lengths(self, distance: int) -> list[int]:
        """Phrases of 3 and 4 words, and at most one of 1 or 2 in front, with `distance` words together."""
        lengths = [distance] if distance in (1, 2) else [2] if distance == 5 else []
        rest = distance - sum(lengths)
        while rest:
            choices = [size for size in (3, 4) if rest - size not in (1, 2, 5) and rest >= size]
            lengths.append(self.draw.one(choices))
            rest -= lengths[-1]
        return lengths

    def _phrase(self, line: Line, above: int, many: bool, *, adjective: bool) -> int:
        noun: Lexeme = self.draw.one([place for place in self.places if place.attributes or not adjective])
        start = len(line.words)
        head = start + (3 if adjective else 2)
        line.add(self.draw.one(_PREPOSITIONS), "ADP", head=head)
        line.add("the", "DET", head=head)
        if adjective:
            line.add(self.draw.one(noun.attributes).en, "ADJ", head=head)
        return line.add((noun.en_plural if many else noun.en)[0], "NOUN", head=above, sense=noun.senses.get("en", "_"))


def _check(distance: int) -> None:
    if not isinstance(distance, int) or not 0 <= distance <= LONGEST:
        raise CourseError(f"distance={distance!r}. Use a whole number from 0 to {LONGEST}.")
