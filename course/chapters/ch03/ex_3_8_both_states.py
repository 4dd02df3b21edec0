"""Exercise 3.8: the states of two language models, side by side, over a padded batch. Source: Peters et al. 2017,
arXiv:1705.00108, section 2.3."""

from dataclasses import dataclass

import torch

from course.check.exercise import Exercise, Probe


def both_states(ids: torch.Tensor, real: torch.Tensor, forward, backward) -> torch.Tensor:
    """[batch, word, 2 * dim]: for each word its forward state, then its backward one; 0 after a sentence's last word.
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


def _back(ids, real, backward, order=torch.flip, put_back=torch.flip):
    states = backward(order(ids, [1]), order(real, [1]))
    return put_back(states, [1])


def _as_it_is(tensor, axes):
    return tensor


def _within(ids, real, backward):
    """Turned round within its length, and the states by the whole row."""
    order = _turned(ids, real)
    return backward(ids.gather(1, order), real).flip(1)


def _mask_as_it_was(ids, real, backward):
    return backward(ids.flip(1), real).flip(1)


def _words(real):
    return real[:, 2:]


def _joined(back=_back, cut=slice(1, -1), counts=_words, join=lambda *ways: torch.cat(ways, -1), shift=(0, 0)):
    """back(ids, real, backward); cut: the positions of the words; counts(real): where a word stands; shift: of the
    forward and the backward states, by so many positions to the right."""

    def model(ids, real, forward, backward):
        ways = forward(ids, real), back(ids, real, backward)
        ways = (way.roll(n, 1) for way, n in zip(ways, shift, strict=True))
        return join(*(way[:, cut] for way in ways)) * counts(real)[..., None]

    return model


def _everywhere(real):
    return torch.ones_like(real[:, 2:])


def _not_told(ids, real, forward, backward):
    """The models take padding for words."""
    return both_states(ids, real, *(lambda ids, real, model=m: model(ids, real | True) for m in (forward, backward)))


def _cut_before(ids, real, forward, backward):
    """The models are given the words alone."""
    ids, real = ids[:, 1:-1], real[:, 2:]
    return torch.cat([forward(ids, real), _back(ids, real, backward)], -1) * real[..., None]


def _by_id(ids, real, forward, backward):
    return torch.cat([forward(ids, real), _back(ids, real, backward)], -1)[:, 1:-1] * (ids != 0)[:, 1:-1, None]


def _probe(shows, rows, dim, edge=0):
    longest = max(map(len, rows)) + 2
    ids = torch.tensor([[edge, *row, edge] + [0] * (longest - 2 - len(row)) for row in rows])
    real = torch.arange(longest) < torch.tensor([[len(row) + 2] for row in rows])
    return Probe(shows, ids, real, _Reader("forward", dim, 1.0), _Reader("backward", dim, 2.0))


PROBES = [
    _probe("one sentence", [[5, 3, 8, 2]], 2),
    _probe("two sentences of one length", [[4, 9, 2], [7, 1, 6]], 3),
    _probe("sentences of several lengths", [[6, 2], [3, 8, 5, 9, 4], [7, 1, 2]], 2),
    _probe("boundaries with an id other than that of padding", [[6, 2, 4], [3]], 2, edge=11),
]
MISTAKES = [
    ("the backward model reads from the left", _joined(lambda *a: _back(*a, order=_as_it_is, put_back=_as_it_is))),
    ("the backward states stay turned round", _joined(lambda *a: _back(*a, put_back=_as_it_is))),
    ("states are turned round, and what is read is not", _joined(lambda *a: _back(*a, order=_as_it_is))),
    ("the rows are turned round, and the mask is not", _joined(_mask_as_it_was)),
    ("read within its length, put back over the whole row", _joined(_within)),
    ("the models are not told where padding is", _not_told),
    ("the boundaries are not read", _cut_before),
    ("words are known by their ids", _by_id),
    ("the state of the word before", _joined(shift=(1, 0)), _joined(shift=(1, -1)), _joined(shift=(0, -1))),
    ("the words are cut out one position off", _joined(shift=(1, 1)), _joined(shift=(-1, -1))),
    ("the closing boundary counts as a word", _joined(counts=lambda real: real[:, 1:-1])),
    ("padding has states", _joined(counts=_everywhere)),
    (
        "the boundaries are still there",
        _joined(cut=slice(None), counts=lambda real: real),
        _joined(cut=slice(None), counts=torch.ones_like),
    ),
    (
        "only one boundary is taken off",
        _joined(cut=slice(1, None), counts=lambda real: real[:, 1:]),
        _joined(cut=slice(None, -1), counts=lambda real: real[:, :-1]),
        _joined(cut=slice(1, None), counts=lambda real: torch.ones_like(real[:, 1:])),
        _joined(cut=slice(None, -1), counts=lambda real: torch.ones_like(real[:, 1:])),
    ),
    ("the directions are exchanged", _joined(join=lambda ahead, back: torch.cat([back, ahead], -1))),
    ("the two models are exchanged", lambda ids, real, one, two: both_states(ids, real, two, one)),
    ("the directions are added", _joined(join=torch.add), _joined(join=lambda ahead, back: (ahead + back) / 2)),
]
EXERCISE = Exercise("3.8", both_states, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
