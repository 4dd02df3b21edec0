"""Exercise 8.4: the best valid span. Source: Devlin et al. 2019, arXiv:1810.04805, section 4.2; the limit on its length
is that of their run_squad.py (max_answer_length)."""

import math

from course.check.exercise import Exercise, Probe


def best_span(start: list[float], end: list[float], in_passage: list[bool], max_pieces: int) -> tuple[int, int]:
    """(first place, last place) of the best answer. start, end: logits of each place of the row; in_passage: False at
    the question and at special pieces; max_pieces: most pieces of an answer. The passage has one piece or more, side by
    side.
    best_span([9.0, 1.0, 4.0, 0.0], [9.0, 3.0, 1.5, 0.0], [False, True, True, False], 2) -> (2, 2)"""
    places = [place for place, inside in enumerate(in_passage) if inside]
    spans = [(i, j) for i in places for j in places if i <= j < i + max_pieces]
    return max(spans, key=lambda span: start[span[0]] + end[span[1]])


def _above_0(start, end, *given):
    first, last = best_span(start, end, *given)
    return (first, last) if start[first] + end[last] > 0 else (0, 0)


def _sigmoid(logit):
    return 1 / (1 + math.exp(-logit))


def _probe(shows, n_question, max_pieces, logits):
    """logits: of start / of end. The row: [CLS] question [SEP] passage [SEP]."""
    start, end = ([float(logit) for logit in part.split()] for part in logits.split("/"))
    before, passage = n_question + 2, len(start) - n_question - 3
    return Probe(shows, start, end, [False] * before + [True] * passage + [False], max_pieces)


def _softmax(logits):
    total = sum(map(math.exp, logits))
    return [math.exp(logit) / total for logit in logits]


_SUM = "start[span[0]] + end[span[1]]"
_BEST = f"max(spans, key=lambda span: {_SUM})"
_APART = "max(places, key=start.__getitem__), max(places, key=end.__getitem__)"


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
    _probe(
        "a passage that begins later in a row as long",
        2,
        2,
        ".2 .1 6 7 .5 3 .4 .2 .1 / .1 .3 5 7.2 .4 .2 2.8 .1 .3",
    ),
    _probe("one very high logit", 1, 1, "0 0 0 9.5 4 0 / 0 0 0 0 5 9"),
]
MISTAKES = [
    ("start and end apart", f"{_BEST} => {_APART}"),
    ("start and end apart, over all places", (" if inside => ", f"{_BEST} => {_APART}")),
    ("start and end apart, then exchanged", f"{_BEST} => tuple(sorted([{_APART}]))"),
    ("the best start, then its best end", "i in places => i in [max(places, key=start.__getitem__)]"),
    ("the best end, then its best start", "j in places => j in [max(places, key=end.__getitem__)]"),
    ("no limit on the length", " < i + max_pieces => "),
    ("one piece too long", "< i + => <= i +"),
    ("one piece too short", "i + max_pieces => i + max(max_pieces - 1, 1)"),
    ("the end may come before the start", "i <= j < i + max_pieces => abs(i - j) < max_pieces", "i <= j => j"),
    ("the answer may lie in the question", " if inside => ", "i in places => i in range(len(start))"),
    (
        "the answer may reach the last [SEP]",
        (" if inside => ", "enumerate(in_passage) => enumerate(in_passage) if place >= in_passage.index(True)"),
        "j in places => j in range(len(end))",
    ),
    ("only spans of one piece", "i <= j < i + max_pieces => i == j"),
    ("the product of the logits", "] + end => ] * end"),
    ("the product of two sigmoids", f"{_SUM} => _sigmoid(start[span[0]]) * _sigmoid(end[span[1]])"),
    ("the sum of two sigmoids", f"{_SUM} => _sigmoid(start[span[0]]) + _sigmoid(end[span[1]])"),
    (
        "probabilities are added",
        f"{_SUM} => math.exp(start[span[0]]) + math.exp(end[span[1]])",
        "return => start, end = _softmax(start), _softmax(end)\n    return",
    ),
    ("places are counted in the passage", f"{_BEST} => tuple(place - places[0] for place in {_BEST})"),
    ("the best score begins at 0", _above_0),
    ("one past the end", f"return {_BEST} => i, j = {_BEST}\n    return i, j + 1"),
    ("the score instead of the places", f"{_BEST} => max(start[i] + end[j] for i, j in spans)"),
]
EXERCISE = Exercise("8.4", best_span, PROBES, MISTAKES, difficulty=2, importance=5, minutes=12)
