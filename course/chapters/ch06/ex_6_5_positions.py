"""Exercise 6.5: sinusoidal positions. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.5."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def positions(n: int, d_model: int) -> torch.Tensor:
    """[place, d_model]: one vector for each of n places, counted from 0. d_model is even.
    positions(2, 2) -> [[0.0, 1.0], [0.8415, 0.5403]]"""
    angles = torch.arange(n)[:, None] / 10_000 ** (torch.arange(0, d_model, 2) / d_model)
    table = torch.empty(n, d_model)
    table[:, 0::2], table[:, 1::2] = angles.sin(), angles.cos()
    return table


def _taking_turns(even, odd):
    return torch.stack([even, odd], dim=-1).flatten(1)


def _table(exponent=lambda i, d_model: 2 * i / d_model, join=_taking_turns, first=0):
    """exponent(i, d_model): what 10,000 is raised to for pair i; join(sines, cosines)."""

    def model(n, d_model):
        angles = torch.arange(first, first + n)[:, None] / 10_000 ** exponent(torch.arange(d_model // 2), d_model)
        return join(angles.sin(), angles.cos())

    return model


def _each_its_own(n, d_model, factor):
    angles = torch.arange(n)[:, None] / 10_000 ** (factor * torch.arange(d_model) / d_model)
    return _taking_turns(angles[:, 0::2].sin(), angles[:, 1::2].cos())


def _upside_down(got, expected, n, d_model):
    faster = _table(lambda i, d_model: -2 * i / d_model)(n, d_model)
    return torch.allclose(torch.as_tensor(got), faster, rtol=0, atol=0.02)  # such angles are exact to three decimals


PROBES = [Probe("5 places, 6 numbers", 5, 6), Probe("7 places, 4 numbers", 7, 4), Probe("3 places, one pair", 3, 2)]
MISTAKES = [
    ("first all sines, then all cosines", _table(join=lambda sines, cosines: torch.cat([sines, cosines], dim=1))),
    ("the exponent has i instead of 2i", _table(lambda i, d_model: i / d_model)),
    ("twice 2i", _table(lambda i, d_model: 4 * i / d_model)),
    ("a speed for each column", lambda n, d_model: _each_its_own(n, d_model, 1)),
    ("a speed for each column, and twice too slow", lambda n, d_model: _each_its_own(n, d_model, 2)),
    ("sine and cosine are exchanged", _table(join=lambda sines, cosines: _taking_turns(cosines, sines))),
    ("counted from 1", _table(first=1)),
    ("only sines", _table(join=lambda sines, cosines: _taking_turns(sines, sines))),
    ("faster and faster", Seen(_upside_down)),
    ("places and numbers are exchanged", lambda *a: positions(*a).T),
]
EXERCISE = Exercise("6.5", positions, PROBES, MISTAKES, difficulty=2, importance=3, minutes=10)
