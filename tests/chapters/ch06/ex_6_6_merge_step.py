"""Wrong answers to exercise 6.6 as readers write them, each with the mistake that must be named."""

from collections import defaultdict
from itertools import pairwise


def neighbours(pieces):
    return list(pairwise(pieces))


def most_frequent(counts):
    return sorted(counts, key=lambda pair: -counts[pair])[0]


def count(text):
    counts = defaultdict(int)
    for pieces, occurs in text.items():
        for pair in neighbours(pieces):
            counts[pair] += occurs
    return counts


def join(pieces, *pairs):
    pieces, i = list(pieces), 0
    while i < len(pieces) - 1:
        if (pieces[i], pieces[i + 1]) in pairs:
            pieces[i : i + 2] = [pieces[i] + pieces[i + 1]]
        i += 1
    return tuple(pieces)


def types(text):
    pair = most_frequent(count(dict.fromkeys(text, 1)))
    return {join(pieces, pair): occurs for pieces, occurs in text.items()}


def once_for_each_word(text):
    counts = defaultdict(int)
    for pieces, occurs in text.items():
        for pair in dict.fromkeys(neighbours(pieces)):
            counts[pair] += occurs
    return {join(pieces, most_frequent(counts)): occurs for pieces, occurs in text.items()}


def first_place(text):
    pair, after = most_frequent(count(text)), {}
    for pieces, occurs in text.items():
        found = neighbours(pieces)
        if pair in found:
            i = found.index(pair)
            pieces = (*pieces[:i], pair[0] + pair[1], *pieces[i + 2 :])
        after[pieces] = occurs
    return after


def no_jump(text):
    pair, after = most_frequent(count(text)), {}
    for pieces, occurs in text.items():
        new, i = [], 0
        while i < len(pieces):
            new.append("".join(pair) if pieces[i : i + 2] == pair else pieces[i])
            i += 1
        after[tuple(new)] = occurs
    return after


def last_lost(text):
    pair, after = most_frequent(count(text)), {}
    for pieces, occurs in text.items():
        new, i = [], 0
        while i < len(pieces) - 1:
            if (pieces[i], pieces[i + 1]) == pair:
                new.append(pieces[i] + pieces[i + 1])
                i += 2
            else:
                new.append(pieces[i])
                i += 1
        after[tuple(new)] = occurs
    return after


def from_the_end(text):
    pair, after = most_frequent(count(text)), {}
    for pieces, occurs in text.items():
        new = list(pieces)
        i = len(new) - 2
        while i >= 0:
            if (new[i], new[i + 1]) == pair:
                new[i : i + 2] = [new[i] + new[i + 1]]
                i -= 1
            i -= 1
        after[tuple(new)] = occurs
    return after


def in_a_string(text):
    left, right = most_frequent(count(text))
    spaced = {" ".join(pieces): occurs for pieces, occurs in text.items()}
    return {tuple(w.replace(f"{left} {right}", left + right).split(" ")): occurs for w, occurs in spaced.items()}


def either_order(text):
    counts = defaultdict(int)
    for pieces, occurs in text.items():
        for left, right in neighbours(pieces):
            counts[min(left, right), max(left, right)] += occurs
    left, right = most_frequent(counts)
    return {join(pieces, (left, right), (right, left)): occurs for pieces, occurs in text.items()}


def unchanged(text):
    return dict(text)


def the_pair(text):
    return most_frequent(count(text))


WRONG = [
    (types, "types instead of tokens"),
    (once_for_each_word, "a pair counts once for each word"),
    (first_place, "joined once for each word"),
    (no_jump, "a joined piece is not used up"),
    (last_lost, "the last piece is lost"),
    (from_the_end, "joined from the right"),
    (in_a_string, "replaced in a string"),
    (either_order, "either order"),
    (unchanged, "nothing is joined"),
    (the_pair, "a pair instead of a text"),
]
