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


def _joined(pieces, pair, most=None):
    """From the left, at most `most` times."""
    for place in range(len(pieces) - 1):
        if pieces[place : place + 2] == pair and most != 0:
            rest = _joined(pieces[place + 2 :], pair, None if most is None else most - 1)
            return (*pieces[:place], "".join(pair), *rest)
    return pieces


def _not_used_up(pieces, pair):
    return (*("".join(pair) if both == pair else both[0] for both in pairwise(pieces)), pieces[-1])


def _last_lost(pieces, pair):
    """A loop over the places that have a right neighbour."""
    joined = _joined(pieces, pair)
    return joined if pieces[-2:] == pair and joined[-1] == "".join(pair) else joined[:-1]


def _from_the_right(pieces, pair):
    return tuple(piece[::-1] for piece in _joined(_mirror(pieces), _mirror(pair)))[::-1]


def _mirror(pieces):
    return tuple(piece[::-1] for piece in reversed(pieces))


def _in_a_string(pieces, pair):
    return tuple(" ".join(pieces).replace(" ".join(pair), "".join(pair)).split())


def _apart(pieces):
    """Pairs of neighbours; of a piece again and again each is part of one pair only."""
    return [pair for pair in {*pairwise(pieces)} for _ in range(len(pieces) - len(_joined(pieces, pair)))]


def _first(counts):
    return min(counts, key=lambda pair: (-counts[pair], pair))


def _learned(pairs_of=pairwise, weigh=lambda count: count, best=_first, join=_joined):
    """pairs_of(pieces), weigh(how often a word occurs); best(counts); join(pieces, pair)."""

    def model(words, k):
        text, merges = [(tuple(word), count) for word, count in words.items()], []
        while len(merges) < k:
            counts = Counter(pair for pieces, count in text for pair in [*pairs_of(pieces)] * weigh(count))
            if not counts:
                break
            merges.append(best(counts))
            text = [(join(pieces, merges[-1]), count) for pieces, count in text]
        return merges

    return model


def _counted_once(words, k):
    counts = Counter(pair for word, count in words.items() for pair in [*pairwise(word)] * count)
    return sorted(counts, key=lambda pair: (-counts[pair], pair))[:k]


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
    ("types instead of tokens", _learned(weigh=lambda count: 1)),
    ("a pair counts once for each word", _learned(pairs_of=lambda pieces: set(pairwise(pieces)))),
    ("overlapping pairs are not counted", _learned(pairs_of=_apart)),
    ("the pairs are counted only at the beginning", _counted_once),
    ("nothing is joined", _learned(join=lambda pieces, pair: pieces)),
    ("joined once for each word", _learned(join=lambda pieces, pair: _joined(pieces, pair, most=1))),
    ("a joined piece is not used up", _learned(join=_not_used_up)),
    ("the last piece is lost", _learned(join=_last_lost)),
    ("joined from the right", _learned(join=_from_the_right)),
    ("replaced in a string", _learned(join=_in_a_string)),
    (
        "a tie is decided otherwise",
        _learned(best=lambda counts: max(counts, key=counts.get)),
        _learned(best=lambda counts: max(counts, key=lambda pair: (counts[pair], pair))),
    ),
    (
        "the end of a word is marked",
        lambda words, k: _learned()({(*word, "</w>"): count for word, count in words.items()}, k),
        lambda words, k: _learned()({(*word[:-1], word[-1] + "</w>"): count for word, count in words.items()}, k),
    ),
    ("across the border of a word", lambda words, k: _learned()({"".join(w * n for w, n in words.items()): 1}, k)),
    ("the pieces instead of the pairs", lambda *a: ["".join(pair) for pair in byte_pairs(*a)]),
    ("the last merge alone", lambda *a: byte_pairs(*a)[-1], lambda *a: byte_pairs(*a)[-1:]),
]
EXERCISE = Exercise("6.12", byte_pairs, PROBES, MISTAKES, difficulty=4, importance=3, minutes=25)
