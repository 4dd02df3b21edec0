"""Exercise 1.1: from sentences to pairs of centre and context."""

from course.check.exercise import Exercise, Probe, Seen


def skip_gram_pairs(sentences: list[list[str]], window: int) -> list[tuple[str, str]]:
    """All pairs (centre, context) with the context at most `window` words away, in the order of the text.
    skip_gram_pairs([["a", "b", "c"]], 1) -> [("a", "b"), ("b", "a"), ("b", "c"), ("c", "b")]"""
    pairs = []
    for sentence in sentences:
        for i, centre in enumerate(sentence):
            for j in range(max(0, i - window), min(len(sentence), i + window + 1)):
                if j != i:
                    pairs.append((centre, sentence[j]))
    return pairs


def _pairs_if(near):
    """near(i, j, window, sentence)"""
    return lambda sentences, window: [
        (s[i], s[j]) for s in sentences for i in range(len(s)) for j in range(len(s)) if near(i, j, window, s)
    ]


def _pairs_by_slices(sentences, window):
    return [(s[i], c) for s in sentences for i in range(len(s)) for c in s[i - window : i] + s[i + 1 : i + window + 1]]


def _pairs_by_index(sentences, window):
    """`sentence.index(centre)` finds the first occurrence, each time."""
    first = [(s, s.index(centre)) for s in sentences for centre in s]
    return [(s[i], s[j]) for s, i in first for j in range(len(s)) if 0 < abs(i - j) <= window]


def _another_order(got, expected, *_):
    return isinstance(got, list | tuple) and sorted(map(tuple, got)) == sorted(expected)


PROBES = [
    Probe("five different words", [["she", "paid", "at", "the", "bank"]], 1),
    Probe("a word that occurs twice", [["the", "more", "the", "better"]], 2),
    Probe("two sentences", [["배", "가", "떠", "있다"], ["배", "를", "깎았다"]], 3),
    Probe("a window wider than the sentence", [["alone"], ["two", "words"]], 5),
]
MISTAKES = [
    ("the window crosses the sentence boundary", lambda parts, w: skip_gram_pairs([[c for s in parts for c in s]], w)),
    ("the centre is paired with itself", _pairs_if(lambda i, j, w, s: abs(i - j) <= w)),
    ("one side only", _pairs_if(lambda i, j, w, s: 0 < j - i <= w), _pairs_if(lambda i, j, w, s: 0 < i - j <= w)),
    (
        "the window is one too small",
        _pairs_if(lambda i, j, w, s: 0 < abs(i - j) < w),
        _pairs_if(lambda i, j, w, s: j != i and -w <= j - i < w),
    ),
    ("the window is one too large", _pairs_if(lambda i, j, w, s: 0 < abs(i - j) <= w + 1)),
    ("the order is (context, centre)", lambda sentences, w: [pair[::-1] for pair in skip_gram_pairs(sentences, w)]),
    ("a repeated word is dropped", _pairs_if(lambda i, j, w, s: s[i] != s[j] and abs(i - j) <= w)),
    ("a pair is listed once only", lambda *a: list(dict.fromkeys(skip_gram_pairs(*a)))),
    ("a repeated word is taken for its first occurrence", _pairs_by_index),
    ("a slice starts at a negative position", _pairs_by_slices),
    ("another order of the pairs", Seen(_another_order)),
]
EXERCISE = Exercise("1.1", skip_gram_pairs, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
