"""Exercise 8.7: when to say that there is no answer. Source: Devlin et al. 2019, arXiv:1810.04805, section 4.3; over
several windows as in their run_squad.py."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def no_answer(windows: list[tuple[float, list[tuple[float, int, int]]]], threshold: float) -> tuple[int, int]:
    """(start, end) of the answer in the passage, or (0, 0) for none. windows: of each the score of "no answer" (start
    and end logit of [CLS], summed) and its spans as (score, start, end); threshold: an answer must lead by more"""
    lowest = min(score for score, _ in windows)
    best, start, end = max(span for _, spans in windows for span in spans)
    return (start, end) if best > lowest + threshold else (0, 0)


def _best(windows):
    return max(span for _, spans in windows for span in spans)


def _decided(null=min, passes=lambda best, null, threshold: best > null + threshold):
    """null(scores of "no answer" of all windows); passes(best score, null score, threshold)."""

    def model(windows, threshold):
        best, *place = _best(windows)
        return tuple(place) if passes(best, null([score for score, _ in windows]), threshold) else (0, 0)

    return model


def _null_of_the_best_window(windows, threshold):
    null, spans = max(windows, key=lambda window: max(window[1]))
    best, *place = max(spans)
    return tuple(place) if best > null + threshold else (0, 0)


def _each_window_by_itself(windows, threshold):
    """The best span of all windows that have an answer."""
    found = [max(spans) for null, spans in windows if max(spans)[0] > null + threshold]
    return max(found)[1:] if found else (0, 0)


def _one_window_says_no(windows, threshold):
    none = any(max(spans)[0] <= null + threshold for null, spans in windows)
    return (0, 0) if none else _best(windows)[1:]


def _most_windows_say_no(windows, threshold):
    none = sum(max(spans)[0] <= null + threshold for null, spans in windows)
    return (0, 0) if 2 * none > len(windows) else _best(windows)[1:]


def _probabilities(windows, threshold):
    """A softmax over "no answer" and the spans of each window."""
    rated = []
    for null, spans in windows:
        total = math.exp(null) + sum(math.exp(span[0]) for span in spans)
        rated.append((math.exp(null) / total, [(math.exp(s) / total, start, end) for s, start, end in spans]))
    return no_answer(rated, threshold)


def _best_of_last_window(windows, threshold):
    return no_answer(windows[-1:], threshold)


EXERCISE = Exercise(
    id="8.7",
    title="No answer",
    difficulty=2,
    importance=3,
    minutes=10,
    question="""
        For a question without an answer, start and end both point to `[CLS]`. The sum of its two logits is the score
        of "no answer". A long passage has several windows, each with such a score and with spans; the spans are
        characters of the passage already. The best span of all windows is the answer if its score is higher than the
        **lowest** "no answer" of all windows by **more than** `threshold`. Else the result is (0, 0). No two spans
        have the same score.
        Before you run it: three windows say "no answer" with 9, 8 and 1; the best span of all, in the third, has 4.
        The threshold is 0. Is there an answer?
    """,
    solution=no_answer,
    why="Yes: 4 passes 1. Two of three windows rightly say that *they* hold nothing, and a long passage mostly has "
    "such windows. What counts is the window that is least sure. The threshold is chosen on development data: the "
    "higher it is, the more often the system is silent. In run_squad.py it is compared with null minus best, so there "
    "the sign is the other way round.",
    hints=(
        "Two numbers decide: one from all spans, one from all scores of “no answer”. Which window they come from does "
        "not matter.",
        "Of the spans the highest, of “no answer” the lowest. On which side does the threshold make answers rarer?",
        "Go over all spans of all windows for the best one with its place; compare its score with the lowest null "
        "score plus the threshold.",
    ),
    probes=(
        Probe("one window with an answer", ([(2.0, [(3.5, 10, 14), (1.0, 0, 4)])], 0.0)),
        Probe("one window without", ([(4.0, [(3.5, 10, 14), (1.0, 0, 4)])], 0.0)),
        Probe("the best span is not the first of its window", ([(1.0, [(0.5, 3, 8), (4.0, 12, 15)])], 0.0)),
        Probe(
            "most windows hold nothing", ([(9.0, [(0.5, 3, 8)]), (8.0, [(1.0, 40, 45)]), (1.0, [(4.0, 71, 77)])], 0.0)
        ),
        Probe(
            "most windows hold nothing, the answer is in the first",
            ([(1.0, [(4.0, 5, 9), (3.0, 5, 12)]), (9.0, [(0.5, 33, 38)]), (8.0, [(1.0, 50, 55)])], 1.5),
        ),
        Probe("an answer passes the scores of all windows", ([(2.0, [(5.0, 20, 26)]), (3.0, [(1.0, 44, 50)])], 0.0)),
        Probe(
            "the best span is in a window that says no",
            ([(5.0, [(4.5, 12, 18), (2.0, 0, 4)]), (3.0, [(1.0, 40, 43)])], 0.0),
        ),
        Probe(
            "the best span is in a window that says no, and another one has an answer",
            ([(6.0, [(5.5, 12, 18)]), (1.5, [(3.0, 40, 43), (0.0, 51, 53)])], 0.5),
        ),
        Probe("the threshold makes it silent", ([(1.0, [(2.5, 6, 9)]), (2.0, [(0.5, 30, 36)])], 2.0)),
        Probe("not even equal, and a threshold above 0", ([(3.0, [(2.5, 6, 9)]), (4.0, [(0.5, 30, 36)])], 1.0)),
        Probe("a negative threshold makes it bold", ([(3.0, [(2.5, 6, 9)]), (4.0, [(0.5, 30, 36)])], -1.0)),
        Probe("exactly as much as the threshold", ([(1.0, [(3.0, 8, 11), (0.0, 2, 5)])], 2.0)),
        Probe("scores below 0", ([(-4.0, [(-3.0, 7, 9), (-6.0, 7, 15)]), (-2.0, [(-5.0, 30, 31)])], 0.5)),
        Probe("many spans share a window", ([(1.0, [(1.4, 3, 5), (1.3, 3, 7), (1.2, 4, 7), (1.1, 9, 11)])], 0.3)),
    ),
    mistakes=(
        Mistake(
            "the highest null score",
            "A window that holds nothing decides for all. In a long passage there mostly is one.",
            model=_decided(max),
        ),
        Mistake(
            "the mean null score",
            "The more windows hold nothing, the less is answered. The lowest null score counts.",
            model=_decided(lambda nulls: sum(nulls) / len(nulls)),
        ),
        Mistake(
            "the null score of the first window",
            "Only the first window is asked whether there is no answer.",
            model=_decided(lambda nulls: nulls[0]),
        ),
        Mistake(
            "the null score of the last window",
            "A later window's null score replaces an earlier one that is lower.",
            model=_decided(lambda nulls: nulls[-1]),
        ),
        Mistake(
            "null score and span from the same window",
            "The best span is compared with its own window. The lowest null score may be in another one.",
            model=_null_of_the_best_window,
        ),
        Mistake(
            "each window decides by itself",
            "First each window decides, then the best of their answers is taken. Decide once, over all windows.",
            model=_each_window_by_itself,
        ),
        Mistake(
            "one window says no for all",
            "If any window holds nothing, there is no answer. Most windows of a long passage hold nothing.",
            model=_one_window_says_no,
        ),
        Mistake(
            "the windows vote",
            "The majority of windows decides. Most windows of a long passage hold nothing.",
            model=_most_windows_say_no,
        ),
        Mistake(
            "the threshold has the wrong sign",
            "A higher threshold gives more answers. An answer must be better by the threshold.",
            model=_decided(passes=lambda best, null, threshold: best > null - threshold),
        ),
        Mistake(
            "the threshold is not used",
            "The result does not depend on the threshold.",
            model=_decided(passes=lambda best, null, threshold: best > null),
        ),
        Mistake(
            "the null score is not used",
            "The best span is compared with the threshold alone. How high a score is means nothing by itself.",
            model=_decided(passes=lambda best, null, threshold: best > threshold),
        ),
        Mistake(
            "the distance to the null score",
            "The difference is taken without its sign: a span far below “no answer” is taken.",
            model=_decided(passes=lambda best, null, threshold: abs(best - null) > threshold),
        ),
        Mistake(
            "exactly the threshold is enough",
            "The answer must be better by more than the threshold.",
            model=_decided(passes=lambda best, null, threshold: best >= null + threshold),
        ),
        Mistake(
            "it answers always",
            "There is an answer to every question, however sure the windows are that there is none.",
            model=_decided(passes=lambda best, null, threshold: True),
        ),
        Mistake(
            "it never answers",
            "The result is (0, 0), whatever the scores. In which direction do you compare?",
            model=_decided(passes=lambda best, null, threshold: False),
        ),
        Mistake(
            "the comparison is turned round",
            "It answers when “no answer” is better, and is silent when a span is.",
            model=_decided(passes=lambda best, null, threshold: best <= null + threshold),
        ),
        Mistake(
            "probabilities are compared",
            "A softmax in each window comes first. The threshold is one of scores, and windows then no longer compare.",
            model=_probabilities,
        ),
        Mistake(
            "only the last window",
            "Answer and null score come from the last window alone.",
            model=_best_of_last_window,
        ),
        Mistake(
            "only the first span of each window",
            "The first span of a window is taken for its best. Nothing says that spans are sorted.",
            model=lambda windows, threshold: no_answer([(null, spans[:1]) for null, spans in windows], threshold),
        ),
        Mistake(
            "True and False",
            "The result says whether there is an answer. Asked is also where, as (start, end).",
            seen=lambda got, expected, *_: isinstance(got, bool),
        ),
    ),
)
