"""Korean particles split off: 배가 -> 배 | 가, so that a word has one vector whatever its particle.

The analyser is kiwipiepy (optional: `pip install kiwipiepy`). Without it, words stay eojeol, as typed between spaces.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator

from course_lib.errors import CourseError
from course_lib.text.words import as_text, split_words, visible


@functools.cache
def _analyser():
    try:
        from kiwipiepy import Kiwi
    except ImportError:
        raise CourseError(
            "Splitting Korean particles needs the package kiwipiepy: run `pip install kiwipiepy` in the course's "
            "environment. Without it, use split_words: a noun and its particle then stay one word."
        ) from None
    return Kiwi()


def split_particles(texts: Iterable[str]) -> Iterator[list[str]]:
    """The words of each text, with particles (tags J*) as words of their own; verbs and endings stay whole.

    Invisible characters are left out.
    """
    if isinstance(texts, str):
        raise CourseError("split_particles reads a list of texts, not one str. Put it in [ ].")
    held: list[str] = []

    def hand_over() -> Iterator[str]:
        for number, text in enumerate(texts):
            held.append(visible(as_text(text, f"Text {number}")))  # a word would end at what is not seen
            yield held[-1]

    for tokens in _analyser().tokenize(hand_over()):
        text = held.pop(0)
        cuts = {0, len(text)}
        for token in tokens:
            if token.tag.startswith("J"):
                cuts |= {token.start, token.start + token.len}
        places = sorted(cuts)
        yield [word for a, b in itertools.pairwise(places) for word in split_words(text[a:b])]
