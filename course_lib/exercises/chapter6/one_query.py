"""Exercise 6.1: attention for one query. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.1, equation 1."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def one_query(query: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """What one word takes from all words, [width]. query [dim]; keys [word, dim]; values [word, width]"""
    scores = keys @ query / query.shape[0] ** 0.5
    return scores.softmax(dim=0) @ values


def _read(query, keys, values, power=-0.5):
    return (keys @ query * len(query) ** power).softmax(0) @ values


def _probe(shows, word, dim, width, step, shift):
    sizes = (dim, word * dim, word * width)
    query, keys, values = ((torch.arange(sum(sizes)) * step % 19 - shift) / 6).split(sizes)
    return Probe(shows, (query, keys.reshape(word, dim), values.reshape(word, width)))


_MAP = Probe(
    "the word *its* of section 6.2",
    (
        torch.tensor([2.0, 0.0]),
        torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]),
        torch.tensor([[1.0, 0.0], [0.0, 10.0], [5.0, 5.0], [0.0, 1.0]]),
    ),
)
EXERCISE = Exercise(
    id="6.1",
    title="Attention for one query",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        One word asks with its **query**. Every word is found by its **key** and hands over its **value**. Score each
        key by its product with the query, divided by $\\sqrt{d_k}$. The softmax of the scores says how much of each
        value to take. Return what the word takes.
        Before you run it: all keys are the same vector. What does the word take?
    """,
    solution=one_query,
    why="With equal keys all scores are equal, so each word has the same weight and the result is the mean of the "
    "values. Keys decide how much is taken, values what is taken. So the two may have different widths.",
    hints=(
        "There is one score for each word, and one weight for each word. How many numbers do you have after each step?",
        "The width of the query goes under the root. The weights of all words sum to 1. What do they multiply?",
        "Three steps: products of all keys with the query, scaled; softmax over words; weights times the table of "
        "values.",
    ),
    probes=(
        _MAP,
        _probe("five words, values narrower than keys", 5, 7, 2, 5, 9.0),
        _probe("three words, values wider than keys", 3, 2, 7, 7, 6.0),
        _probe("one word", 1, 3, 2, 11, 4.0),
    ),
    mistakes=(
        Mistake(
            "no scale",
            "The scores are the plain products. Their spread grows with the width of the query.",
            model=lambda *a: _read(*a, power=0),
        ),
        Mistake(
            "divided by the width",
            "The scores are divided by too much. Their spread grows as the root of the width.",
            model=lambda *a: _read(*a, power=-1),
        ),
        Mistake(
            "multiplied by the root",
            "The scores are made larger where they should become smaller.",
            model=lambda *a: _read(*a, power=0.5),
        ),
        Mistake(
            "the root of the number of words",
            "The scale depends on how many words there are. It should depend on how wide a key is.",
            model=lambda query, keys, values: (keys @ query / len(keys) ** 0.5).softmax(0) @ values,
        ),
        Mistake(
            "softmax over the wrong axis",
            "Every weight is 1, so the values are only added up. The weights of all words together should sum to 1.",
            model=lambda query, keys, values: values.sum(0),
        ),
        Mistake(
            "keys instead of values",
            "The weights multiply the keys. A key is only for being found.",
            model=lambda query, keys, values: _read(query, keys, keys),
        ),
        Mistake(
            "no softmax",
            "The scores themselves are the weights. They may be below 0 and sum to anything.",
            model=lambda query, keys, values: keys @ query / len(query) ** 0.5 @ values,
        ),
        Mistake(
            "the scale comes after the softmax",
            "The weights sum to less than 1. Scale before the softmax, where it acts on differences.",
            model=lambda query, keys, values: _read(query, keys, values, power=0) / len(query) ** 0.5,
        ),
        Mistake(
            "only the best word",
            "All is taken from the word with the largest score. The softmax takes a part of each.",
            model=lambda query, keys, values: values[(keys @ query).argmax()],
        ),
        Mistake(
            "weights instead of a result",
            "There is one number for each word. The weights still have to meet the values.",
            model=lambda query, keys, values: (keys @ query / len(query) ** 0.5).softmax(0),
        ),
    ),
)
