"""Exercise 2.4: a table of vectors that starts from pre-trained ones."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def starting_table(vocabulary: list[str], pretrained: dict[str, torch.Tensor], noise: torch.Tensor) -> torch.Tensor:
    """The table a network starts from, [word, dim]: row i is for vocabulary[i].
    pretrained: word -> vector [dim]; noise [word, dim]: standard normal numbers for the words that have none."""
    spread = torch.stack(list(pretrained.values())).std()
    table = noise * spread
    for i, word in enumerate(vocabulary):
        form = word if word in pretrained else word.lower()
        if form in pretrained:
            table[i] = pretrained[form]
    return table


def _table(vocabulary, pretrained, others, form=lambda word, known: word if word in known else word.lower()):
    """`others` [word, dim] are the rows of words without a vector; `form(word, known)` is how a word is looked up."""
    rows = [pretrained.get(form(word, pretrained), other) for word, other in zip(vocabulary, others, strict=True)]
    return torch.stack(rows)


def _numbers(pretrained):
    return torch.stack(list(pretrained.values()))


def _in_their_own_order(vocabulary, pretrained, noise):
    rows = noise * _numbers(pretrained).std()
    count = min(len(rows), len(pretrained))
    rows[:count] = _numbers(pretrained)[:count]
    return rows


_WORDS = ["turkey", "the", "bank", "Turkey", "배"]
_VECTORS = torch.tensor([[0.3, -0.1, 0.2], [0.1, 0.4, -0.2], [-0.5, 0.2, 0.3], [0.2, 0.6, -0.4], [-0.3, -0.2, 0.5]])
_PRETRAINED = dict(zip(_WORDS, _VECTORS, strict=True))
_NOISE = (torch.arange(21.0) * 5).sin().reshape(7, 3) * 1.4  # spread about 1, no two numbers alike
EXERCISE = Exercise(
    id="2.4",
    title="A table to start from",
    difficulty=3,
    importance=4,
    minutes=12,
    question="""
        A network for a new task has its own vocabulary. You are given vectors that were trained on another text. Make
        the table it starts from: one row per word of the vocabulary, in the vocabulary's order. A word that has a
        pre-trained vector gets it. If it has none, but its lower-case form has, it gets that one ("Bank" starts like
        "bank"). All other words start with their row of `noise`, brought to the **spread** of the pre-trained vectors:
        the standard deviation of all their numbers, as `.std()` gives it.
        Before you run it: pre-trained numbers are about 0.3 in size, and those of `noise` about 1. If the noise stayed
        as it is, which words of a sentence would weigh most in the sums of the next layer?
    """,
    solution=starting_table,
    why="The exact form comes first: Turkey is no turkey. Random rows with a larger spread would drown the known "
    "words, and zeros would make all unknown words alike. In practice the noise is torch.randn with a seed.",
    hints=(
        "Three kinds of words: with a vector, with a vector for the lower-case form, with none. Which kind do you test "
        "first?",
        "Scale the noise first, for the whole table. It is then a starting table in which the known rows are still to "
        "be replaced.",
        "torch.stack makes one tensor of all pre-trained vectors, and its standard deviation is one number. Walk "
        "through the vocabulary with enumerate.",
    ),
    probes=(
        Probe(
            "known, capitalised and unknown words",
            (["[UNK]", "bank", "Turkey", "The", "yonder", "배", "과수원"], _PRETRAINED, _NOISE),
        ),
        Probe("no word is known", (["Fjord", "눈", "elk"], _PRETRAINED, _NOISE[2:5])),
        Probe("all words are known", (["배", "Bank", "the", "turkey", "THE"], _PRETRAINED, _NOISE[1:6])),
    ),
    mistakes=(
        Mistake(
            "no fall-back to lower case",
            "A capitalised word starts at random, although its lower-case form has a vector.",
            model=lambda v, p, noise: _table(v, p, noise * _numbers(p).std(), lambda word, known: word),
        ),
        Mistake(
            "lower case first",
            "A word that has a vector of its own got that of its lower-case form. Ask for the exact form first.",
            model=lambda v, p, noise: _table(v, p, noise * _numbers(p).std(), lambda word, known: word.lower()),
        ),
        Mistake(
            "the noise keeps its spread",
            "The random rows are several times as long as the pre-trained ones. Bring them to the same spread.",
            model=lambda v, p, noise: _table(v, p, noise),
        ),
        Mistake(
            "the variance instead of the standard deviation",
            "The random rows are too short: the variance is the square of the spread.",
            model=lambda v, p, noise: _table(v, p, noise * _numbers(p).var()),
        ),
        Mistake(
            "one spread per dimension",
            "Each column has its own spread here. The question asks for one number, over all numbers of all vectors.",
            model=lambda v, p, noise: _table(v, p, noise * _numbers(p).std(dim=0)),
        ),
        Mistake(
            "another standard deviation",
            "This one divides by n, as NumPy does; PyTorch's `.std()` divides by n - 1. (With a large table nobody "
            "would see the difference.)",
            model=lambda v, p, noise: _table(v, p, noise * _numbers(p).std(correction=0)),
        ),
        Mistake(
            "unknown words start at zero",
            "All words without a vector are alike, and point nowhere. Give each its row of the noise.",
            model=lambda v, p, noise: _table(v, p, noise * 0),
        ),
        Mistake(
            "unknown words share the mean",
            "All words without a vector start alike. Then no layer above can tell them apart. Give each its row of the "
            "noise.",
            model=lambda v, p, noise: _table(v, p, _numbers(p).mean(dim=0).expand_as(noise)),
        ),
        Mistake(
            "known rows are scaled too",
            "Pre-trained vectors came out smaller than they were. Only the noise is scaled; known rows are copied.",
            model=lambda v, p, noise: _table(v, p, noise) * _numbers(p).std(),
        ),
        Mistake(
            "the order of the pre-trained words",
            "Row 0 got the first of the pre-trained vectors, whatever word it is for. Row i is for word i of the "
            "vocabulary.",
            model=_in_their_own_order,
        ),
    ),
)
