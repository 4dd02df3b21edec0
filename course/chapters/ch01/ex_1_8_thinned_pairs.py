"""Exercise 1.8: the pairs of a sentence from which words were dropped. Source: Mikolov et al. 2013, arXiv:1310.4546,
section 2.3, and the program word2vec, which drops words before it draws a window for each centre."""

from course.check.exercise import Exercise, Probe, Seen


def thinned_pairs(words: list[str], kept: list[bool], reach: list[int]) -> list[tuple[str, str]]:
    """The pairs (centre, context) of one sentence, in the order of the text. kept [word]: False where subsampling has
    dropped the word; reach [word]: how many words the window has to each side when this word is the centre; both have
    an item for each word of `words`, the dropped ones too.
    thinned_pairs(["a", "b", "c"], [True, False, True], [1, 2, 1]) -> [("a", "c"), ("c", "a")]"""
    left = [i for i, stays in enumerate(kept) if stays]
    pairs = []
    for place, i in enumerate(left):
        for other in range(max(0, place - reach[i]), min(len(left), place + reach[i] + 1)):
            if other != place:
                pairs.append((words[i], words[left[other]]))
    return pairs


def _pairs_if(near, centres=lambda kept: kept, contexts=lambda kept: kept):
    """near(i, j, p, q, reach, words): positions of centre and context in the sentence, then among the words left."""

    def model(words, kept, reach):
        place = [sum(map(bool, kept[:i])) for i in range(len(words))]
        rows = ([i for i, stays in enumerate(of(kept)) if stays] for of in (centres, contexts))
        first, second = rows
        return [(words[i], words[j]) for i in first for j in second if near(i, j, place[i], place[j], reach, words)]

    return model


def _all(kept):
    return [True] * len(kept)


def _by_slices(words, kept, reach):
    left = [i for i, stays in enumerate(kept) if stays]
    around = [(i, left[p - reach[i] : p] + left[p + 1 : p + reach[i] + 1]) for p, i in enumerate(left)]
    return [(words[i], words[j]) for i, others in around for j in others]


def _another_order(got, expected, *_):
    return isinstance(got, list | tuple) and sorted(map(tuple, got)) == sorted(expected)


PROBES = [
    Probe("no word is dropped, one reach", ["she", "paid", "at", "the", "bank"], [True] * 5, [1] * 5),
    Probe("no word is dropped, each has its own reach", ["a", "b", "c", "d", "e"], [True] * 5, [3, 1, 2, 1, 2]),
    Probe(
        "two words are dropped",
        ["the", "ship", "left", "the", "old", "port"],
        [False, True, True, False, True, True],
        [4, 1, 2, 3, 1, 2],
    ),
    Probe(
        "a word that occurs twice",
        ["배", "를", "배", "가", "배", "에", "말"],
        [True, False, True, False, False, True, True],
        [3, 1, 1, 1, 2, 1, 3],
    ),
]
MISTAKES = [
    ("dropped words leave a gap", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(i - j) <= r[i])),
    ("nothing is dropped", " if stays] => ]"),
    ("the dropped words stay", "if stays => if not stays"),
    ("dropped words are centres", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(i - j) <= r[i], centres=_all)),
    ("dropped words are contexts", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(i - j) <= r[i], contexts=_all)),
    ("the reach of another word", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(p - q) <= r[p])),
    ("the reach of the context", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(p - q) <= r[j])),
    ("one reach for all", _pairs_if(lambda i, j, p, q, r, w: 0 < abs(p - q) <= max(r))),
    ("the centre is paired with itself", _pairs_if(lambda i, j, p, q, r, w: abs(p - q) <= r[i])),
    (
        "one side only",
        _pairs_if(lambda i, j, p, q, r, w: 0 < q - p <= r[i]),
        _pairs_if(lambda i, j, p, q, r, w: 0 < p - q <= r[i]),
    ),
    (
        "the window is one too small",
        _pairs_if(lambda i, j, p, q, r, w: 0 < abs(p - q) < r[i]),
        _pairs_if(lambda i, j, p, q, r, w: p != q and -r[i] <= q - p < r[i]),
    ),
    (
        "the window is one too large",
        _pairs_if(lambda i, j, p, q, r, w: 0 < abs(p - q) <= r[i] + 1),
        _pairs_if(lambda i, j, p, q, r, w: p != q and -r[i] <= q - p <= r[i] + 1),
        _pairs_if(lambda i, j, p, q, r, w: p != q and -r[i] - 1 <= q - p <= r[i]),
    ),
    ("the order is (context, centre)", "(words[i], words[left[other]]) => (words[left[other]], words[i])"),
    ("a repeated word is dropped", _pairs_if(lambda i, j, p, q, r, w: w[i] != w[j] and abs(p - q) <= r[i])),
    ("a pair is listed once only", "return pairs => return list(dict.fromkeys(pairs))"),
    ("a word is looked up by its first place", "reach[i] => reach[words.index(words[i])]"),
    (
        "all occurrences of a dropped word are dropped",
        "if stays] => if words[i] not in {word for word, k in zip(words, kept) if not k}]",
    ),
    ("a slice starts at a negative position", _by_slices),
    ("another order of the pairs", Seen(_another_order)),
]
EXERCISE = Exercise("1.8", thinned_pairs, PROBES, MISTAKES, difficulty=3, importance=4, minutes=15)
