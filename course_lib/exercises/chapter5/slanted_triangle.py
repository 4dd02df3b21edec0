"""Exercise 5.1: the slanted triangle. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2, equation 3."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def slanted_triangle(step: int, total: int, cut_frac: float, ratio: float) -> float:
    """The learning rate at `step` (from 0) of `total`, as a share of the largest. cut_frac: share of steps in which
    it rises; ratio: how much smaller the smallest rate is than the largest"""
    cut = math.floor(total * cut_frac)
    p = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_frac - 1))
    return (1 + p * (ratio - 1)) / ratio


def _rate(step, total, cut_frac, ratio, *, cut=None, fall=None, last=lambda p, ratio: (1 + p * (ratio - 1)) / ratio):
    cut = math.floor(total * cut_frac) if cut is None else cut
    fall = cut * (1 / cut_frac - 1) if fall is None else fall
    return last(step / cut if step < cut else 1 - (step - cut) / fall, ratio)


EXERCISE = Exercise(
    id="5.1",
    title="The slanted triangle",
    difficulty=2,
    importance=4,
    minutes=10,
    question="""
        The rate rises in a straight line for the first $cut = \\lfloor T \\cdot cut\\_frac \\rfloor$ of $T$ steps, then
        falls. The share of the way up is $p = t / cut$ while $t < cut$, afterwards
        $p = 1 - \\frac{t - cut}{cut \\cdot (1/cut\\_frac - 1)}$. The rate at step $t$, as a share of the largest, is
        $\\frac{1 + p \\cdot (ratio - 1)}{ratio}$. Write it for one step.
        Before you run it: with $ratio = 32$, what is the rate at step 0? Is it 0?
    """,
    solution=slanted_triangle,
    why="At step 0 the rate is 1/32 of the largest, not 0. The rise is short: the classifier should come near a good "
    "region fast. The long fall then refines it there.",
    hints=(
        "First the step at which the rate turns. Then on which side of it you are.",
        "Both sides give p, a number from 0 to 1. One last formula turns p into the rate; it is the same for both.",
        "At the turn p is 1 from both sides. If your two lines do not meet there, look at what the fall is divided by.",
    ),
    probes=(
        Probe("the first step", (0, 100, 0.1, 32)),
        Probe("on the way up", (3, 100, 0.1, 32)),
        Probe("at the turn", (10, 100, 0.1, 32)),
        Probe("on the way down", (64, 100, 0.1, 32)),
        Probe("on the way up, cut does not come out even", (5, 47, 0.25, 8)),
        Probe("on the way down, cut does not come out even", (30, 47, 0.25, 8)),
    ),
    mistakes=(
        Mistake(
            "the rate is only p",
            "The rate starts at 0. It should start at the largest rate divided by the ratio.",
            model=lambda *a: _rate(*a, last=lambda p, ratio: p),
        ),
        Mistake(
            "the floor is added to p",
            "At the turn the rate is a little above its largest value. The way up is shorter than 1.",
            model=lambda *a: _rate(*a, last=lambda p, ratio: p + 1 / ratio),
        ),
        Mistake(
            "the rise is forgotten",
            "The rate is largest at step 0. The first steps should be small and grow.",
            model=lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, cut=0, fall=total),
        ),
        Mistake(
            "the fall ends too late",
            "After the turn the rate falls too slowly: it is divided by all the steps, not by those that are left.",
            model=lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, fall=total),
        ),
        Mistake(
            "rise and fall are exchanged",
            "The rate rises for most of the steps. It should rise for the small share and fall for the large one.",
            model=lambda step, total, cut_frac, ratio: _rate(step, total, 1 - cut_frac, ratio),
        ),
        Mistake(
            "cut is not rounded down",
            "The turn lies between two steps. The paper rounds it down to a whole step.",
            model=lambda step, total, cut_frac, ratio: _rate(step, total, cut_frac, ratio, cut=total * cut_frac),
        ),
        Mistake(
            "no division by the ratio",
            "The rate runs from 1 to the ratio. Asked is the share of the largest.",
            model=lambda *a: _rate(*a, last=lambda p, ratio: 1 + p * (ratio - 1)),
        ),
    ),
)
