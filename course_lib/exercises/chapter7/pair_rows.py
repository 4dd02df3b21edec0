"""Exercise 7.3: two sentences in one row, rows in a batch. Source: Devlin et al. 2018, arXiv:1810.04805, section 3 and
figure 2."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def pair_rows(
    pairs: list[tuple[list[int], list[int]]],
) -> tuple[list[list[int]], list[list[int]], list[list[bool]]]:
    """(ids, segments, real): a row for each pair, all rows as long as the longest; real: True where no padding is.
    pairs: ids of the pieces of both sentences; 0 is [PAD], 2 [CLS], 3 [SEP]. Segments are 0 and 1, at padding 0"""
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


def _rows(ids=_both, segments=_kinds, real=lambda row: [True] * len(row), pads=(0, 0, False), front=False):
    """ids(a, b), segments(a, b), real(ids of a row) without padding; pads: what padding is in the three."""

    def filled(rows, pad):
        n = max(map(len, rows))
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


def _counted(got, expected):
    """1 and 0 for True and False, all else right."""
    numbers = [[int(i) for i in row] for row in expected[2]]
    got = [part.tolist() if hasattr(part, "tolist") else [list(row) for row in part] for part in got]
    return got == [*expected[:2], numbers] and not isinstance(got[2][0][0], bool)


EXERCISE = Exercise(
    id="7.3",
    title="Two sentences in one row",
    difficulty=2,
    importance=4,
    minutes=12,
    question="""
        BERT reads a pair as one row: `[CLS]` first sentence `[SEP]` second sentence `[SEP]`. A **segment** says for
        each place which sentence it belongs to. The first `[SEP]` closes the first sentence, the second one the second.
        `[CLS]` counts to the first. Rows of a batch are filled up at their end with `[PAD]`, and a mask says what is
        real. Return ids, segments and mask.
        Before you run it: a pair of 3 and 4 pieces stands beside one of 5 and 1. How long are the rows?
    """,
    solution=pair_rows,
    why="10: what counts is the longest row as a whole, 3 + 4 and three special pieces. The other pair has 9 places, "
    "so it gets one [PAD]. The segment of padding could be anything, since the mask hides it as a key. The mask is "
    "True at special pieces: they are read like any other, and [CLS] gathers what the sentence task needs.",
    hints=(
        "Write one row down without padding, its segments below, place by place. Where do the segments change?",
        "The row is two parts: one up to the first [SEP], one after it. Each part has one segment.",
        "First all rows without padding, then the length of the longest, then a loop that fills up all three lists of "
        "each row with its own kind of padding: 0, 0 and False.",
    ),
    probes=(
        Probe("one pair, no padding", ([([7, 11], [8, 5, 9])],)),
        Probe("the question's two pairs", ([([7, 8, 9], [5, 6, 11, 12]), ([5, 13, 7, 8, 10], [6])],)),
        Probe("three pairs, two of them padded", ([([6], [9]), ([8, 5], [7, 10, 12]), ([9, 11, 13], [5])],)),
    ),
    mistakes=(
        Mistake(
            "the second [SEP] is in segment 0",
            "The last [SEP] closes the second sentence, so it has its segment.",
            model=_rows(segments=lambda a, b: [0] * (len(a) + 2) + [1] * len(b) + [0]),
        ),
        Mistake(
            "the first [SEP] is in segment 1",
            "The first [SEP] closes the first sentence, so it has its segment.",
            model=_rows(segments=lambda a, b: [0] * (len(a) + 1) + [1] * (len(b) + 2)),
        ),
        Mistake(
            "[CLS] is in segment 1",
            "[CLS] stands before the first sentence and counts to it.",
            model=_rows(segments=lambda a, b: [1, *_kinds(a, b)[1:]]),
        ),
        Mistake(
            "all in segment 0",
            "The segments do not tell the sentences apart.",
            model=_rows(segments=lambda a, b: [0] * len(_both(a, b))),
        ),
        Mistake(
            "segments are counted from 1",
            "Segments are rows of a table: the first is 0.",
            model=_rows(segments=lambda a, b: [1 + kind for kind in _kinds(a, b)]),
        ),
        Mistake(
            "padding goes on with segment 1",
            "Here the segment of padding is 0. (The mask hides it, so only the agreement matters.)",
            model=_rows(pads=(0, 1, False)),
        ),
        Mistake(
            "padding is attended",
            "The mask is True everywhere. Real pieces would take from padding, and more so in short rows.",
            model=_rows(pads=(0, 0, True)),
        ),
        Mistake(
            "special pieces are masked",
            "[CLS] and [SEP] are hidden. They are real places: only [PAD] is not.",
            model=_rows(real=lambda row: [i > 4 for i in row]),
        ),
        Mistake(
            "the mask is turned round",
            "The mask is True at padding. Here True means that a place is real.",
            model=_rows(real=lambda row: [False] * len(row), pads=(0, 0, True)),
        ),
        Mistake(
            "no [SEP] between the sentences",
            "The two sentences stand side by side without a border in the ids.",
            model=_rows(lambda a, b: [2, *a, *b, 3], lambda a, b: [0] * (len(a) + 1) + [1] * (len(b) + 1)),
        ),
        Mistake(
            "no [SEP] at the end",
            "The second sentence is not closed. There are two [SEP] in a pair.",
            model=_rows(lambda a, b: [2, *a, 3, *b], lambda a, b: [0] * (len(a) + 2) + [1] * len(b)),
        ),
        Mistake(
            "a [CLS] for each sentence",
            "There is one [CLS] in a row: it stands for the pair.",
            model=_rows(lambda a, b: [2, *a, 3, 2, *b, 3], lambda a, b: [0] * (len(a) + 2) + [1] * (len(b) + 2)),
        ),
        Mistake(
            "each sentence is filled up by itself",
            "There is padding between the sentences, and the rows become longer than needed. Fill up whole rows.",
            model=_padded_apart,
        ),
        Mistake(
            "padding in front",
            "The row is filled up at its beginning. [CLS] must stay at place 0, where the sentence tasks look for it.",
            model=_rows(front=True),
        ),
        Mistake(
            "1 and 0 instead of True and False",
            "The mask holds numbers. Compare, and you have True and False.",
            seen=lambda got, expected, pairs: _counted(got, expected),
        ),
        Mistake(
            "no padding",
            "The rows of a batch differ in length, so that no tensor can be made of them.",
            seen=lambda got, expected, pairs: len({len(row) for row in got[0]}) > 1,
        ),
    ),
)
