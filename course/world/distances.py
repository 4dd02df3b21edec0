"""Words that belong together at a chosen distance: an ambiguous word and its cue, subject and verb.

Filling phrases of an exact number of words lengthen the way between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from zlib import crc32

from course.world.draw import BUCKETS, Draw
from course.world.korean import particle
from course.world.lexicon import Lexeme
from course.world.sentence import Line, WorldSentence
from course_lib.data.records import SenseExample
from course_lib.errors import CourseError

LONGEST = 20
_SUBJECTS = ("pet", "wild", "bird", "livestock", "container", "vehicle", "fruit", "tree")
_PLACES = ("building", "tree", "vehicle", "eatery")
_PREPOSITIONS = ("near", "behind", "beside")
SIDES = ("left", "right", "both")
NEAREST = {("en", "left"): 5, ("en", "right"): 1, ("ko", "left"): 4, ("ko", "right"): 3}  # words between cue and target


class SenseCues:
    """The target stands in a neutral clause; an activity beside it, or the order of two, tells its sense."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.lexicon = draw.lexicon

    def words(self, language: str) -> dict[str, tuple[str, ...]]:
        """The ambiguous words that have cues, with their senses."""
        senses: dict[str, tuple[str, ...]] = {}
        for concept in self.lexicon.cues[language]:
            noun = self.lexicon.nouns[concept]
            word = noun.en[0] if language == "en" else noun.ko[0]
            senses[word] = (*senses.get(word, ()), concept)
        return {word: concepts for word, concepts in senses.items() if len(concepts) > 1}

    def example(self, language: str, word: str | None, side: str, distance: int | None) -> SenseExample:
        """One occurrence of `word` (None: any); `distance` counts the words between cue and target (None: nearest)."""
        if side not in SIDES:
            raise CourseError(f"side is {side!r}. Use one of: {', '.join(SIDES)}.")
        if side == "both" and distance is not None:
            raise CourseError("side='both' has cues at fixed places on both sides. Leave out distance.")
        words = self.words(language)
        if word is not None and word not in words:
            raise CourseError(f"{word!r} is no ambiguous word of the world in {language!r}. Known: {', '.join(words)}.")
        senses = words[word or self.draw.one(list(words))]
        concept = self.draw.one(senses)
        if side == "both":
            return self._joint(language, senses, concept)
        nearest = NEAREST[language, side]
        if distance is not None and distance < nearest:
            raise CourseError(
                f"distance={distance} is too near: in {language!r} the {side} cue stands {nearest} words away or more."
            )
        write = self._english if language == "en" else self._korean
        return write(concept, side, 0 if distance is None else distance - nearest)

    def _cue(self, language: str, concept: str) -> str:
        """An activity that points to the sense; the last one is for test, the one before for dev."""
        cues = self.lexicon.cues[language][concept]
        held = {"dev": cues[-2:-1] if len(cues) > 2 else cues, "test": cues[-1:]}
        return self.draw.one(held.get(self.draw.split) or cues[:-2] or cues[:1])

    def _english(self, concept: str, side: str, extra: int) -> SenseExample:
        line, name, noun = Line(), self.draw.name("PER.f"), self.lexicon.nouns[concept]
        if side == "left":
            self._activity_en(line, concept)
            line.add(",", "PUNCT")
            fill(self.draw, line, "en", extra)
        line.name(name.en, name.kind, 1, (0, "AGENT"))
        root = line.add("thought", "VERB")
        line.add("of", "ADP", head=root + 2)
        line.add("the", "DET", head=root + 2)
        target = line.add(noun.en[0], "NOUN", head=root, sense=concept, entity=2)
        if side == "right":
            fill(self.draw, line, "en", extra)
            self._activity_en(line, concept)
        return self._example(line, "en", root, target, concept)

    def _korean(self, concept: str, side: str, extra: int) -> SenseExample:
        line, name = Line(), self.draw.name("PER.f")
        if side == "left":
            self._activity_ko(line, concept, "after")
            after = line.add("뒤", "NOUN")
            line.heads[after - 1] = after
            line.add("에", "ADP", head=after)
            self._topic(line, name)
            fill(self.draw, line, "ko", extra)
            target = self._object(line, concept)
            root = line.add("떠올렸다", "VERB")
        else:
            self._topic(line, name)
            target = self._object(line, concept)
            thought = line.add("떠올리고", "VERB")
            line.add("나서", "AUX", head=thought)
            fill(self.draw, line, "ko", extra)
            root = self._activity_ko(line, concept, "past")
        return self._example(line, "ko", root, target, concept)

    def _topic(self, line: Line, name: Lexeme) -> None:
        place = line.name(name.ko, name.kind, 1, (0, "AGENT"))
        line.add(particle("은", line.words[-1]), "ADP", head=place)

    def _object(self, line: Line, concept: str) -> int:
        word = self.lexicon.nouns[concept].ko[0]
        place = line.add(word, "NOUN", sense=concept, entity=2)
        line.add(particle("을", word), "ADP", head=place)
        return place

    def _joint(self, language: str, senses: tuple[str, ...], concept: str) -> SenseExample:
        """The order of two cues on the left and former/latter on the right tell the sense; neither side alone does."""
        other = self.draw.one([sense for sense in senses if sense != concept])
        order = [concept, other] if self.draw.chance() < 0.5 else [other, concept]
        first = order[0] == concept
        line, noun = Line(), self.lexicon.nouns[concept]
        if language == "en":
            line.add("between", "ADP")
            self._activity_en(line, order[0], mark="")
            line.add("and", "CCONJ")
            self._activity_en(line, order[1], mark="")
            line.add(",", "PUNCT")
            line.add("the", "DET", head=len(line.words) + 1)
            target = line.add(noun.en[0], "NOUN", sense=concept, entity=1)
            root = line.add("belongs", "VERB")
            line.add("to", "ADP", head=root + 3)
            line.add("the", "DET", head=root + 3)
            line.add("former" if first else "latter", "NOUN", head=root)
        else:
            for position, sense in enumerate(order):
                place = self._activity_ko(line, sense, "during")
                line.heads[place] = line.add("일", "NOUN")
                line.add("과" if position == 0 else "가운데", "ADP" if position == 0 else "NOUN", head=place + 1)
            target = line.add(noun.ko[0], "NOUN", sense=concept, entity=1)
            line.add(particle("은", noun.ko[0]), "ADP", head=target)
            where = line.add("앞" if first else "뒤", "NOUN")
            line.add("의", "ADP", head=where)
            line.heads[where] = thing = line.add("것", "NOUN")
            line.add("과", "ADP", head=thing)
            line.add("관계", "NOUN")
            line.add("가", "ADP", head=len(line.words) - 1)
            root = line.add("있다", "ADJ")
        return self._example(line, language, root, target, concept)

    def _example(self, line: Line, language: str, root: int, target: int, concept: str) -> SenseExample:
        line.heads = [root if head == -1 and place != root else head for place, head in enumerate(line.heads)]
        sentence = line.finish(language, self.lexicon.nouns[concept].topic).sentence()
        word = concept.split(".")[0] if language == "en" else sentence.words[target]  # bats -> bat
        return SenseExample(sentence, target, word, concept)

    def _activity_en(self, line: Line, concept: str, mark: str = "after") -> int:
        if mark:
            line.add(mark, "SCONJ", head=len(line.words) + 1)
        words = self._cue("en", concept).split()
        start = verb = len(line.words)
        nouns = [place for place in range(1, len(words)) if self._tag_en(words[place]) == "NOUN"]
        for place, word in enumerate(words):
            tag = "VERB" if place == 0 else self._tag_en(word)
            ahead = next((noun for noun in nouns if noun > place), None)
            head = -1 if place == 0 else verb if tag in ("NOUN", "ADV") or ahead is None else start + ahead
            line.add(word.partition("/")[0], tag, head=head)
        return verb

    def _tag_en(self, word: str) -> str:
        word, _, tag = word.partition("/")
        known = self.lexicon.function_words.get(("en", word))
        return tag or (known[0] if known else "DET" if word in ("the", "a", "an", "some", "all") else "NOUN")

    def _activity_ko(self, line: Line, concept: str, form: str) -> int:
        *words, verb = self._cue("ko", concept).split()
        end = len(line.words) + len(words)
        for word in words:
            word, _, tag = word.partition("/")
            if not tag and self.lexicon.function_words.get(("ko", word), ("",))[0] == "ADP":
                line.add(particle(word, line.words[-1]), "ADP", head=len(line.words) - 1)
            else:
                line.add(word, tag or "NOUN", head=end)
        return line.add(self.lexicon.verbs[verb.removeprefix("V:")].ko[form], "VERB")


@dataclass(frozen=True, slots=True)
class Agreement:
    """`sentence` is right at `verb`, where `wrong` would break the agreement with the noun at `subject`."""

    sentence: WorldSentence
    subject: int
    verb: int
    right: str
    wrong: str


class Distances:
    def __init__(self, draw: Draw):
        self.draw = draw
        nouns = [noun for noun in draw.lexicon.nouns.values() if noun.split in ("train", draw.split)]
        usable = [noun for noun in nouns if noun.number == "count" and len(noun.en) == 1 and noun.en != noun.en_plural]
        self.subjects = [noun for noun in usable if noun.kind in _SUBJECTS and noun.adjectives]
        self.places = [noun for noun in usable if noun.kind in _PLACES]

    def agreement(self, distance: int) -> Agreement:
        """The dog [near the old trees ...] is clever; the nouns between are of any number."""
        if not isinstance(distance, int) or not 0 <= distance <= LONGEST:
            raise CourseError(f"distance={distance!r}. Use a whole number from 0 to {LONGEST}.")
        while True:
            item = self._agreement(distance)
            # no name marks the split of these sentences: their text does
            if BUCKETS[crc32(item.sentence.text().encode()) % len(BUCKETS)] == self.draw.split:
                return item

    def _agreement(self, distance: int) -> Agreement:
        draw, line = self.draw, Line()
        noun, plural = draw.one(self.subjects), draw.chance() < 0.5
        line.add("the", "DET", head=1)
        subject = line.add((noun.en_plural if plural else noun.en)[0], "NOUN", entity=1)
        above = subject
        for length in self._lengths(distance):
            if length <= 2:
                for word in ("over", "there")[2 - length :]:
                    line.add(word, "ADV", head=subject)
                continue
            above = self._phrase(line, above, draw.chance() < 0.5, adjective=length == 4)
        right, wrong = ("are", "is") if plural else ("is", "are")
        verb = line.add(right, "AUX", head=len(line.words) + 1)
        root = line.add(draw.one(noun.adjectives).en, "ADJ")
        line.heads[subject] = root
        return Agreement(line.finish("en", noun.topic), subject, verb, right, wrong)

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


def fill(draw: Draw, line: Line, language: str, length: int) -> None:
    """Appends different phrases of exactly `length` words together; the heads of the phrases are left open."""
    sums: dict[int, list] = {0: []}  # words together -> phrases
    for phrase in draw.shuffled(draw.lexicon.fillers[language]):
        for total, chosen in list(sums.items()):
            sums.setdefault(total + len(phrase), [*chosen, phrase])
    if length not in sums:
        raise CourseError(
            f"{length} filling words are too many: the phrases of fillers.tsv give at most {max(sums)} "
            f"in {language!r}. Ask for a smaller distance, or add phrases there."
        )
    for phrase in sums[length]:
        start = len(line.words)
        head = max(place for place, (_, tag) in enumerate(phrase) if tag != "ADP")
        for place, (word, tag) in enumerate(phrase):
            line.add(word, tag, head=-1 if place == head else start + head)
