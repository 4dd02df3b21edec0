"""Exercise 4.7: filters over the characters of a batch of words. Source: Kim et al. 2016, arXiv:1508.06615, section
2.2 (narrow convolution, maximum over time)."""

import torch
from torch.nn import functional as F

from course.check.exercise import Exercise, Probe


def char_convolution(x: torch.Tensor, lengths: torch.Tensor, filters: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """[word, filter]: each filter's highest answer in each word. x [word, character, dim]: vectors of characters, of
    which the first lengths[word] are the word's and the rest is padding; filters [filter, dim, width] and bias
    [filter], as in nn.Conv1d. A word that is shorter than the filters is filled up with zeros on the right.
    char_convolution(torch.tensor([[[1.0], [2.0], [9.0]]]), torch.tensor([2]), torch.tensor([[[1.0, -1.0]]]),
    torch.zeros(1)) -> tensor([[-1.0]])"""
    width, answers = filters.shape[2], []
    for row, n in zip(x, lengths.tolist(), strict=True):
        word = F.pad(row[:n], (0, 0, 0, max(0, width - n)))
        windows = torch.stack([word[k : k + width] for k in range(len(word) - width + 1)])  # [place, width, dim]
        answers.append(torch.einsum("pwd,fdw->fp", windows, filters).amax(dim=1) + bias)
    return torch.stack(answers)


def _answers(filled, filters, apply=lambda windows, filters: torch.einsum("pwd,fdw->fp", windows, filters)):
    """Of one word [filter, place], with all its windows."""
    windows = filled.unfold(0, filters.shape[2], 1).mT
    return apply(windows, filters)


def _filled(row, n, width):
    return F.pad(row[:n], (0, 0, 0, max(0, width - n)))


def _conv(fill=_filled, pool=lambda answers: answers.amax(1), used=1.0, turn=lambda filters: filters, **apply):
    """fill(row, n, width): the vectors that count; pool(answers [filter, place]); used: of the bias; turn(filters)."""

    def model(x, lengths, filters, bias):
        rows = [fill(row, n, filters.shape[2]) for row, n in zip(x, lengths.tolist(), strict=True)]
        return torch.stack([pool(_answers(row, turn(filters), **apply)) for row in rows]) + used * bias

    return model


def _as_zeros(row, n, width):
    real = torch.arange(len(row))[:, None] < n
    return F.pad(row * real, (0, 0, 0, max(0, width - len(row))))


def _with_padding(row, n, width):
    return F.pad(row, (0, 0, 0, max(0, width - len(row))))


def _into_padding(row, n, width):
    """All windows that begin in the word, whatever stands behind it."""
    return F.pad(row, (0, 0, 0, width - 1))[: n + width - 1]


def _filled_from_padding(row, n, width):
    return _with_padding(row, n, width)[: max(n, width)]


def _hidden_as_zero(with_bias):
    """Windows outside a word answer 0 instead of minus infinity."""

    def model(x, lengths, filters, bias):
        highest = char_convolution(x, lengths, filters, bias) - (0 if with_bias else bias)
        windows = lengths.clamp(min=filters.shape[2])
        highest = torch.where((windows < max(x.shape[1], filters.shape[2]))[:, None], highest.relu(), highest)
        return highest + (0 if with_bias else bias)

    return model


def _mixed(windows, filters):
    return windows.flatten(1).matmul(filters.flatten(1).T).T


def _for_short(answer):
    """answer(bias): of a word that is shorter than the filters."""

    def model(x, lengths, filters, bias):
        short = lengths[:, None] < filters.shape[2]
        return torch.where(short, answer(bias), char_convolution(x, lengths, filters, bias))

    return model


def _probe(shows, lengths, dim, n_filters, width, step):
    sizes = (len(lengths), max(lengths), dim), (n_filters, dim, width), (n_filters,)
    x, filters, bias = (
        ((torch.arange(torch.Size(size).numel()) * (step + n) % 17 - 8.0) / 4).reshape(size)
        for n, size in enumerate(sizes)
    )
    return Probe(shows, x, torch.tensor(lengths), filters, bias)


PROBES = [
    _probe("one word, filters of width 1", [4], 2, 3, 1, 5),
    _probe("two words of one length, width 2", [4, 4], 3, 3, 2, 5),
    _probe("words of several lengths", [3, 6, 4], 2, 4, 3, 6),
    _probe("a word shorter than the filters", [2, 5, 3], 2, 5, 4, 7),
    _probe("all words are shorter", [2, 1], 2, 4, 3, 4),
]
MISTAKES = [
    ("padding is read", _conv(_with_padding), _conv(_into_padding), _conv(_filled_from_padding)),
    (
        "padding counts as zeros",
        _conv(_as_zeros),
        _conv(lambda row, n, width: F.pad(_as_zeros(row, n, 1), (0, 0, 0, width - 1))),
    ),
    ("the answers outside a word are 0", _hidden_as_zero(True), _hidden_as_zero(False)),
    (
        "a short word is filled up from both sides",
        _conv(
            lambda row, n, width: F.pad(
                row[:n], (0, 0, max(0, width - n) // 2, max(0, width - n) - max(0, width - n) // 2)
            )
        ),
    ),
    (
        "a short word is filled up on the left",
        _conv(lambda row, n, width: F.pad(row[:n], (0, 0, max(0, width - n), 0))),
    ),
    (
        "every word is filled up",
        _conv(lambda row, n, width: F.pad(row[:n], (0, 0, 0, width - 1))),
        _conv(lambda row, n, width: F.pad(row[:n], (0, 0, (width - 1) // 2, width // 2))),
    ),
    (
        "a short word gets no answer",
        _for_short(lambda bias: 0.0),
        _for_short(lambda bias: bias),
        _for_short(lambda bias: -torch.inf),
    ),
    ("the mean instead of the maximum", _conv(pool=lambda answers: answers.mean(1))),
    ("the sum instead of the maximum", _conv(pool=lambda answers: answers.sum(1))),
    ("only the beginning of a word is read", _conv(pool=lambda answers: answers[:, 0])),
    ("the last window is left out", _conv(pool=lambda answers: answers[:, : max(1, answers.shape[1] - 1)].amax(1))),
    ("negative answers become 0", lambda *a: char_convolution(*a).relu()),
    ("no bias", _conv(used=0.0)),
    ("the filter runs backwards", _conv(turn=lambda filters: filters.flip(2))),
    ("characters are mixed with their numbers", _conv(apply=_mixed)),
    ("the axes are exchanged", lambda *a: char_convolution(*a).T),
]
EXERCISE = Exercise(
    "4.7", char_convolution, PROBES, MISTAKES, difficulty=4, importance=4, minutes=20, without=("conv1d", "Conv1d")
)
