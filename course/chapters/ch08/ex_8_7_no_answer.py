"""Exercise 8.7: when to say that there is no answer. Source: Devlin et al. 2019, arXiv:1810.04805, section 4.3; over
several windows as in their run_squad.py."""

import math

from course.check.exercise import Exercise, Probe


def no_answer(windows: list[tuple[float, list[tuple[float, int, int]]]], threshold: float) -> tuple[int, int]:
    """(start, end) of the answer in the passage, or (0, 0) for none. windows: of each the score of "no answer" (start
    and end logit of [CLS], summed) and its spans as (score, start, end); threshold: an answer must lead by more.
    no_answer([(2.0, [(3.5, 10, 14)]), (3.0, [(0.5, 30, 36)])], 1.0) -> (10, 14)"""
    lowest = min(score for score, _ in windows)
    best, start, end = max(span for _, spans in windows for span in spans)
    return (start, end) if best > lowest + threshold else (0, 0)


def _best(windows):
    return max(span for _, spans in windows for span in spans)


def _with_spans(windows):
    return [window for window in windows if window[1]]


def _null_of_the_best_window(windows, threshold):
    null, spans = max(_with_spans(windows), key=lambda window: max(window[1]))
    best, *place = max(spans)
    return tuple(place) if best > null + threshold else (0, 0)


def _each_window_by_itself(windows, threshold):
    """The best span of all windows that have an answer."""
    found = [max(spans) for null, spans in _with_spans(windows) if max(spans)[0] > null + threshold]
    return max(found)[1:] if found else (0, 0)


def _first_that_answers(windows, threshold):
    found = (no_answer([window], threshold) for window in _with_spans(windows))
    return next((place for place in found if place != (0, 0)), (0, 0))


def _largest_margin(windows, threshold):
    """Each span is compared with the null score of its own window, and these differences with one another."""
    margin, _, *place = max((span[0] - null, *span) for null, spans in windows for span in spans)
    return tuple(place) if margin > threshold else (0, 0)


def _silent(decide):
    """decide(which windows say no): is there no answer?"""

    def model(windows, threshold):
        none = decide([all(span[0] <= null + threshold for span in spans) for null, spans in windows])
        return (0, 0) if none else _best(windows)[1:]

    return model


def _probabilities(windows, threshold):
    """A softmax over "no answer" and the spans of each window."""
    rated = []
    for null, spans in windows:
        total = math.exp(null) + sum(math.exp(span[0]) for span in spans)
        rated.append((math.exp(null) / total, [(math.exp(s) / total, start, end) for s, start, end in spans]))
    return no_answer(rated, threshold)


_LOWEST = "min(score for score, _ in windows)"


PROBES = [
    Probe("one window with an answer", [(2.0, [(3.5, 10, 14), (1.0, 0, 4)])], 0.0),
    Probe("one window without", [(4.0, [(3.5, 10, 14), (1.0, 0, 4)])], 0.0),
    Probe("the best span is not the first of its window", [(1.0, [(0.5, 3, 8), (4.0, 12, 15)])], 0.0),
    Probe("most windows hold nothing", [(9.0, [(0.5, 3, 8)]), (8.0, [(1.0, 40, 45)]), (1.0, [(4.0, 71, 77)])], 0.0),
    Probe(
        "most windows hold nothing, the answer is in the first",
        [(1.0, [(4.0, 5, 9), (3.0, 5, 12)]), (9.0, [(0.5, 33, 38)]), (8.0, [(1.0, 50, 55)])],
        1.5,
    ),
    Probe("an answer passes the scores of all windows", [(2.0, [(5.0, 20, 26)]), (3.0, [(2.5, 44, 50)])], 0.0),
    Probe(
        "the best span is in a window that says no", [(5.0, [(4.5, 12, 18), (2.0, 0, 4)]), (3.0, [(1.0, 40, 43)])], 0.0
    ),
    Probe(
        "the best span is in a window that says no, and another one has an answer",
        [(6.0, [(5.5, 12, 18)]), (1.5, [(3.0, 40, 43), (0.0, 51, 53)])],
        0.5,
    ),
    Probe("the threshold makes it silent", [(1.0, [(2.5, 6, 9)]), (2.0, [(0.5, 30, 36)])], 2.0),
    Probe("not even equal, and a threshold above 0", [(3.0, [(2.5, 6, 9)]), (4.0, [(0.5, 30, 36)])], 1.0),
    Probe("a negative threshold makes it bold", [(3.0, [(2.5, 6, 9)]), (4.0, [(0.5, 30, 36)])], -1.0),
    Probe("exactly as much as the threshold", [(1.0, [(3.0, 8, 11), (0.0, 2, 5)])], 2.0),
    Probe("scores below 0", [(-4.0, [(-3.0, 7, 9), (-6.0, 7, 15)]), (-2.0, [(-5.0, 30, 31)])], 0.5),
    Probe(
        "several windows have an answer", [(4.0, [(4.5, 2, 7)]), (1.0, [(4.0, 15, 19)]), (5.0, [(5.5, 20, 26)])], 0.0
    ),
    Probe("one of three windows says no", [(1.0, [(4.0, 5, 9)]), (5.0, [(0.5, 20, 26)]), (0.5, [(2.0, 40, 44)])], 0.0),
    Probe("all scores are below 0 and the null score is above", [(1.0, [(-0.5, 4, 8)]), (0.5, [(-1.0, 20, 22)])], 0.0),
    Probe("a null score above the best span, in another window", [(3.0, [(0.5, 4, 8)]), (1.0, [(2.5, 20, 22)])], 1.0),
    Probe(
        "a window has no span, and the lowest null score", [(3.0, [(2.5, 6, 9)]), (1.0, []), (4.0, [(0.5, 3, 4)])], 1.0
    ),
    Probe("many spans share a window", [(1.0, [(1.4, 3, 5), (1.3, 3, 7), (1.2, 4, 7), (1.1, 9, 11)])], 0.3),
]
MISTAKES = [
    ("the highest null score", "min( => max("),
    ("the mean null score", f"{_LOWEST} => sum(score for score, _ in windows) / len(windows)"),
    ("windows without spans are left out", lambda windows, threshold: no_answer(_with_spans(windows), threshold)),
    ("the null score of the first window", f"{_LOWEST} => windows[0][0]"),
    ("the null score of the last window", f"{_LOWEST} => windows[-1][0]"),
    ("the best score begins at 0", "best > => best > 0 and best >"),
    ("the lowest null score begins at 0", f"{_LOWEST} => min(0, {_LOWEST})"),
    ("null score and span from the same window", _null_of_the_best_window),
    ("each window decides by itself", _each_window_by_itself),
    ("the first window that answers", _first_that_answers),
    ("margins are compared", _largest_margin),
    ("one window says no for all", _silent(any)),
    ("the windows vote", _silent(lambda no: 2 * sum(no) > len(no)), _silent(lambda no: 2 * sum(no) >= len(no))),
    ("the threshold has the wrong sign", "+ threshold => - threshold"),
    ("the threshold is not used", " + threshold => "),
    ("the null score is not used", "lowest + threshold => threshold"),
    ("the distance to the null score", "best > lowest + threshold => abs(best - lowest) > threshold"),
    ("exactly the threshold is enough", "best > => best >="),
    ("it answers always", "best > lowest + threshold => True"),
    ("it never answers", "best > lowest + threshold => False"),
    ("the comparison is turned round", "best > => best <="),
    ("probabilities are compared", _probabilities),
    ("only the first window", "windows => windows[:1]"),
    ("the best span of the last window", "spans in windows => spans in windows[-1:]"),
    ("only the last window", "windows => windows[-1:]"),
    ("only the first span of each window", "span in spans => span in spans[:1]"),
    ("True and False", "(start, end) if best > lowest + threshold else (0, 0) => best > lowest + threshold"),
]
EXERCISE = Exercise("8.7", no_answer, PROBES, MISTAKES, difficulty=2, importance=3, minutes=10)
