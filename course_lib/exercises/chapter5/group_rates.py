"""Exercise 5.2: discriminative rates. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.2."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def group_rates(names: list[str], rate: float, factor: float) -> dict[str, float]:
    """Layer group -> learning rate. names: from the word vectors to the head; rate: of the head"""
    return {name: rate / factor**above for above, name in enumerate(reversed(names))}


def _rates(names, rate, factor, share):
    """share(above, below, factor, n groups): a group's part of the rate."""
    n = len(names)
    return {name: rate * share(n - 1 - i, i, factor, n) for i, name in enumerate(names)}


def _probe(shows, names, rate, factor):
    return Probe(shows, (names.split(), rate, factor))


EXERCISE = Exercise(
    id="5.2",
    title="A rate for each layer",
    difficulty=1,
    importance=4,
    minutes=6,
    question="""
        Lower layers hold what is general, and should move less. The head learns at `rate`; each group below learns at
        the rate of the group above it, divided by `factor` (the paper: 2.6). The groups are listed from the input to
        the output. Give each its rate.
        Before you run it: five groups and 2.6. How many times slower do the word vectors learn than the head?
    """,
    solution=group_rates,
    why="2.6 to the power of 4 is 45.7: the word vectors move about 46 times more slowly than the head. "
    "Division is repeated from layer to layer, so the ratio between neighbours is always the same.",
    hints=(
        "Which end of the list is the head? Its rate is `rate`, undivided.",
        "Count for each group how many groups lie above it.",
        "A group with k groups above it is divided by the factor k times: that is one power.",
    ),
    probes=(
        _probe("four groups and the paper's factor", "word lstm1 lstm2 head", 0.01, 2.6),
        _probe("five groups", "word lstm1 lstm2 lstm3 head", 0.004, 2.0),
        _probe("a factor of 1", "word head", 0.02, 1.0),
        _probe("one group", "head", 0.01, 2.6),
    ),
    mistakes=(
        Mistake(
            "the wrong end is fast",
            "The word vectors have the largest rate. They hold what is most general.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: factor**-below),
        ),
        Mistake(
            "the head is divided too",
            "The head should learn at exactly `rate`.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: factor ** -(above + 1)),
        ),
        Mistake(
            "the rates grow downwards",
            "The lower groups are faster than the head: multiplied where the paper divides.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: factor**above),
        ),
        Mistake(
            "divided by the factor times the place",
            "From neighbour to neighbour the ratio changes. It should always be the factor.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: 1 / max(1, factor * above)),
        ),
        Mistake(
            "divided once",
            "All groups below the head have the same rate. Each should be slower than the one above it.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: 1 / factor if above else 1),
        ),
        Mistake(
            "the word vectors get the full rate",
            "Upwards from the word vectors it is multiplied. The head has `rate`; from there one divides downwards.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: factor**below),
        ),
        Mistake(
            "the same rate everywhere",
            "All groups move at one rate. That is plain fine-tuning.",
            model=lambda *a: _rates(*a, lambda above, below, factor, n: 1),
        ),
    ),
)
