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


def _update(x, state, W, U, b):
    return torch.tanh(x @ W + state @ U + b)


def _states(
    update=_update,
    stays=lambda real, new, state: torch.where(real[:, None], new, state),
    shown=lambda real, state: state,
    turned_back=True,
):
    """update(x, state, W, U, b); stays(real, new, state): what goes on; shown(real, state): what stands in the result;
    turned_back: do states that were read from behind stand at their positions?"""

    def model(x, real, W, U, b, backward):
        state, states = x.new_zeros(len(x), len(U)), []
        for k in range(x.shape[1])[:: -1 if backward else 1]:
            state = stays(real[:, k], update(x[:, k], state, W, U, b), state)
            states.append(shown(real[:, k], state))
        return torch.stack(states[::-1] if backward and turned_back else states, dim=1)

    return model


def _always(direction):
    return lambda x, real, W, U, b, backward: read_states(x, real, W, U, b, direction)


def _forward_then_turned(x, real, W, U, b, backward):
    states = read_states(x, real, W, U, b, False)
    return states.flip(1) if backward else states


def _unturned_mask(x, real, W, U, b, backward):
    """The sentences are turned round for reading, and their states back; the mask stays."""
    turn = 1 if backward else ()
    return read_states(x.flip(turn), real, W, U, b, False).flip(turn)


def _zeros_read(x, real, *rest):
    return read_states(x * real[..., None], torch.ones_like(real), *rest)


def _before(*inputs):
    """At each position the state that was there before it was read."""
    states = torch.nn.functional.pad(read_states(*inputs), (0, 0, 1, 1))
    return states[:, 2:] if inputs[-1] else states[:, :-2]


def _last_everywhere(*inputs):
    states = read_states(*inputs)
    return states[:, [0 if inputs[-1] else -1]].expand_as(states)


def _probe(shows, real, dim, hidden, backward):
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(*real.shape, dim), (dim, hidden), (hidden, hidden), (hidden,)]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * 11 % 29 - 13.0) / 14).split(sizes)
    x, W, U, b = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x, real, W, U, b, backward)


PROBES = [
    _probe("one sentence, forward", [[1, 1, 1]], 2, 3, False),
    _probe("one sentence, backward", [[1, 1, 1, 1]], 3, 2, True),
    _probe("padding at the end, forward", [[1, 1, 1, 1], [1, 1, 0, 0]], 3, 2, False),
    _probe("padding at the end, backward", [[1, 1, 0, 0], [1, 1, 1, 1], [1, 0, 0, 0]], 2, 3, True),
    _probe("padding in front, forward", [[0, 0, 1, 1], [0, 1, 1, 1]], 2, 2, False),
]
MISTAKES = [
    ("padding is read", _states(stays=lambda real, new, state: new)),
    ("the mask is turned round", _states(stays=lambda real, new, state: torch.where(real[:, None], state, new))),
    (
        "padding is hidden only in the result",
        _states(stays=lambda real, new, state: new, shown=lambda real, state: state * real[:, None]),
    ),
    ("the result holds zeros at padding", _states(shown=lambda real, state: state * real[:, None])),
    ("padding is read as zeros", _zeros_read),
    ("the sentences are turned round, and the mask is not", _unturned_mask),
    ("the state before the word", _before),
    ("the last state everywhere", _last_everywhere),
    ("the states stand in the order of reading", _states(turned_back=False)),
    ("always forward", _always(False)),
    ("always backward", _always(True)),
    ("the states are turned, not the reading", _forward_then_turned),
    ("the state before is forgotten", _states(lambda x, state, W, U, b: torch.tanh(x @ W + b))),
    ("no tanh", _states(lambda x, state, W, U, b: x @ W + state @ U + b)),
    ("another activation", _states(lambda *a: (a[0] @ a[2] + a[1] @ a[3] + a[4]).sigmoid())),
    ("the bias is missing", _states(lambda x, state, W, U, b: torch.tanh(x @ W + state @ U))),
    ("U is turned", _states(lambda x, state, W, U, b: torch.tanh(x @ W + state @ U.T + b))),
    ("the new state is added to the old one", _states(lambda x, state, *rest: state + _update(x, state, *rest))),
]
EXERCISE = Exercise("2.7", read_states, PROBES, MISTAKES, difficulty=3, importance=5, minutes=20)
