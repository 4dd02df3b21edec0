"""Which nouns only dev or test sentences hold, so that a model meets words it never saw."""

from __future__ import annotations

from collections import Counter, defaultdict

from course_lib.data.world.grammar import Frame
from course_lib.data.world.lexicon import Lexicon

EVERY = 8  # of eight nouns of a class, from the fifth on, one goes to dev and one to test
FIRST = 4


def hold_out(lexicon: Lexicon, frames: list[Frame]) -> None:
    """Sets `split` of the nouns. Ambiguous nouns, nouns that look like another word, and those a frame needs stay."""
    taken = _words_elsewhere(lexicon)
    families = Counter(noun.family for noun in lexicon.nouns.values())
    places: dict[str, int] = defaultdict(int)
    for noun in lexicon.nouns.values():
        place = places[noun.kind]
        places[noun.kind] += 1
        plain = not noun.senses and families[noun.family] == 1 and len(noun.en) == len(noun.ko) == 1
        if place >= FIRST and place % EVERY in (5, 7) and plain and not taken & {*noun.en, *noun.en_plural, *noun.ko}:
            noun.split = "dev" if place % EVERY == 5 else "test"
    for frame in frames:
        for role in frame.roles.values():
            for group in role.groups:
                if not any(noun.split == "train" for noun in group):
                    group[0].split = "train"


def _words_elsewhere(lexicon: Lexicon) -> set[str]:
    """Words that occur outside the nouns' own places: in verbs, cues, adverbials, and as parts of longer nouns."""
    words = {verb.base for verb in lexicon.verbs.values()} | {word.en for word in lexicon.adjectives.values()}
    words |= {verb.third for verb in lexicon.verbs.values()} | {verb.past for verb in lexicon.verbs.values()}
    words |= {word for _, word in lexicon.function_words} | {noun.counter for noun in lexicon.nouns.values()}
    for noun in lexicon.nouns.values():
        if len(noun.en) > 1 or len(noun.ko) > 1:
            words |= {*noun.en, *noun.en_plural, *noun.ko}
    for by_concept in lexicon.cues.values():
        words |= {word.partition("/")[0] for cues in by_concept.values() for cue in cues for word in cue.split()}
    for kinds in lexicon.adverbials.values():
        words |= {word for adverbial in kinds for side in adverbial.words.values() for word, _ in side}
    for phrases in lexicon.fillers.values():
        words |= {word for phrase in phrases for word, _ in phrase}
    return words
