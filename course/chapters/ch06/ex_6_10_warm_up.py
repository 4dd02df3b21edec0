"""Exercise 6.10: the paper's learning rate. Source: Vaswani et al. 2017, arXiv:1706.03762, section 5.3, equation 3."""

from course.check.exercise import Exercise, Probe


def warm_rate(step: int, d_model: int, warm_up: int) -> float:
    """The learning rate at `step`, counted from 1. warm_up: the step at which it turns.
    warm_rate(8, 4, 16) -> 0.0625"""
    return d_model**-0.5 * min(step**-0.5, step * warm_up**-1.5)


def _rate(join=min, rise=lambda step, turn: step / turn**1.5, scale=lambda d_model: d_model**-0.5):
    return lambda step, d_model, turn: scale(d_model) * join(step**-0.5, rise(step, turn))


def _by_case(rise):
    return lambda step, d_model, turn: d_model**-0.5 * (rise(step, turn) if step < turn else step**-0.5)


PROBES = [
    Probe("the first step", 1, 64, 100),
    Probe("on the way up", 30, 64, 100),
    Probe("at the turn", 100, 64, 100),
    Probe("on the way down", 500, 64, 100),
    Probe("on the way up, another width", 7, 25, 9),
    Probe("on the way down, another width", 49, 25, 9),
]
MISTAKES = [
    ("it only falls", _rate(join=lambda fall, rise: fall)),
    ("it only rises", _rate(join=lambda fall, rise: rise)),
    ("the larger of the two", _rate(join=max)),
    ("rise and fall are multiplied", _rate(join=lambda fall, rise: fall * rise)),
    ("rise and fall do not meet", _rate(rise=lambda step, turn: step / turn), _by_case(lambda step, turn: step / turn)),
    ("the width is missing", _rate(scale=lambda d_model: 1)),
    ("the width without its root", _rate(scale=lambda d_model: 1 / d_model)),
    ("a wide network learns faster", _rate(scale=lambda d_model: d_model**0.5)),
]
EXERCISE = Exercise("6.10", warm_rate, PROBES, MISTAKES, difficulty=2, importance=3, minutes=10)
