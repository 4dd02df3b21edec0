"""Exercise 6.5: sinusoidal positions. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5."""

import torch

from course.check.exercise import Exercise, Probe, Seen


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


PROBES = [Probe("5 places, 6 numbers", 5, 6), Probe("7 places, 4 numbers", 7, 4), Probe("3 places, one pair", 3, 2)]
MISTAKES = [
    (
        "first all sines, then all cosines",
        lambda n, d_model: torch.cat([_right(n, d_model).sin(), _right(n, d_model).cos()], dim=1),
    ),
    ("the exponent has i instead of 2i", lambda n, d_model: _with(n, d_model, lambda i: i / d_model)),
    ("twice 2i", lambda n, d_model: _with(n, d_model, lambda i: 4 * i / d_model)),
    ("a speed for each column", lambda n, d_model: _each_its_own(n, d_model, 1)),
    ("a speed for each column, and twice too slow", lambda n, d_model: _each_its_own(n, d_model, 2)),
    (
        "sine and cosine are exchanged",
        lambda n, d_model: _taking_turns(_right(n, d_model).cos(), _right(n, d_model).sin()),
    ),
    ("counted from 1", lambda n, d_model: _taking_turns(_right(n, d_model, 1).sin(), _right(n, d_model, 1).cos())),
    ("only sines", lambda n, d_model: _taking_turns(_right(n, d_model).sin(), _right(n, d_model).sin())),
    (  # angles of 10,000 are exact to three decimals only
        "faster and faster",
        Seen(
            lambda got, expected, n, d_model: torch.allclose(
                torch.as_tensor(got), _upside_down(n, d_model), rtol=0, atol=0.02
            )
        ),
    ),
    (
        "places and numbers are exchanged",
        Seen(lambda got, expected, n, d_model: got.shape == expected.T.shape != expected.shape),
    ),
]
EXERCISE = Exercise("6.5", positions, PROBES, MISTAKES, difficulty=2, importance=3, minutes=10)
