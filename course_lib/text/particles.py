"""Korean particles split off: 배가 -> 배 | 가, so that a word has one vector whatever its particle.

The analyser is kiwipiepy (optional: `pip install kiwipiepy`). Without it, words stay eojeol, as typed between spaces.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator

from course_lib.errors import CourseError
from course_lib.text.words import split_words, visible


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
    texts = iter(texts)
    held: list[str] = []

    def hand_over() -> Iterator[str]:
        for text in map(visible, texts):  # the analyser takes what is not seen for a word's end
            held.append(text)
            yield text

    for tokens in _analyser().tokenize(hand_over()):
        text = held.pop(0)
        cuts = {0, len(text)}
        for token in tokens:
            if token.tag.startswith("J"):
                cuts |= {token.start, token.start + token.len}
        places = sorted(cuts)
        yield [word for a, b in itertools.pairwise(places) for word in split_words(text[a:b])]
