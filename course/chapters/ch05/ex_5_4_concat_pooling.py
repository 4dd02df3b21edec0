"""Exercise 5.4: concat pooling. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3."""

from itertools import permutations

import torch

from course.check.exercise import Exercise, Probe


def concat_pooling(states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """[last, maximum, mean] of each text, [text, 3 * dim]. states [text, word, dim]; mask [text, word]: True where a
    word is real; the real words come first.
    concat_pooling(torch.tensor([[[3.0], [1.0], [9.0]]]), torch.tensor([[True, True, False]])) -> [[1.0, 3.0, 2.0]]"""
    lengths = mask.sum(dim=1)
    real = mask[..., None]
    last = states[torch.arange(len(states)), lengths - 1]
    largest = states.masked_fill(~real, -torch.inf).amax(dim=1)
    mean = (states * real).sum(dim=1) / lengths[:, None]
    return torch.cat([last, largest, mean], dim=1)


def _with(number, view):
    """view(states, mask) takes the place of last (0), maximum (1) or mean (2)."""

    def model(states, mask):
        parts = [*concat_pooling(states, mask).chunk(3, dim=1)]
        parts[number] = view(states, mask)
        return torch.cat(parts, dim=1)

    return model


def _joined(join):
    """join(three views)"""
    return lambda states, mask: join(concat_pooling(states, mask).chunk(3, dim=1))


def _times_infinity(states, mask):
    return (states + (~mask)[..., None] * -torch.inf).amax(1)


def _probe(shows, lengths, dim, step, shift):
    longest = max(lengths)
    numbers = (torch.arange(len(lengths) * longest * dim) * step % 17 - shift) / 4
    mask = torch.arange(longest) < torch.tensor(lengths)[:, None]
    return Probe(shows, numbers.reshape(len(lengths), longest, dim), mask)


PROBES = [
    _probe("two texts, one of them padded", (4, 2), 3, 5, 8.0),
    _probe("all states below 0", (2, 5, 1), 2, 7, 30.0),
    _probe("one text without padding", (3,), 5, 11, 8.0),
]
MISTAKES = [
    ("padding counts everywhere", lambda states, mask: concat_pooling(states, torch.ones_like(mask))),
    ("the last column instead of the last word", _with(0, lambda states, mask: states[:, -1])),
    ("padding wins the maximum", _with(1, lambda states, mask: states.amax(1))),
    ("padding is 0 in the maximum", _with(1, lambda states, mask: (states * mask[..., None]).amax(1))),
    ("the mean is over the whole row", _with(2, lambda states, mask: (states * mask[..., None]).mean(1))),
    ("padding is part of the mean", _with(2, lambda states, mask: states.mean(1))),
    ("one word too far", _with(0, lambda s, mask: s[torch.arange(len(s)), mask.sum(1).clamp(max=s.shape[1] - 1)])),
    ("0 times minus infinity", _with(1, _times_infinity)),
    (
        "another order",
        *(_joined(lambda v, o=o: torch.cat([v[i] for i in o], 1)) for o in [*permutations(range(3))][1:]),
    ),
    ("the numbers take turns", _joined(lambda views: torch.stack(views, 2).flatten(1))),
    ("only one view", *(_joined(lambda views, i=i: views[i]) for i in range(3))),
    ("the views are added", _joined(sum), _joined(lambda views: sum(views) / 3)),
]
EXERCISE = Exercise("5.4", concat_pooling, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
