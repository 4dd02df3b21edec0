"""Byte-pair encoding, learned one merge at a time: the most frequent pair of neighbours becomes one piece.

    merges = learn({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 3)     # es, est, est</w>
    apply("lowest", merges)                                                  # l o w est</w>

Source: Sennrich et al. 2016, arXiv:1508.07909, section 3.2 and algorithm 1. This one counts all pairs anew at every
step, to be read; `Pieces.bpe` does the same work with the tokenizers library, thousands of times faster.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from course_lib.text.pieces import WORD_END

Symbols = tuple[str, ...]


class Merge(NamedTuple):
    """`left` and `right` become one piece; `count`: how often they were neighbours when they were chosen."""

    left: str
    right: str
    count: int


def learn(words: Mapping[str, int], n: int, *, word_end: str = WORD_END) -> list[Merge]:
    """The first `n` merges for words with their counts; fewer if no pair is left.

    word_end  ends the last character of each word, so that the pieces of a text join to words again; may be ""
    Of pairs with equal counts the one that comes first in the list of pieces is taken: characters in alphabetical
    order, then those that end a word, then what was merged, oldest first.
    """
    text = {word: symbols(word, word_end) for word in words}
    characters, last = sorted(set("".join(words))), sorted({word[-1] for word in text.values()})
    number = {piece: i for i, piece in enumerate(dict.fromkeys([*characters, *last]))}
    merges: list[Merge] = []
    while len(merges) < n:
        counts = pair_counts({word: (text[word], count) for word, count in words.items()})
        if not counts:
            break
        left, right = min(counts, key=lambda pair: (-counts[pair], number[pair[0]], number[pair[1]]))
        merges.append(Merge(left, right, counts[left, right]))
        number.setdefault(left + right, len(number))
        text = {word: merged(pieces, left, right) for word, pieces in text.items()}
    return merges


def apply(word: str, merges: Sequence[Merge | tuple[str, str]], *, word_end: str = WORD_END) -> list[str]:
    """The pieces of a word: of all pairs that were learned the earliest is joined first, until none is left."""
    rank = {(merge[0], merge[1]): i for i, merge in reversed(list(enumerate(merges)))}
    pieces = symbols(word, word_end)
    while known := [pair for pair in pairwise(pieces) if pair in rank]:
        pieces = merged(pieces, *min(known, key=rank.__getitem__))
    return list(pieces)


def symbols(word: str, word_end: str = WORD_END) -> Symbols:
    """What learning starts from: the characters, the last one with the word's end."""
    return (*word[:-1], word[-1] + word_end)


def pair_counts(text: Mapping[str, tuple[Symbols, int]]) -> Counter[tuple[str, str]]:
    """How often two pieces are neighbours. text: word -> (its pieces, how often the word occurs)."""
    counts: Counter[tuple[str, str]] = Counter()
    for pieces, count in text.values():
        for pair in pairwise(pieces):
            counts[pair] += count
    return counts


def merged(pieces: Symbols, left: str, right: str) -> Symbols:
    """The pieces with every left-right pair joined, from the left: a a a becomes aa a."""
    joined: list[str] = []
    place = 0
    while place < len(pieces):
        if pieces[place : place + 2] == (left, right):
            joined.append(left + right)
            place += 2
        else:
            joined.append(pieces[place])
            place += 1
    return tuple(joined)
