"""Exercise 7.3: two sentences in one row, rows in a batch. Source: Devlin et al. 2018, arXiv:1810.04805, section 3 and
figure 2."""

from course.check.exercise import Exercise, Probe


def pair_rows(
    pairs: list[tuple[list[int], list[int]]],
) -> tuple[list[list[int]], list[list[int]], list[list[bool]]]:
    """(ids, segments, real): a row for each pair, all rows as long as the longest; real: True where no padding is.
    pairs: ids of the pieces of both sentences; 0 is [PAD], 2 [CLS], 3 [SEP]. Segments are 0 and 1, at padding 0.
    pair_rows([([7], [8])]) -> ([[2, 7, 3, 8, 3]], [[0, 0, 0, 1, 1]], [[True, True, True, True, True]])"""
    rows = [([2, *first, 3], [*second, 3]) for first, second in pairs]
    longest = max(len(first) + len(second) for first, second in rows)
    ids, segments, real = [], [], []
    for first, second in rows:
        rest = longest - len(first) - len(second)
        ids.append([*first, *second, *[0] * rest])
        segments.append([0] * len(first) + [1] * len(second) + [0] * rest)
        real.append([True] * (longest - rest) + [False] * rest)
    return ids, segments, real


def _both(a, b):
    return [2, *a, 3, *b, 3]


def _kinds(a, b):
    return [0] * (len(a) + 2) + [1] * (len(b) + 1)


def _rows(ids=_both, segments=_kinds, real=lambda row: [True] * len(row), pads=(0, 0, False), front=False, equal=True):
    """ids(a, b), segments(a, b), real(ids of a row) without padding; pads: what padding is in the three; front: it
    stands there; equal: there is padding."""

    def filled(rows, pad):
        n = max(map(len, rows)) if equal else 0
        return [[pad] * (n - len(row)) + row if front else row + [pad] * (n - len(row)) for row in rows]

    def model(pairs):
        rows = [ids(a, b) for a, b in pairs]
        three = rows, [segments(a, b) for a, b in pairs], [real(row) for row in rows]
        return tuple(filled(part, pad) for part, pad in zip(three, pads, strict=True))

    return model


def _padded_apart(pairs):
    """Each sentence is filled up to the longest on its side."""
    longest_a, longest_b = (max(map(len, side)) for side in zip(*pairs, strict=True))
    ids = [_both([*a, *[0] * (longest_a - len(a))], [*b, *[0] * (longest_b - len(b))]) for a, b in pairs]
    return ids, [[0] * (longest_a + 2) + [1] * (longest_b + 1)] * len(ids), [[i != 0 for i in row] for row in ids]


PROBES = [
    Probe("one pair, no padding", [([7, 11], [8, 5, 9])]),
    Probe("the question's two pairs", [([7, 8, 9], [5, 6, 11, 12]), ([5, 13, 7, 8, 10], [6])]),
    Probe("three pairs, two of them padded", [([6], [9]), ([8, 5], [7, 10, 12]), ([9, 11, 13], [5])]),
]
MISTAKES = [
    ("the second [SEP] is in segment 0", _rows(segments=lambda a, b: [0] * (len(a) + 2) + [1] * len(b) + [0])),
    ("the first [SEP] is in segment 1", _rows(segments=lambda a, b: [0] * (len(a) + 1) + [1] * (len(b) + 2))),
    ("[CLS] is in segment 1", _rows(segments=lambda a, b: [1, *_kinds(a, b)[1:]])),
    ("all in segment 0", _rows(segments=lambda a, b: [0] * len(_both(a, b)))),
    ("segments are counted from 1", _rows(segments=lambda a, b: [1 + kind for kind in _kinds(a, b)])),
    ("padding goes on with segment 1", _rows(pads=(0, 1, False))),
    ("padding is attended", _rows(pads=(0, 0, True))),
    ("special pieces are masked", _rows(real=lambda row: [i > 4 for i in row])),
    ("the mask is turned round", _rows(real=lambda row: [False] * len(row), pads=(0, 0, True))),
    (
        "no [SEP] between the sentences",
        _rows(lambda a, b: [2, *a, *b, 3], lambda a, b: [0] * (len(a) + 1) + [1] * (len(b) + 1)),
    ),
    ("no [SEP] at the end", _rows(lambda a, b: [2, *a, 3, *b], lambda a, b: [0] * (len(a) + 2) + [1] * len(b))),
    (
        "a [CLS] for each sentence",
        _rows(lambda a, b: [2, *a, 3, 2, *b, 3], lambda a, b: [0] * (len(a) + 2) + [1] * (len(b) + 2)),
    ),
    ("each sentence is filled up by itself", _padded_apart),
    ("padding in front", _rows(front=True)),
    ("1 and 0 instead of True and False", _rows(real=lambda row: [1] * len(row), pads=(0, 0, 0))),
    ("no padding", _rows(equal=False)),
]
EXERCISE = Exercise("7.3", pair_rows, PROBES, MISTAKES, difficulty=2, importance=4, minutes=12)
