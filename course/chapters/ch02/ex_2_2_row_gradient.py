"""Exercise 2.2: the gradient of the table of an embedding layer."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe


def row_gradient(ids: torch.Tensor, output_gradient: torch.Tensor, vocabulary_size: int) -> torch.Tensor:
    """The gradient of the table, [word, dim]. ids [*place]: the rows that were looked up;
    output_gradient [*place, dim]: the gradient of the loss for each looked-up vector.
    row_gradient(torch.tensor([2, 0]), torch.tensor([[5.0], [6.0]]), 3) -> tensor([[6.0], [0.0], [5.0]])"""
    gradient = output_gradient.new_zeros(vocabulary_size, output_gradient.shape[-1])
    return gradient.index_add(0, ids.flatten(), output_gradient.flatten(0, -2))


def _last_one_stays(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    for i, row in zip(ids.flatten().tolist(), output_gradient.flatten(0, -2), strict=True):
        table[i] = row
    return table


def _last_of_each_sentence(ids, output_gradient, vocabulary_size):
    """A batch is walked through sentence by sentence, each with `+=`."""
    places = zip(ids, output_gradient, strict=True)
    return sum(
        _last_one_stays(row, of_row[None] if row.dim() == 0 else of_row, vocabulary_size) for row, of_row in places
    )


def _gradient(*shape):
    """Gradients with nothing special about them; no two numbers are alike, and they do not grow with the place."""
    numbers = torch.arange(1.0, 1 + torch.Size(shape).numel())
    return (numbers * 5).sin().reshape(shape) * 2


PROBES = [
    Probe("three different words", torch.tensor([4, 1, 6]), _gradient(3, 5), 7),
    Probe("a word that occurs three times", torch.tensor([2, 5, 2, 3, 2]), _gradient(5, 3), 7),
    Probe("a batch in which two sentences share a word", torch.tensor([[1, 4, 1], [4, 2, 1]]), _gradient(2, 3, 5), 7),
    Probe("the word with id 0", torch.tensor([0, 3]), _gradient(2, 3), 5),
]
MISTAKES = [
    ("the last occurrence overwrites the others", _last_one_stays, _last_of_each_sentence),
    (
        "only the first occurrence counts",
        lambda ids, g, n: _last_one_stays(ids.flatten().flip(0), g.flatten(0, -2).flip(0), n),
    ),
    (
        "the mean over the occurrences",
        "-2)) => -2)) / ids.flatten().bincount(minlength=vocabulary_size).clamp(min=1)[:, None]",
    ),
    ("divided by the number of places", "-2)) => -2)) / ids.numel()", "-2)) => -2)) / len(ids)"),
    ("unused rows are left out", "-2)) => -2))[ids.unique()]"),
    ("every row gets the whole gradient", lambda *a: row_gradient(*a).sum(dim=0).expand(a[-1], -1)),
    ("row 0 gets no gradient", lambda ids, g, n: row_gradient(ids, g, n) * (torch.arange(n) > 0)[:, None]),
    ("the sign is turned", lambda *a: -row_gradient(*a)),
]
EXERCISE = Exercise("2.2", row_gradient, PROBES, MISTAKES, 3, 5, 10, without=[*AUTOGRAD, "one_hot"], learns=False)
