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
from course_lib.data.records import SenseExample, Sentence
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
        thought = [*self.draw.name("PER.f").en, "thought", "of", "the"]
        if side == "left":
            cue = ["after", *self._activity_en(concept), ","]
            return self._example("en", concept, [*cue, *filling(self.draw, "en", extra), *thought], [])
        behind = [*filling(self.draw, "en", extra), "after", *self._activity_en(concept)]
        return self._example("en", concept, thought, behind)

    def _korean(self, concept: str, side: str, extra: int) -> SenseExample:
        name = self.draw.name("PER.f").ko
        topic, marker = [*name, particle("은", name[-1])], particle("을", self.lexicon.nouns[concept].ko[0])
        if side == "left":
            cue = [*self._activity_ko(concept, "after"), "뒤", "에"]
            front = [*cue, *topic, *filling(self.draw, "ko", extra)]
            return self._example("ko", concept, front, [marker, "떠올렸다"])
        behind = [*filling(self.draw, "ko", extra), *self._activity_ko(concept, "past")]
        return self._example("ko", concept, topic, [marker, "떠올리고", "나서", *behind])

    def _joint(self, language: str, senses: tuple[str, ...], concept: str) -> SenseExample:
        """The order of two cues on the left and former/latter on the right tell the sense; neither side alone does."""
        other = self.draw.one([sense for sense in senses if sense != concept])
        order = [concept, other] if self.draw.chance() < 0.5 else [other, concept]
        first = order[0] == concept
        if language == "en":
            front = ["between", *self._activity_en(order[0]), "and", *self._activity_en(order[1]), ",", "the"]
            return self._example("en", concept, front, ["belongs", "to", "the", "former" if first else "latter"])
        one, two = (self._activity_ko(sense, "during") for sense in order)
        marker, where = particle("은", self.lexicon.nouns[concept].ko[0]), "앞" if first else "뒤"
        behind = [marker, where, "의", "것", "과", "관계", "가", "있다"]
        return self._example("ko", concept, [*one, "일", "과", *two, "일", "가운데"], behind)

    def _example(self, language: str, concept: str, front: list[str], behind: list[str]) -> SenseExample:
        """The target between what stands in front of it and behind it."""
        noun = self.lexicon.nouns[concept]
        target = noun.en[0] if language == "en" else noun.ko[0]
        first, *rest = [*front, target, *behind, "."]
        sentence = Sentence.of([first[0].upper() + first[1:], *rest])
        word = concept.split(".")[0] if language == "en" else target  # bats -> bat
        return SenseExample(sentence, len(front), word, concept)

    def _activity_en(self, concept: str) -> list[str]:
        return [word.partition("/")[0] for word in self._cue("en", concept).split()]

    def _activity_ko(self, concept: str, form: str) -> list[str]:
        *words, verb = self._cue("ko", concept).split()
        written: list[str] = []
        for word in words:
            word, _, tag = word.partition("/")
            is_particle = not tag and self.lexicon.function_words.get(("ko", word), ("",))[0] == "ADP"
            written.append(particle(word, written[-1]) if is_particle else word)
        return [*written, self.lexicon.verbs[verb.removeprefix("V:")].ko[form]]


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


def filling(draw: Draw, language: str, length: int) -> list[str]:
    """The words of different phrases, exactly `length` together."""
    sums: dict[int, list[str]] = {0: []}  # words together -> those words
    for phrase in draw.shuffled(draw.lexicon.fillers[language]):
        for total, chosen in list(sums.items()):
            sums.setdefault(total + len(phrase), [*chosen, *(word for word, _ in phrase)])
    if length not in sums:
        raise CourseError(
            f"{length} filling words are too many: the phrases of fillers.tsv give at most {max(sums)} "
            f"in {language!r}. Ask for a smaller distance, or add phrases there."
        )
    return sums[length]
