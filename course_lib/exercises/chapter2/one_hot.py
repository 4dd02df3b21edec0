"""Exercise 2.1: the embedding layer as a product of one-hot rows and a table."""

import torch
import torch.nn.functional as F

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def one_hot_product(ids: torch.Tensor, weight: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The one-hot rows of the ids and their product with the table: [*place, word] and [*place, dim].
    ids [*place]: integers, any number of axes; weight [word, dim]: the table."""
    one_hot = F.one_hot(ids, num_classes=len(weight)).to(weight.dtype)
    return one_hot, one_hot @ weight


def _in_columns(ids, weight):
    rows, product = one_hot_product(ids, weight)
    return rows.movedim(-1, 0), product


def _one_row_for_all(ids, weight):
    """Several ones in one row, as in a bag of words."""
    rows = one_hot_product(ids, weight)[0].amax(dim=-2)
    return rows, rows @ weight


def _booleans(ids, weight):
    rows, product = one_hot_product(ids, weight)
    return rows.bool(), product


_TABLE = torch.linspace(-1.7, 1.7, 35).reshape(7, 5)  # no two numbers are alike
EXERCISE = Exercise(
    id="2.1",
    title="The product that is a lookup",
    difficulty=2,
    importance=4,
    minutes=8,
    question="""
        A **one-hot** row has one place per word of the vocabulary: a 1 at the place of its word, 0 everywhere else.
        Write the embedding layer as it is explained: turn the ids into one-hot rows, then multiply them by the table.
        Do not look a row up by its index. Return both: the one-hot rows, as numbers, and the product.
        The ids may have any number of axes: `[batch, unit]` gives `[batch, unit, vocabulary]` and `[batch, unit, dim]`.
        Before you run it: with a vocabulary of 130,000 words, each number of the product is a sum of 130,000 terms. How
        many of them are not 0 times something?
    """,
    solution=one_hot_product,
    why="All terms of a sum but one are 0, and what remains is a number of the table: the product is a row of it. So "
    "nobody computes the product. Taking the row gives the same numbers, and its time does not grow with the "
    "vocabulary.",
    hints=(
        "How wide is a one-hot row? Not as wide as your largest id: look at the table.",
        "torch.nn.functional can make the one-hot rows. Tell it the number of words. It works for ids of any shape.",
        "The rows come out as integers. A product needs both sides in the same type: give them the type of the table.",
    ),
    probes=(
        Probe("three words, the last word of the vocabulary not among them", (torch.tensor([4, 0, 2]), _TABLE)),
        Probe("a word that occurs twice", (torch.tensor([6, 1, 6]), _TABLE)),
        Probe("a batch of two sentences", (torch.tensor([[5, 3, 0], [1, 5, 6]]), _TABLE)),
    ),
    mistakes=(
        Mistake(
            "the one-hot rows are missing",
            "These are the right vectors alone. Return two things: the one-hot rows, and then the product.",
            model=lambda ids, weight: weight[ids],
        ),
        Mistake(
            "the two results are swapped",
            "The one-hot rows come first, their product with the table second.",
            model=lambda *a: one_hot_product(*a)[::-1],
        ),
        Mistake(
            "ids counted from 1",
            "Each word gets the row of its neighbour in the table. Ids begin at 0: id 0 has its 1 at the first place.",
            model=lambda ids, weight: one_hot_product((ids - 1) % len(weight), weight),
        ),
        Mistake(
            "the sentences of a batch are joined",
            "The axis of the sentences is lost. Whatever axes the ids have, the results keep them and add one at the "
            "end.",
            model=lambda ids, weight: one_hot_product(ids.flatten(), weight),
        ),
        Mistake(
            "one row for the whole sentence",
            "A row holds several ones, and its product adds the vectors of several words. Each place has a row of "
            "its own.",
            model=_one_row_for_all,
        ),
        Mistake(
            "columns instead of rows",
            "The product is right, but the one-hot matrix is turned: a word should be a row, so that the last axis is "
            "the vocabulary.",
            model=_in_columns,
        ),
        Mistake(
            "booleans instead of numbers",
            "The one-hot rows hold True and False. Return the numbers that you multiply with.",
            model=_booleans,
        ),
    ),
)
