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


def _probe(shows, lengths, dim, n_filters, width, step):
    sizes = (len(lengths), max(lengths), dim), (n_filters, dim, width), (n_filters,)
    x, filters, bias = (
        ((torch.arange(torch.Size(size).numel()) * (step + n) % 17 - 8.0) / 4).reshape(size)
        for n, size in enumerate(sizes)
    )
    return Probe(shows, x, torch.tensor(lengths), filters, bias)


_FILLED = "F.pad(row[:n], (0, 0, 0, max(0, width - n)))"
_AT_LEAST_0 = "clamp(0 if max(n, width) < x.shape[1] else -torch.inf)"  # where windows begin behind the word


PROBES = [
    _probe("one word, filters of width 1", [4], 2, 3, 1, 5),
    _probe("two words of one length, width 2", [4, 4], 3, 3, 2, 5),
    _probe("words of several lengths", [3, 6, 4], 2, 4, 3, 6),
    _probe("a word shorter than the filters", [2, 5, 3], 2, 5, 4, 7),
    _probe("all words are shorter", [2, 1], 2, 4, 3, 4),
]
MISTAKES = [
    (
        "padding is read",
        f"{_FILLED} => F.pad(row, (0, 0, 0, max(0, width - len(row))))",
        f"{_FILLED} => F.pad(row, (0, 0, 0, width - 1))[: n + width - 1]",
        f"{_FILLED} => F.pad(row, (0, 0, 0, max(0, width - len(row))))[: max(n, width)]",
    ),
    (
        "padding counts as zeros",
        "max(0, width - n) => max(width, len(row)) - n",
        "max(0, width - n) => len(row) - n + width - 1",
    ),
    (
        "the answers outside a word are 0",
        f"amax(dim=1) + bias => amax(dim=1).add(bias).{_AT_LEAST_0}",
        f"amax(dim=1) => amax(dim=1).{_AT_LEAST_0}",
    ),
    (
        "a short word is filled up from both sides",
        "0, max(0, width - n) => max(0, width - n) // 2, (max(0, width - n) + 1) // 2",
    ),
    ("a short word is filled up on the left", "0, max(0, width - n) => max(0, width - n), 0"),
    (
        "every word is filled up",
        "max(0, width - n) => width - 1",
        "0, max(0, width - n) => (width - 1) // 2, width // 2",
    ),
    (
        "a short word gets no answer",
        "append( => append(0 * bias if n < width else ",
        "append( => append(bias if n < width else ",
        "append( => append(bias - torch.inf if n < width else ",
    ),
    ("the mean instead of the maximum", "amax => mean"),
    ("the sum instead of the maximum", "amax => sum"),
    ("only the beginning of a word is read", ".amax(dim=1) => [:, 0]"),
    ("the last window is left out", ".amax => [:, : max(1, len(windows) - 1)].amax"),
    ("negative answers become 0", "stack(answers) => stack(answers).relu()"),
    ("no bias", " + bias => "),
    ("the filter runs backwards", ", filters) => , filters.flip(2))"),
    (
        "characters are mixed with their numbers",
        'torch.einsum("pwd,fdw->fp", windows, filters) => (windows.flatten(1) @ filters.flatten(1).T).T',
    ),
    ("the axes are exchanged", "stack(answers) => stack(answers).T"),
]
_RULED_OUT = ("conv1d", "Conv1d")
EXERCISE = Exercise("4.7", char_convolution, PROBES, MISTAKES, 4, 4, 20, without=_RULED_OUT, learns=False)
