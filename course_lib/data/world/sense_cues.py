"""Ambiguous words with the cue under control: left or right of the word, near or far, or on both sides jointly."""

from __future__ import annotations

from course_lib.data.records import SenseExample
from course_lib.data.world import write_english, write_korean
from course_lib.data.world.draw import Draw, Mention
from course_lib.data.world.fillers import fill
from course_lib.data.world.korean import particle
from course_lib.data.world.lexemes import Lexeme
from course_lib.data.world.line import Line
from course_lib.data.world.sentence import word_of_sense
from course_lib.errors import CourseError

SIDES = ("left", "right", "both")
NEAREST = {("en", "left"): 5, ("en", "right"): 1, ("ko", "left"): 4, ("ko", "right"): 3}  # words between cue and target


class SenseCues:
    """The target stands in a neutral clause; an activity beside it, or the order of two, tells its sense."""

    def __init__(self, draw: Draw):
        self.draw = draw
        self.lexicon = draw.lexicon
        self._concepts = {
            language: {word: senses for word, senses in self._by_word(language).items() if len(senses) > 1}
            for language in ("en", "ko")
        }

    def words(self, language: str) -> dict[str, tuple[str, ...]]:
        """The ambiguous words that have cues, with their senses."""
        return self._concepts[language]

    def example(self, language: str, word: str | None, side: str, distance: int | None) -> SenseExample:
        """One occurrence of `word` (None: any); `distance` counts the words between cue and target (None: nearest)."""
        if language not in self._concepts:
            raise CourseError(f"language is {language!r}. Use 'en' or 'ko'.")
        if side not in SIDES:
            raise CourseError(f"side is {side!r}. Use one of: {', '.join(SIDES)}.")
        if side == "both" and distance is not None:
            raise CourseError("side='both' has cues at fixed places on both sides. Leave out distance.")
        words = self._concepts[language]
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

    def _by_word(self, language: str) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for concept in self.lexicon.cues[language]:
            noun = self.lexicon.nouns[concept]
            word = noun.en[0] if language == "en" else noun.ko[0]
            found[word] = (*found.get(word, ()), concept)
        return found

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
        write_english.write_noun(line, Mention(name, entity=1), (0, "AGENT"))
        root = line.add("thought", "VERB")
        line.add("of", "ADP", head=root + 2)
        line.add("the", "DET", head=root + 2)
        target = line.add(noun.en[0], "NOUN", head=root, sense=concept, entity=2)
        if side == "right":
            fill(self.draw, line, "en", extra)
            self._activity_en(line, concept)
        return self._example(line, "en", root, target, concept)

    def _korean(self, concept: str, side: str, extra: int) -> SenseExample:
        line, name, noun = Line(), self.draw.name("PER.f"), self.lexicon.nouns[concept]
        if side == "left":
            self._activity_ko(line, concept, "after")
            after = line.add("뒤", "NOUN")
            line.heads[after - 1] = after
            line.add("에", "ADP", head=after)
            self._topic(line, name)
            fill(self.draw, line, "ko", extra)
            target = self._object(line, noun, concept)
            root = line.add("떠올렸다", "VERB")
        else:
            self._topic(line, name)
            target = self._object(line, noun, concept)
            thought = line.add("떠올리고", "VERB")
            line.add("나서", "AUX", head=thought)
            fill(self.draw, line, "ko", extra)
            root = self._activity_ko(line, concept, "past")
        return self._example(line, "ko", root, target, concept)

    def _topic(self, line: Line, name: Lexeme) -> None:
        place = write_korean.write_noun(line, Mention(name, entity=1), (0, "AGENT"))
        line.add(particle("은", line.words[-1]), "ADP", head=place)

    def _object(self, line: Line, noun: Lexeme, concept: str) -> int:
        place = line.add(noun.ko[0], "NOUN", sense=concept, entity=2)
        line.add(particle("을", noun.ko[0]), "ADP", head=place)
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
        for place, head in enumerate(line.heads):
            if head == -1 and place != root:
                line.heads[place] = root
        sentence = line.finish(language, self.lexicon.nouns[concept].topic)
        return SenseExample(
            sentence.sentence(), target, word_of_sense(concept, sentence.words[target], language), concept
        )

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
        start = len(line.words)
        end = start + len(words)
        for word in words:
            word, _, tag = word.partition("/")
            known = self.lexicon.function_words.get(("ko", word), ("", ""))[0] == "ADP" and not tag
            if known:
                line.add(particle(word, line.words[-1]), "ADP", head=len(line.words) - 1)
            else:
                line.add(word, tag or "NOUN", head=end)
        return line.add(self.lexicon.verbs[verb.removeprefix("V:")].ko[form], "VERB")
