"""Exercise 5.6: the label-equivalent factor. Source: Howard & Ruder 2018, arXiv:1801.06146, section 5 (low-shot)."""

import math
import operator

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def label_factor(sizes: list[int], scores: list[float], few: int, reached: float) -> float:
    """How many times `few` labels the network from scratch needs for the score `reached`. sizes, scores: its learning
    curve, sizes growing; if the curve stays below, its largest size counts (the factor is then at least so large)"""
    if scores[0] >= reached:
        return sizes[0] / few
    for i in range(1, len(sizes)):
        if scores[i] >= reached:
            share = (reached - scores[i - 1]) / (scores[i] - scores[i - 1])
            low, high = math.log(sizes[i - 1]), math.log(sizes[i])
            return math.exp(low + share * (high - low)) / few
    return sizes[-1] / few


def _factor(sizes, scores, few, reached, *, between=None, never=None, enough=operator.ge):
    if enough(scores[0], reached):
        return sizes[0] / few
    for i in range(1, len(sizes)):
        if enough(scores[i], reached):
            share = (reached - scores[i - 1]) / (scores[i] - scores[i - 1])
            low, high = sizes[i - 1], sizes[i]
            return (between(low, high, share) if between else low * (high / low) ** share) / few
    return (sizes[-1] if never is None else never(sizes, scores, reached)) / few


def _extended(sizes, scores, reached):
    """The last piece of the curve, drawn on."""
    share = (reached - scores[-2]) / (scores[-1] - scores[-2])
    return sizes[-2] * (sizes[-1] / sizes[-2]) ** share


EXERCISE = Exercise(
    id="5.6",
    title="How many labels is a language model worth?",
    difficulty=3,
    importance=4,
    minutes=12,
    question="""
        With pre-training, `few` labels reach a score. From scratch there is a learning curve: scores at some numbers of
        labels. Read off it how many labels from scratch **first** give the same score, and divide by `few`. Between two
        points the score grows evenly with the **logarithm** of the labels: on a logarithmic axis the curve is drawn
        with straight lines. If the curve never gets there, take its largest size; if it begins above, its smallest.
        Before you run it: 80 % at 100 labels and 90 % at 10,000. Where is 85 %?
    """,
    solution=label_factor,
    why="At 1,000: the middle on a logarithmic axis. Read on a plain axis it would be 5,050, five times as many. "
    "And where the curve ends below, the number is only a lower bound. Say so when you report it.",
    hints=(
        "Find the first point of the curve that is not below the score. The answer lies between it and the one before.",
        "What share of the way from the lower score to the upper one has been gone? Go the same share in log labels.",
        "Think of three cases: already above at the first point, between two points, never.",
    ),
    probes=(
        Probe("between two points", ([100, 10_000], [80.0, 90.0], 100, 85.0)),
        Probe("a curve of four points", ([100, 500, 2_000, 8_000], [60.0, 70.0, 82.0, 86.0], 100, 80.0)),
        Probe("never reached", ([50, 100, 400], [55.0, 60.0, 66.0], 50, 70.0)),
        Probe("reached at once", ([25, 100], [75.0, 80.0], 50, 70.0)),
        Probe("a curve that falls again", ([100, 200, 400, 800], [60.0, 76.0, 70.0, 80.0], 100, 74.0)),
        Probe("exactly the score of a peak", ([100, 200, 400, 800], [60.0, 76.0, 70.0, 80.0], 100, 76.0)),
    ),
    mistakes=(
        Mistake(
            "a straight line on a plain axis",
            "Between two points the labels grow evenly with the score. Their logarithm should.",
            model=lambda *a: _factor(*a, between=lambda low, high, share: low + share * (high - low)),
        ),
        Mistake(
            "the next measured size",
            "The answer is always a measured size. The score was reached before it.",
            model=lambda *a: _factor(*a, between=lambda low, high, share: high),
        ),
        Mistake(
            "the size before",
            "The answer is the last size that is still below the score.",
            model=lambda *a: _factor(*a, between=lambda low, high, share: low),
        ),
        Mistake(
            "the share is turned round",
            "The nearer the score is to the upper point, the nearer the answer should be to the larger size.",
            model=lambda *a: _factor(*a, between=lambda low, high, share: high * (low / high) ** share),
        ),
        Mistake(
            "the curve is drawn on beyond its end",
            "Past the last point nothing was measured. There the largest size counts, as a lower bound.",
            model=lambda *a: _factor(*a, never=_extended),
        ),
        Mistake(
            "never is infinite",
            "A curve that ends below the score tells that more labels are needed, not how many.",
            seen=lambda got, expected, *_: math.isinf(got) or math.isnan(got),
        ),
        Mistake(
            "exactly reached does not count",
            "A point of the curve with just this score gives the same score. The answer may be that point.",
            model=lambda *a: _factor(*a, enough=operator.gt),
        ),
        Mistake(
            "labels instead of a factor",
            "This is a number of labels. Divide it by `few`.",
            model=lambda sizes, scores, few, reached: few * _factor(sizes, scores, few, reached),
        ),
        Mistake(
            "the factor is turned round",
            "More labels from scratch should give a larger factor.",
            model=lambda *a: 1 / _factor(*a),
        ),
        Mistake(
            "doublings instead of a factor",
            "This is the logarithm of the factor. The ledger judges that; asked is the factor.",
            model=lambda *a: math.log2(_factor(*a)),
        ),
    ),
)
