"""Exercise 2.1: the embedding layer as a product of one-hot rows and a table."""

import torch
import torch.nn.functional as F

from course.check.exercise import Exercise, Probe


def one_hot_product(ids: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The one-hot rows of the ids and their product with the table: [*place, word] and [*place, dim].
    ids [*place]: integers, any number of axes; weight [word, dim]: the table."""
    one_hot = F.one_hot(ids, num_classes=len(weight)).to(weight.dtype)
    return one_hot, one_hot @ weight


def _one_row_for_all(ids, weight):
    """Several ones in one row, as in a bag of words."""
    rows = one_hot_product(ids, weight)[0].amax(dim=-2)
    return rows, rows @ weight


_TABLE = torch.linspace(-1.7, 1.7, 35).reshape(7, 5)  # no two numbers are alike
PROBES = [
    Probe("three words, the last word of the vocabulary not among them", torch.tensor([4, 0, 2]), _TABLE),
    Probe("a word that occurs twice", torch.tensor([6, 1, 6]), _TABLE),
    Probe("a batch of two sentences", torch.tensor([[5, 3, 0], [1, 5, 6]]), _TABLE),
]
MISTAKES = [
    ("the one-hot rows are missing", lambda ids, weight: weight[ids]),
    ("the two results are swapped", lambda *a: one_hot_product(*a)[::-1]),
    ("ids counted from 1", lambda ids, weight: one_hot_product((ids - 1) % len(weight), weight)),
    ("the sentences of a batch are joined", lambda ids, weight: one_hot_product(ids.flatten(), weight)),
    ("one row for the whole sentence", _one_row_for_all),
    ("columns instead of rows", lambda *a: (one_hot_product(*a)[0].movedim(-1, 0), one_hot_product(*a)[1])),
    ("booleans instead of numbers", lambda *a: (one_hot_product(*a)[0].bool(), one_hot_product(*a)[1])),
]
LOOKUPS = ["weight[]", "embedding", "Embedding", "index_select", "gather", "take"]
EXERCISE = Exercise("2.1", one_hot_product, PROBES, MISTAKES, difficulty=2, importance=4, minutes=8, without=LOOKUPS)
