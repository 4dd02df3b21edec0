"""Exercise 6.12: byte-pair encoding is learned. Source: Sennrich et al. 2016, arXiv:1508.07909, section 3.2 and
algorithm 1."""

from collections import Counter
from itertools import pairwise

from course.check.exercise import Exercise, Probe


def byte_pairs(words: dict[str, int], k: int) -> list[tuple[str, str]]:
    """The first k merges, in their order; fewer if no pair is left. words: word -> how often it occurs. Of pairs that
    occur equally often the first is taken as Python compares tuples: ("a", "z") before ("b", "a").
    byte_pairs({"abc": 2, "ab": 1}, 9) -> [("a", "b"), ("ab", "c")]"""
    text = {tuple(word): count for word, count in words.items()}
    merges = []
    while len(merges) < k:
        counts = Counter()
        for pieces, count in text.items():
            for pair in pairwise(pieces):
                counts[pair] += count
        if not counts:
            break
        best = max(sorted(counts), key=counts.get)  # of equal ones max takes the first
        merges.append(best)
        after = {}
        for pieces, count in text.items():
            joined, place = [], 0
            while place < len(pieces):
                width = 2 if pieces[place : place + 2] == best else 1
                joined.append("".join(pieces[place : place + width]))
                place += width
            after[tuple(joined)] = count
        text = after
    return merges


def _from_the_right(pieces, pair):
    return tuple(piece[::-1] for piece in _joined(_mirror(pieces), _mirror(pair)))[::-1]


def _mirror(pieces):
    return tuple(piece[::-1] for piece in reversed(pieces))


def _apart(pieces):
    """Pairs of neighbours; of a piece again and again each is part of one pair only."""
    return [pair for pair in {*pairwise(pieces)} for _ in range(len(pieces) - len(_joined(pieces, pair)))]


def _counted_once(words, k):
    counts = Counter(pair for word, count in words.items() for pair in [*pairwise(word)] * count)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:k]


def _joined(pieces, pair):
    """From the left."""
    for place in range(len(pieces) - 1):
        if pieces[place : place + 2] == pair:
            return (*pieces[:place], "".join(pair), *_joined(pieces[place + 2 :], pair))
    return pieces


PROBES = [
    Probe("the words of section 6.6", {"low": 5, "lower": 2, "newest": 6, "widest": 3}, 6),
    Probe("one merge", {"xy": 9, "abz": 4, "cab": 3, "dab": 3}, 1),
    Probe("a frequent word against rare ones", {"xyz": 9, "abq": 2, "abc": 3, "dab": 1}, 4),
    Probe("a pair that overlaps itself", {"aaa": 4, "baaaaa": 2, "ab": 1}, 4),
    Probe("a pair several times in a word", {"banana": 4, "an": 1, "ba": 3, "cb": 2}, 4),
    Probe("a piece that ends like another", {"wes": 2, "we": 5, "es": 3, "no": 1}, 4),
    Probe("pairs that occur equally often", {"the": 2, "cat": 2, "ate": 2, "bee": 2}, 5),
    Probe("fewer pairs than merges", {"On": 3, "no": 2, "a": 7}, 5),
    Probe("a pair that overlaps itself is the most frequent", {"aaad": 4, "bc": 6}, 3),
]
MISTAKES = [
    ("types instead of tokens", "+= count => += 1"),
    ("a pair counts once for each word", "in pairwise(pieces) => in set(pairwise(pieces))"),
    ("overlapping pairs are not counted", "in pairwise(pieces) => in _apart(pieces)"),
    ("the pairs are counted only at the beginning", _counted_once),
    ("nothing is joined", "width = 2 if => width = 1 if"),
    ("joined once for each word", "== best else => == best and len(joined) == place else"),
    ("a joined piece is not used up", "+= width => += 1"),
    ("the last piece is lost", "< len(pieces) => < len(pieces) - 1"),
    ("joined from the right", "tuple(joined) => _from_the_right(pieces, best)"),
    ("replaced in a string", "tuple(joined) => tuple(' '.join(pieces).replace(' '.join(best), ''.join(best)).split())"),
    ("a tie is decided otherwise", "sorted(counts) => counts", "counts.get) => lambda pair: (counts[pair], pair))"),
    ("the end of a word is marked", "tuple(word) => (*word, '</w>')", "tuple(word) => (*word[:-1], word[-1] + '</w>')"),
    ("across the border of a word", lambda words, k: byte_pairs({"".join(w * n for w, n in words.items()): 1}, k)),
    ("the pieces instead of the pairs", "return merges => return list(map(''.join, merges))"),
    ("the last merge alone", "return merges => return merges[-1]", "return merges => return merges[-1:]"),
]
EXERCISE = Exercise("6.12", byte_pairs, PROBES, MISTAKES, difficulty=4, importance=3, minutes=25)
