"""Exercise 3.8: the states of two language models, side by side, over a padded batch. Source: Peters et al. 2017,
arXiv:1705.00108, section 2.3."""

from dataclasses import dataclass

import torch

from course.check.exercise import Exercise, Probe


def both_states(ids: torch.Tensor, real: torch.Tensor, forward, backward) -> torch.Tensor:
    """[batch, position - 2, 2 * dim]: for each word its forward state, then its backward one; in a shorter row 0 after
    its last word, where its closing boundary stood and where padding is.
    ids, real [batch, position]: a row has a boundary, the words, a boundary, then padding, where real is False;
    forward(ids, real), backward(ids, real) -> states [batch, position, dim]: both models read from left to right, the
    backward one was trained on text turned round; padding does not change their states, wherever it stands.
    both_states(torch.tensor([[0, 7, 0]]), torch.ones(1, 3).bool(), lambda i, _: i[..., None] + 0.5,
    lambda i, _: i[..., None].cumsum(1)) -> tensor([[[7.5, 7.0]]])"""
    ahead = forward(ids, real)
    back = backward(ids.flip(1), real.flip(1)).flip(1)
    states = torch.cat([ahead, back], dim=-1)[:, 1:-1]
    return states * real[:, 2:, None]  # a word is followed by a real position, the closing boundary is not


@dataclass(frozen=True)
class _Reader:
    """A state tells what was read so far, in which order; padding leaves it as it is."""

    name: str
    dim: int
    start: float

    def __call__(self, ids, real):
        ids, real = torch.as_tensor(ids), torch.as_tensor(real) != 0
        if ids.dim() != 2 or ids.is_floating_point() or real.shape != ids.shape:
            raise ValueError(f"ids and real are [batch, position], not {list(ids.shape)} and {list(real.shape)}")
        numbers, states = torch.arange(1.0, self.dim + 1), [torch.zeros(len(ids), self.dim)]
        for read, is_real in zip(ids.T, real.T, strict=True):
            new = 0.5 * states[-1] + (read[:, None] * numbers + self.start * numbers).sin()
            states.append(torch.where(is_real[:, None], new, states[-1]))
        return torch.stack(states[1:], dim=1)


def _turned(ids, real):
    """Each row turned round within its real positions."""
    lengths = real.sum(1, keepdim=True)
    place = torch.arange(ids.shape[1]).expand_as(ids)
    return torch.where(place < lengths, lengths - 1 - place, place)


def _probe(shows, rows, dim, edge=0):
    longest = max(map(len, rows)) + 2
    ids = torch.tensor([[edge, *row, edge] + [0] * (longest - 2 - len(row)) for row in rows])
    real = torch.arange(longest) < torch.tensor([[len(row) + 2] for row in rows])
    return Probe(shows, ids, real, _Reader("forward", dim, 1.0), _Reader("backward", dim, 2.0))


def _shifted(ahead, back):
    """The states of each direction, so many positions to the right."""
    return f"[ahead, back] => [ahead.roll({ahead}, 1), back.roll({back}, 1)]"


_WHOLE_ROW, _EVERYWHERE = "dim=-1)[:, 1:-1] => dim=-1)", " * real[:, 2:, None] => "


PROBES = [
    _probe("one sentence", [[5, 3, 8, 2]], 2),
    _probe("two sentences of one length", [[4, 9, 2], [7, 1, 6]], 3),
    _probe("sentences of several lengths", [[6, 2], [3, 8, 5, 9, 4], [7, 1, 2]], 2),
    _probe("boundaries with an id other than that of padding", [[6, 2, 4], [3]], 2, edge=11),
]
MISTAKES = [
    ("the backward model reads from the left", ".flip(1) => "),
    ("the backward states stay turned round", ")).flip(1) => ))"),
    ("states are turned round, and what is read is not", "ids.flip(1), real.flip(1) => ids, real"),
    ("the rows are turned round, and the mask is not", "real.flip(1) => real"),
    (
        "read within its length, put back over the whole row",
        "ids.flip(1), real.flip(1) => ids.gather(1, _turned(ids, real)), real",
    ),
    (
        "the models are not told where padding is",
        ("forward(ids, real) => forward(ids, real | True)", "real.flip(1) => real.flip(1) | True"),
    ),
    (
        "the boundaries are not read",
        (_WHOLE_ROW, "real[:, 2:, => real[:, :,", "ahead = => ids, real = ids[:, 1:-1], real[:, 2:]\n    ahead ="),
    ),
    ("words are known by their ids", "real[:, 2:, => (ids != 0)[:, 1:-1,"),
    ("the state of the word before", _shifted(1, 0), _shifted(1, -1), _shifted(0, -1)),
    ("the words are cut out one position off", _shifted(1, 1), _shifted(-1, -1)),
    ("the closing boundary counts as a word", "real[:, 2:, => real[:, 1:-1,"),
    ("padding has states", _EVERYWHERE),
    ("the boundaries are still there", (_WHOLE_ROW, "real[:, 2:, => real[:, :,"), (_WHOLE_ROW, _EVERYWHERE)),
    (
        "only one boundary is taken off",
        ("1:-1] => 1:]", "2:, => 1:,"),
        ("1:-1] => :-1]", "2:, => :-1,"),
        ("1:-1] => 1:]", _EVERYWHERE),
        ("1:-1] => :-1]", _EVERYWHERE),
    ),
    ("the directions are exchanged", "[ahead, back] => [back, ahead]"),
    ("the two models are exchanged", lambda ids, real, one, two: both_states(ids, real, two, one)),
    (
        "the directions are added",
        "torch.cat([ahead, back], dim=-1) => (ahead + back)",
        "torch.cat([ahead, back], dim=-1) => ((ahead + back) / 2)",
    ),
]
EXERCISE = Exercise("3.8", both_states, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20, learns=False)
