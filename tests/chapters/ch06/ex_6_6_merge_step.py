"""Wrong answers to exercise 6.6 as readers write them, each with the mistake that must be named."""

from collections import defaultdict
from itertools import pairwise


def most_frequent(counts):
    return sorted(counts, key=lambda pair: -counts[pair])[0]


def count(text, named=lambda pair: pair):
    counts = defaultdict(int)
    for pieces, occurs in text.items():
        for pair in pairwise(pieces):
            counts[named(pair)] += occurs
    return counts


def join(pieces, *pairs):
    pieces, i = list(pieces), 0
    while i < len(pieces) - 1:
        if (pieces[i], pieces[i + 1]) in pairs:
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        i += 1
    return tuple(pieces)


def counted(counts):
    """counts(text): the pairs' numbers."""
    return lambda text: {join(pieces, most_frequent(counts(text))): occurs for pieces, occurs in text.items()}


def joined(join):
    """join(pieces, pair)."""
    return lambda text: {join(pieces, most_frequent(count(text))): occurs for pieces, occurs in text.items()}


def once_for_each_word(text):
    counts = defaultdict(int)
    for pieces, occurs in text.items():
        for pair in dict.fromkeys(pairwise(pieces)):
            counts[pair] += occurs
    return counts


def first_place(pieces, pair):
    found = list(pairwise(pieces))
    i = found.index(pair) if pair in found else len(pieces)
    return (*pieces[:i], *(["".join(pair)] if pair in found else []), *pieces[i + 2 :])


def no_jump(pieces, pair):
    return tuple("".join(pair) if pieces[i : i + 2] == pair else pieces[i] for i in range(len(pieces)))


def last_lost(pieces, pair):
    new, i = [], 0
    while i < len(pieces) - 1:
        fits = pieces[i : i + 2] == pair
        new.append("".join(pair) if fits else pieces[i])
        i += 2 if fits else 1
    return tuple(new)


def from_the_end(pieces, pair):
    new, i = list(pieces), len(pieces) - 2
    while i >= 0:
        if (new[i], new[i + 1]) == pair:
            new[i : i + 2] = ["".join(pair)]
            i -= 1
        i -= 1
    return tuple(new)


def either_order(text):
    left, right = most_frequent(count(text, lambda pair: (min(pair), max(pair))))
    return {join(pieces, (left, right), (right, left)): occurs for pieces, occurs in text.items()}


WRONG = [
    (counted(lambda text: count(dict.fromkeys(text, 1))), "types instead of tokens"),
    (counted(once_for_each_word), "a pair counts once for each word"),
    (joined(first_place), "joined once for each word"),
    (joined(no_jump), "a joined piece is not used up"),
    (joined(last_lost), "the last piece is lost"),
    (joined(from_the_end), "joined from the right"),
    (
        joined(lambda row, pair: tuple(" ".join(row).replace(" ".join(pair), "".join(pair)).split())),
        "replaced in a string",
    ),
    (either_order, "either order"),
    (lambda text: dict(text), "nothing is joined"),
    (lambda text: most_frequent(count(text)), "a pair instead of a text"),
]
