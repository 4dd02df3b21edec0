"""Exercise 8.4: the best valid span. Source: Devlin et al. 2019, arXiv:1810.04805, section 4.2; the limit on its length
is that of their run_squad.py (max_answer_length)."""

import math

from course.check.exercise import Exercise, Probe


def best_span(start: list[float], end: list[float], in_passage: list[bool], max_pieces: int) -> tuple[int, int]:
    """(first place, last place) of the best answer. start, end: logits of each place of the row; in_passage: False at
    the question and at special pieces; max_pieces: most pieces of an answer. The passage has one piece or more.
    best_span([9.0, 1.0, 4.0, 0.0], [9.0, 3.0, 1.5, 0.0], [False, True, True, False], 2) -> (2, 2)"""
    places = [place for place, inside in enumerate(in_passage) if inside]
    spans = [(i, j) for i in places for j in places if i <= j < i + max_pieces]
    return max(spans, key=lambda span: start[span[0]] + end[span[1]])


def _above_0(start, end, *given):
    first, last = best_span(start, end, *given)
    return (first, last) if start[first] + end[last] > 0 else (0, 0)


def _ordered(i, j, n):
    return i <= j < i + n


def _anywhere(inside):
    return range(len(inside))


def _span(
    valid=_ordered,
    score=lambda s, e: s + e,
    places=None,
    starts=None,
    ends=None,
    result=lambda i, j, places: (i, j),
):
    """valid(i, j, max_pieces); score(start logit, end logit); places(in_passage): where an answer may be, or where only
    its start or its end may."""

    def model(start, end, in_passage, max_pieces):
        passage = [place for place, inside in enumerate(in_passage) if inside]
        firsts, lasts = ((at or places or (lambda _: passage))(in_passage) for at in (starts, ends))
        spans = [(i, j) for i in firsts for j in lasts if valid(i, j, max_pieces)]
        return result(*max(spans, key=lambda span: score(start[span[0]], end[span[1]])), passage)

    return model


def _apart(change=lambda i, j: (i, j), everywhere=False):
    def model(start, end, in_passage, max_pieces):
        places = [place for place, inside in enumerate(in_passage) if inside or everywhere]
        return change(max(places, key=lambda i: start[i]), max(places, key=lambda j: end[j]))

    return model


def _sigmoid(logit):
    return 1 / (1 + math.exp(-logit))


def _probabilities(start, end, *a):
    return _span(score=lambda s, e: s + e)(
        *([math.exp(x) / sum(map(math.exp, side)) for x in side] for side in (start, end)), *a
    )


def _best_score(start, end, *a):
    i, j = best_span(start, end, *a)
    return start[i] + end[j]


def _start_first(start, end, in_passage, max_pieces):
    i, _ = _apart()(start, end, in_passage, max_pieces)
    return _span()(
        [logit if place == i else -math.inf for place, logit in enumerate(start)], end, in_passage, max_pieces
    )


def _end_first(start, end, in_passage, max_pieces):
    _, j = _apart()(start, end, in_passage, max_pieces)
    return _span()(
        start, [logit if place == j else -math.inf for place, logit in enumerate(end)], in_passage, max_pieces
    )


def _probe(shows, n_question, max_pieces, logits):
    """logits: of start / of end. The row: [CLS] question [SEP] passage [SEP]."""
    start, end = ([float(logit) for logit in part.split()] for part in logits.split("/"))
    before, passage = n_question + 2, len(start) - n_question - 3
    return Probe(shows, start, end, [False] * before + [True] * passage + [False], max_pieces)


PROBES = [
    _probe("start and end agree", 1, 5, "-1 .2 .1 -.5 3.1 .3 .4 -2 / -.9 .1 .4 -1.5 .2 2.9 .6 -1.8"),
    _probe(
        "the best end stands before the best start", 1, 4, ".3 .6 -.2 0 3 1 5 .2 -1 / .1 .5 -.4 .3 4 6.1 .5 2.5 -1.1"
    ),
    _probe("the best pair is too long", 1, 3, ".1 -.3 .2 4 .7 .1 3.4 .9 .6 .3 / .2 .1 -.2 .5 1.1 .4 .8 .3 4.5 .2"),
    _probe("the best pair is one piece too long", 1, 3, ".1 -.3 .2 4 .7 3.4 .1 .9 .3 / .2 .1 -.2 .5 1.1 .4 4.5 .3 .2"),
    _probe(
        "a span is exactly as long as allowed",
        1,
        4,
        ".1 -.3 .2 .6 3 2.2 .4 .9 .6 .3 / .2 .1 -.2 .1 1.1 .4 .8 3.5 .7 .2",
    ),
    _probe(
        "the question has higher logits, and so have [CLS] and [SEP]",
        2,
        9,
        "5 7 6.5 2 .5 1.9 2.1 .3 6 / 6 6.2 7.5 1.5 .2 .8 1.4 2.2 7",
    ),
    _probe("all logits are negative", 1, 3, "-3 -2 -5 -1 -4 -6 -2.5 -7 / -2 -3 -4 -5 -1.5 -2 -6.5 -6"),
    _probe("one piece is the answer", 1, 1, "0 .1 .3 .2 .5 4.2 1 .1 / .2 .1 0 .6 1.2 4.1 1.3 .4"),
    _probe(
        "two good answers, the first one is better", 1, 2, "0 .1 .3 3.5 .5 .2 2 .4 .1 / .2 .1 0 .6 2.9 .3 .8 3.3 .4"
    ),
    _probe(
        "two good answers, the second one is better", 1, 2, "0 .1 .3 3.2 .5 .2 2.9 .4 .1 / .2 .1 0 .6 2.4 .3 .8 3 .4"
    ),
    _probe(
        "a high start with a poor end", 1, 2, ".2 .2 .2 -1.8 .6 -.2 1.5 -.6 4.4 .1 / .1 .1 .1 -1.4 2.3 2.3 .8 1 -.1 .3"
    ),
    _probe(
        "the answer's start is the third best",
        1,
        2,
        ".2 .2 .2 5 -.2 -.6 3.2 3.4 1.6 .1 / .1 .1 .1 1.4 .8 4.2 3.6 2.1 -1.7 .3",
    ),
    _probe("one very high logit", 1, 1, "0 0 0 9.5 4 0 / 0 0 0 0 5 9"),
]
MISTAKES = [
    ("start and end apart", _apart()),
    ("start and end apart, over all places", _apart(everywhere=True)),
    ("start and end apart, then exchanged", _apart(lambda i, j: (min(i, j), max(i, j)))),
    ("the best start, then its best end", _start_first),
    ("the best end, then its best start", _end_first),
    ("no limit on the length", _span(lambda i, j, n: i <= j)),
    ("one piece too long", _span(lambda i, j, n: i <= j <= i + n)),
    ("one piece too short", _span(lambda i, j, n: i <= j < i + max(n - 1, 1))),
    ("the end may come before the start", _span(lambda i, j, n: abs(i - j) < n), _span(lambda i, j, n: j - i < n)),
    ("the answer may lie in the question", _span(places=_anywhere), _span(starts=_anywhere)),
    (
        "the answer may reach the last [SEP]",
        _span(places=lambda inside: range(inside.index(True), len(inside))),
        _span(ends=_anywhere),
    ),
    ("only spans of one piece", _span(lambda i, j, n: i == j)),
    ("the product of the logits", _span(score=lambda s, e: s * e)),
    ("the product of two sigmoids", _span(score=lambda s, e: _sigmoid(s) * _sigmoid(e))),
    ("the sum of two sigmoids", _span(score=lambda s, e: _sigmoid(s) + _sigmoid(e))),
    ("probabilities are added", _span(score=lambda s, e: math.exp(s) + math.exp(e)), _probabilities),
    ("places are counted in the passage", _span(result=lambda i, j, passage: (i - passage[0], j - passage[0]))),
    ("the best score begins at 0", _above_0),
    ("one past the end", _span(result=lambda i, j, passage: (i, j + 1))),
    ("the score instead of the places", _best_score),
]
EXERCISE = Exercise("8.4", best_span, PROBES, MISTAKES, difficulty=2, importance=5, minutes=12)
