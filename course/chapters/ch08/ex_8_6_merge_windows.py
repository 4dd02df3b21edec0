"""Exercise 8.6: one list of answers from many windows. Source: Devlin et al. 2019, arXiv:1810.04805, whose run_squad.py
cuts a long passage into windows that overlap (doc_stride)."""

import math

from course.check.exercise import Exercise, Probe


def merge_windows(windows: list[tuple[int, list[tuple[float, int, int]]]], n: int) -> list[tuple[int, int]]:
    """The n best answers, best first, as characters (start, end) of the passage; fewer if there are no more. windows:
    the character of the passage where a window begins, and its spans as (score, start, end), counted from there.
    merge_windows([(0, [(1.0, 7, 9)]), (5, [(2.0, 0, 3), (3.0, 2, 4)])], 2) -> [(7, 9), (5, 8)]"""
    best = {}
    for begins, spans in windows:
        for score, start, end in spans:
            place = begins + start, begins + end
            best[place] = max(score, best.get(place, score))
    return sorted(best, key=best.get, reverse=True)[:n]


def _softmax(windows, n):
    rated = []
    for at, spans in windows:
        total = sum(math.exp(score) for score, _, _ in spans)
        rated.append((at, [(math.exp(score) / total, start, end) for score, start, end in spans]))
    return merge_windows(rated, n)


def _all_listed(windows, n):
    """Nothing is merged."""
    found = [(score, at + start, at + end) for at, spans in windows for score, start, end in spans]
    return [tuple(place) for _, *place in sorted(found, key=lambda span: -span[0])][:n]


def _apart(windows, n):
    """Of answers that overlap only the best is kept."""
    found = []
    for start, end in merge_windows(windows, 99):
        if all(end <= left or right <= start for left, right in found):
            found.append((start, end))
    return found[:n]


def _in_order_of_windows(windows, n):
    return list(dict.fromkeys(place for window in windows for place in merge_windows([window], n)))[:n]


_BEST = "sorted(best, key=best.get, reverse=True)[:n]"


PROBES = [
    Probe("one window", [(0, [(1.5, 4, 9), (0.5, 4, 20), (3.0, 12, 20)])], 2),
    Probe("the second window begins later", [(0, [(1.0, 3, 8), (-0.5, 3, 5)]), (50, [(4.0, 3, 8), (2.8, 10, 14)])], 3),
    Probe(
        "one answer in two windows, better in the second",
        [(0, [(3.0, 80, 85), (4.5, 7, 11)]), (60, [(5.0, 20, 25), (3.2, 40, 44)])],
        3,
    ),
    Probe(
        "one answer in two windows, better in the first",
        [(0, [(6.0, 41, 47), (1.0, 2, 5)]), (30, [(0.5, 11, 17), (4.0, 33, 36)]), (55, [(2.0, 8, 11), (1.2, 30, 31)])],
        3,
    ),
    Probe(
        "a window that is sure of nothing",
        [(0, [(7.0, 5, 9), (6.5, 5, 12), (6.0, 7, 9)]), (40, [(1.0, 22, 30), (-5.0, 22, 25)])],
        2,
    ),
    Probe(
        "three windows share an answer that is not the best",
        [
            (0, [(2.5, 60, 66), (4.0, 10, 15)]),
            (20, [(2.0, 40, 46), (-1.0, 70, 75)]),
            (40, [(2.2, 20, 26), (0.5, 80, 84)]),
        ],
        4,
    ),
    Probe(
        "the same answer twice among the first n",
        [(0, [(5.0, 30, 33), (1.0, 0, 4)]), (25, [(4.5, 5, 8), (3.0, 15, 19), (2.0, 5, 19)])],
        3,
    ),
    Probe("fewer answers than n", [(0, [(2.0, 3, 8), (1.0, 4, 8)]), (5, [(0.5, 0, 2)])], 4),
    Probe("scores below 0", [(10, [(-2.0, 1, 4), (-6.0, 2, 4)]), (20, [(-1.0, 3, 7), (-1.5, 3, 9)])], 3),
]
MISTAKES = [
    ("places are not shifted", "begins + => "),
    ("only the start is shifted", "begins + end => end"),
    ("shifted to the left", "begins + start, begins + end => start - begins, end - begins"),
    ("one answer is listed twice", _all_listed),
    ("merged after cutting off", lambda windows, n: list(dict.fromkeys(_all_listed(windows, n)))),
    (
        "the mean over windows",
        (
            "max(score, best.get(place, score)) => [*best.get(place, []), score]",
            "key=best.get => key=lambda place: sum(best[place]) / len(best[place])",
        ),
    ),
    ("the sum over windows", "max(score, best.get(place, score)) => score + best.get(place, 0)"),
    ("the last window wins", "max(score, best.get(place, score)) => score"),
    ("the first window wins", "max(score, best.get(place, score)) => best.get(place, score)"),
    ("the lowest score counts", "max( => min("),
    ("a softmax in each window", _softmax),
    ("window after window", _in_order_of_windows),
    ("only the best of each window", "in spans => in [max(spans)]"),
    ("only the last window", "in windows => in windows[-1:]"),
    ("the worst come first", "[:n] => [::-1][:n]"),
    ("n is ignored", "[:n] => "),
    ("overlapping answers are dropped", _apart),
    ("the first n spans of each window", "in spans => in spans[:n]"),
    ("the best score begins at 0", "max(score => max(0, score"),
    ("scores below 0 are lost", "in spans => in [span for span in spans if span[0] > 0]"),
    (
        "scores are in the list",
        *(
            f"return {_BEST} => return [{item} for place in {_BEST}]"
            for item in ("(best[place], *place)", "(*place, best[place])", "(place, best[place])")
        ),
    ),
]
EXERCISE = Exercise("8.6", merge_windows, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
