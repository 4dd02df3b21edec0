"""Exercise 6.5: sinusoidal positions. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def positions(n: int, d_model: int) -> torch.Tensor:
    """[place, d_model]: one vector for each of n places, counted from 0. d_model is even"""
    angles = torch.arange(n)[:, None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.empty(n, d_model)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def _angles(n, d_model, exponent, first=0):
    """[place, pair]; exponent(i) is what 10,000 is raised to for pair i."""
    return torch.arange(first, first + n)[:, None] / 10_000 ** exponent(torch.arange(d_model // 2))


def _right(n, d_model, first=0):
    return _angles(n, d_model, lambda i: 2 * i / d_model, first)


def _taking_turns(even, odd):
    return torch.stack([even, odd], dim=-1).flatten(1)


def _each_its_own(n, d_model, factor):
    angles = torch.arange(n)[:, None] / 10_000 ** (factor * torch.arange(d_model) / d_model)
    return _taking_turns(angles[:, 0::2].sin(), angles[:, 1::2].cos())


def _with(n, d_model, exponent):
    angles = _angles(n, d_model, exponent)
    return _taking_turns(angles.sin(), angles.cos())


def _upside_down(n, d_model):
    return _with(n, d_model, lambda i: -2 * i / d_model)


EXERCISE = Exercise(
    id="6.5",
    title="Places as waves",
    difficulty=2,
    importance=3,
    minutes=10,
    question="""
        Attention does not know where a word stands, so each place adds a vector. For pair $i$ of its numbers,
        $i = 0, 1, 2, \\ldots$:
        $PE(pos, 2i) = \\sin\\big(pos / 10000^{2i/d}\\big)$ and $PE(pos, 2i+1) = \\cos\\big(pos / 10000^{2i/d}\\big)$.
        Sines and cosines take turns, and both of a pair turn at the same speed. Make the table for `n` places.
        Before you run it: what is the vector of place 0? Is it 0?
    """,
    solution=positions,
    why="Place 0 is 0, 1, 0, 1, ...: its sines are 0 and its cosines 1. All places have the same length, the root of "
    "d/2. A shift by k places turns each pair by a fixed angle, wherever one starts. That needs a sine and a cosine of "
    "one speed, so the two of a pair must share it.",
    hints=(
        "There are d/2 speeds, not d. Make a table of angles first: one row for each place, one column for each speed.",
        "The exponents are 0, 2/d, 4/d, ... Where do the sines go, where the cosines?",
        "A table of angles comes from a column of places divided by a row of powers. Fill every second column with "
        "slices: 0::2 and 1::2.",
    ),
    probes=(
        Probe("5 places, 6 numbers", (5, 6)),
        Probe("7 places, 4 numbers", (7, 4)),
        Probe("3 places, one pair", (3, 2)),
    ),
    mistakes=(
        Mistake(
            "first all sines, then all cosines",
            "The numbers are right, their order is not: sine and cosine should take turns. (Some libraries do it so; "
            "loaded weights then meet the wrong numbers.)",
            model=lambda n, d_model: torch.cat([_right(n, d_model).sin(), _right(n, d_model).cos()], dim=1),
        ),
        Mistake(
            "the exponent has i instead of 2i",
            "The pairs slow down half as fast as they should. What does the exponent reach at the last pair?",
            model=lambda n, d_model: _with(n, d_model, lambda i: i / d_model),
        ),
        Mistake(
            "twice 2i",
            "The pairs slow down too fast: the number of the column already is 2i.",
            model=lambda n, d_model: _with(n, d_model, lambda i: 4 * i / d_model),
        ),
        Mistake(
            "a speed for each column",
            "Sine and cosine of a pair turn at different speeds. A shift is then no rotation.",
            model=lambda n, d_model: _each_its_own(n, d_model, 1),
        ),
        Mistake(
            "a speed for each column, and twice too slow",
            "The number of the column is used as i. Two columns share one i.",
            model=lambda n, d_model: _each_its_own(n, d_model, 2),
        ),
        Mistake(
            "sine and cosine are exchanged",
            "The cosine comes first. Even columns are sines.",
            model=lambda n, d_model: _taking_turns(_right(n, d_model).cos(), _right(n, d_model).sin()),
        ),
        Mistake(
            "counted from 1",
            "The vector of the first place belongs to the second. Places count from 0.",
            model=lambda n, d_model: _taking_turns(_right(n, d_model, 1).sin(), _right(n, d_model, 1).cos()),
        ),
        Mistake(
            "only sines",
            "With the sine alone two places may look the same in a column. The odd columns are cosines.",
            model=lambda n, d_model: _taking_turns(_right(n, d_model).sin(), _right(n, d_model).sin()),
        ),
        Mistake(
            "faster and faster",
            "The place is multiplied by the power. From pair to pair the waves should become slower.",
            # Angles of 10,000 are exact to three decimals only.
            seen=lambda got, expected, n, d_model: torch.allclose(
                torch.as_tensor(got), _upside_down(n, d_model), rtol=0, atol=0.02
            ),
        ),
        Mistake(
            "places and numbers are exchanged",
            "The table lies on its side: one row for each place.",
            seen=lambda got, expected, n, d_model: got.shape == expected.T.shape != expected.shape,
        ),
    ),
)
