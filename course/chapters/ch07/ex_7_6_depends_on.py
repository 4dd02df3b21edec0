"""Exercise 7.6: what a state has seen, found by changing one piece at a time. The leak it finds is why BERT masks:
Devlin et al. 2018, arXiv:1810.04805, section 3.1, task 1."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch

from course.check.exercise import Exercise, Probe, Seen


def depends_on(network, ids: torch.Tensor, vocab_size: int) -> torch.Tensor:
    """[state, piece]: True where the state moves when that piece becomes another one. network(ids) gives the states
    [piece, d_model] of one row, the same each time; ids [piece], each below vocab_size.
    depends_on(lambda ids: ids.cumsum(0)[:, None], torch.tensor([5, 7]), 9) -> [[True, False], [True, True]]"""
    before = network(ids)
    moved = torch.zeros(len(ids), len(ids), dtype=torch.bool)
    for k in range(len(ids)):
        changed = ids.clone()
        changed[k] = (ids[k] + 1) % vocab_size
        moved[:, k] = (network(changed) != before).any(dim=-1)
    return moved


@dataclass(frozen=True)
class _Network:
    """All numbers are exact, and no effect cancels: any other piece moves the same states. Ids are looked at as a
    table looks at them."""

    name: str
    states: Callable = field(repr=False)  # of the vectors [piece, 3] and of how many there are
    vocab_size: int = field(repr=False)

    def __call__(self, ids):
        ids = torch.as_tensor(ids)
        if ids.is_floating_point():
            raise TypeError("ids are whole numbers: a network looks them up in a table, and has no gradient for them")
        if ids.min() < 0 or ids.max() >= self.vocab_size:
            raise IndexError(f"ids go from 0 to {self.vocab_size - 1}, and one of {ids.tolist()} does not")
        ids = ids.double()
        return self.states(torch.stack([ids + 1, -(ids + 1), 3 * ids], dim=1), len(ids))


def _own(n):
    return torch.eye(n).double()


def _others(n):
    return 1 - _own(n)


def _left(n):
    return torch.ones(n, n).double().tril()


def _first_two(vectors, n):
    """Each piece minus the one before it, in two numbers whose changes sum to 0."""
    return (vectors - vectors.roll(1, 0)) * torch.tensor([1, 1, 0])


def _one_number(vectors, n):
    return torch.cat([vectors[:, :1], vectors[:1, 1:2].expand(n, 1), vectors[:, 2:]], dim=1)


def _amounts(got, expected, *_):
    """How far, or how many of its numbers: other numbers than 0 where a state moved."""
    return torch.as_tensor(got).dtype != torch.bool and torch.equal(torch.as_tensor(got) != 0, expected)


def _probe(name, states, ids, vocab_size):
    return Probe(name, _Network(name, states, vocab_size), torch.tensor(ids), vocab_size)


_DIFFERS = "(network(changed) != before).any(dim=-1)"


PROBES = [
    _probe("each piece by itself", lambda v, n: v, [3, 0, 4, 1], 5),
    _probe("left to right", lambda v, n: _left(n) @ v, [2, 6, 0, 5, 1], 7),
    _probe("all others, never itself", lambda v, n: _others(n) @ v, [0, 3, 2, 4], 5),
    _probe("all others, never itself, two layers", lambda v, n: _others(n) @ _others(n) @ v, [0, 3, 2, 4], 5),
    _probe("right to left, never itself", lambda v, n: (_left(n).T - _own(n)) @ v, [1, 4, 2], 5),
    _probe("left to right, and faintly the rest", lambda v, n: (_left(n) + 2.0**-30) @ v, [6, 1, 3], 11),
    _probe("each piece minus the one before it", _first_two, [2, 2, 0, 1, 2], 3),
    _probe("one number of each state reads the first piece", _one_number, [4, 1, 0], 5),
    _probe("every other piece makes the number of a state smaller", lambda v, n: v[:, :1], [4, 4, 4], 5),
]
MISTAKES = [
    ("the changes pile up", "changed[k] = (ids[k] + 1) => changed[: k + 1] = (ids[: k + 1] + 1)"),
    ("all pieces from k on are changed", "changed[k] = (ids[k] + 1) => changed[k:] = (ids[k:] + 1)"),
    ("all pieces but k are changed", ("(ids[k] + 1) % vocab_size => ids[k]", "ids.clone() => (ids + 1) % vocab_size")),
    ("changed to piece 0", "(ids[k] + 1) % vocab_size => 0"),
    ("changed to the last piece", "(ids[k] + 1) % vocab_size => vocab_size - 1"),
    ("rows and columns are exchanged", "moved[:, k] => moved[k]"),
    ("only a piece's own state is looked at", "return moved => return moved & torch.eye(len(ids), dtype=torch.bool)"),
    ("the diagonal is left out", "return moved => return moved & ~torch.eye(len(ids), dtype=torch.bool)"),
    ("True means that nothing moved", "return moved => return ~moved", "!= before => == before"),
    ("all numbers must move", "any(dim => all(dim"),
    ("a look at the first number only", f"{_DIFFERS} => network(changed)[:, 0] != before[:, 0]"),
    ("a look at the last number only", f"{_DIFFERS} => network(changed)[:, -1] != before[:, -1]"),
    ("the sum of a state is compared", f"{_DIFFERS} => network(changed).sum(-1) != before.sum(-1)"),
    ("only upward moves count", "!= before => > before"),
    ("a tolerance hides a faint trace", f"{_DIFFERS} => ~torch.isclose(network(changed), before).all(-1)"),
    ("1 and 0 instead of True and False", "return moved => return moved.int()"),
    ("amounts instead of True and False", Seen(_amounts)),
    (
        "one row instead of a table",
        *(f"return moved => return moved{row}" for row in (".any(0)", ".any(1)", "[:, -1]")),
    ),
]
EXERCISE = Exercise("7.6", depends_on, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15, learns=False)
