"""Exercise 5.2: discriminative rates. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2."""

from course.check.exercise import Exercise, Probe


def group_rates(names: list[str], rate: float, factor: float) -> dict[str, float]:
    """Layer group -> learning rate. names: from the word vectors to the head; rate: of the head.
    group_rates(["word", "head"], 0.01, 2.5) -> {"word": 0.004, "head": 0.01}"""
    return {name: rate / factor**above for above, name in enumerate(reversed(names))}


def _rates(share):
    """share(groups above, groups below, factor): a group's part of the rate."""
    return lambda names, rate, factor: {
        name: rate * share(len(names) - 1 - below, below, factor) for below, name in enumerate(names)
    }


PROBES = [
    Probe("four groups and the paper's factor", ["word", "lstm1", "lstm2", "head"], 0.01, 2.6),
    Probe("five groups", ["word", "lstm1", "lstm2", "lstm3", "head"], 0.004, 2.0),
    Probe("a factor of 1", ["word", "head"], 0.02, 1.0),
    Probe("one group", ["head"], 0.01, 2.6),
]
MISTAKES = [
    ("the wrong end is fast", _rates(lambda above, below, factor: factor**-below)),
    ("the head is divided too", _rates(lambda above, below, factor: factor ** -(above + 1))),
    ("the rates grow downwards", _rates(lambda above, below, factor: factor**above)),
    ("divided by the factor times the place", _rates(lambda above, below, factor: 1 / max(1, factor * above))),
    ("divided once", _rates(lambda above, below, factor: 1 / factor if above else 1)),
    ("the word vectors get the full rate", _rates(lambda above, below, factor: factor**below)),
    ("the same rate everywhere", _rates(lambda above, below, factor: 1)),
]
EXERCISE = Exercise("5.2", group_rates, PROBES, MISTAKES, difficulty=1, importance=4, minutes=6)
