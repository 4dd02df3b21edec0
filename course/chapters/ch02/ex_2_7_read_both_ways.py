"""Exercise 2.7: a recurrent network that does not read padding. Source: Elman 1990, "Finding structure in time"; read
from both sides: Schuster & Paliwal 1997, "Bidirectional recurrent neural networks"."""

import torch

from course.check.exercise import Exercise, Probe


def read_states(
    x: torch.Tensor, real: torch.Tensor, W: torch.Tensor, U: torch.Tensor, b: torch.Tensor, backward: bool
) -> torch.Tensor:
    """The state at each position, [sentence, position, hidden]. x [sentence, position, dim]: vectors; real [sentence,
    position]: False at padding; W [dim, hidden], U [hidden, hidden], b [hidden]: tanh(x W + h U + b); backward: from
    the last position to the first.
    x, one = torch.ones(1, 2, 1), torch.ones(1, 1)
    read_states(x, torch.tensor([[True, False]]), one, one, torch.zeros(1), True) -> [[[0.7616], [0.0]]]"""
    state = x.new_zeros(len(x), len(U))
    positions = range(x.shape[1])
    states = {}
    for k in reversed(positions) if backward else positions:
        new = torch.tanh(x[:, k] @ W + state @ U + b)
        state = torch.where(real[:, k, None], new, state)
        states[k] = state
    return torch.stack([states[k] for k in positions], dim=1)


def _probe(shows, real, dim, hidden, backward):
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(*real.shape, dim), (dim, hidden), (hidden, hidden), (hidden,)]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * 11 % 29 - 13.0) / 14).split(sizes)
    x, W, U, b = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x, real, W, U, b, backward)


_STAYS, _SHOWN = "torch.where(real[:, k, None], new, state)", "state * real[:, k, None]"


PROBES = [
    _probe("one sentence, forward", [[1, 1, 1]], 2, 3, False),
    _probe("one sentence, backward", [[1, 1, 1, 1]], 3, 2, True),
    _probe("padding at the end, forward", [[1, 1, 1, 1], [1, 1, 0, 0]], 3, 2, False),
    _probe("padding at the end, backward", [[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]], 2, 3, True),
    _probe("padding in front, forward", [[0, 0, 1, 1], [0, 1, 1, 1]], 2, 2, False),
]
MISTAKES = [
    ("padding is read", f"{_STAYS} => new"),
    ("the mask is turned round", "new, state) => state, new)"),
    ("padding is hidden only in the result", (f"{_STAYS} => new", f"= state\n => = {_SHOWN}\n")),
    ("the result holds zeros at padding", f"= state\n => = {_SHOWN}\n"),
    ("padding is read as zeros", ("x[:, k] => (x[:, k] * real[:, k, None])", f"{_STAYS} => new")),
    (
        "the sentences are turned round, and the mask is not",
        "real[:, k, => real[:, positions[-1 - k] if backward else k,",
    ),
    ("the state before the word", ("states[k] = state => ...", "new = => states[k] = state\n        new =")),
    ("the last state everywhere", "[states[k] for => [state for"),
    ("the states stand in the order of reading", "in positions] => in states]"),
    ("always forward", "reversed(positions) if backward else positions => positions"),
    ("always backward", "reversed(positions) if backward else positions => reversed(positions)"),
    (
        "the states are turned, not the reading",
        (
            "reversed(positions) if backward else positions => positions",
            "in positions] => in (reversed(positions) if backward else positions)]",
        ),
    ),
    ("the state before is forgotten", " + state @ U => "),
    ("no tanh", "torch.tanh => "),
    ("another activation", "tanh => sigmoid"),
    ("the bias is missing", " + b) => )"),
    ("U is turned", "@ U => @ U.T"),
    ("the new state is added to the old one", "None], new => None], state + new"),
]
EXERCISE = Exercise("2.7", read_states, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20)
