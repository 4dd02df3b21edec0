"""Exercise 2.4: a table of vectors that starts from pre-trained ones."""

import torch

from course.check.exercise import Exercise, Probe


def starting_table(vocabulary: list[str], pretrained: dict[str, torch.Tensor], noise: torch.Tensor) -> torch.Tensor:
    """The table a network starts from, [word, dim]: row i is for vocabulary[i].
    pretrained: word -> vector [dim]; noise [word, dim]: standard normal numbers for the words that have none.
    starting_table(["A", "b"], {"a": torch.tensor([3.0, 1.0])}, torch.ones(2, 2))
    -> tensor([[3.0, 1.0], [1.4142, 1.4142]])"""
    spread = torch.stack(list(pretrained.values())).std()
    table = noise * spread
    for i, word in enumerate(vocabulary):
        form = word if word in pretrained else word.lower()
        if form in pretrained:
            table[i] = pretrained[form]
    return table


_WORDS = ["turkey", "the", "bank", "Turkey", "배", "Mud"]
_VECTORS = torch.tensor(
    [[0.3, -0.1, 0.2], [0.1, 0.4, -0.2], [-0.5, 0.2, 0.3], [0.2, 0.6, -0.4], [-0.3, -0.2, 0.5], [0.4, -0.3, -0.1]]
)
_PRETRAINED = dict(zip(_WORDS, _VECTORS, strict=True))
_NOISE = (torch.arange(21.0) * 5).sin().reshape(7, 3) * 1.4  # spread about 1, no two numbers alike
_FORM = "word if word in pretrained else word.lower()"
_SMALL = "for i, => pretrained = {word.lower(): vector for word, vector in pretrained.items()}"


PROBES = [
    Probe(
        "known, capitalised and unknown words",
        ["[UNK]", "bank", "Turkey", "The", "yonder", "배", "과수원"],
        _PRETRAINED,
        _NOISE,
    ),
    Probe("no word is known", ["Fjord", "눈", "elk"], _PRETRAINED, _NOISE[2:5]),
    Probe(
        "a lower-case word of which only the capitalised form is known", ["mud", "the", "Mud"], _PRETRAINED, _NOISE[3:6]
    ),
    Probe("all words are known", ["배", "Bank", "the", "turkey", "THE"], _PRETRAINED, _NOISE[1:6]),
]
MISTAKES = [
    ("no fall-back to lower case", f"{_FORM} => word"),
    (
        "lower case first",
        f"{_FORM} => word.lower()",
        f"{_FORM} => word.lower() if word.lower() in pretrained else word",
    ),
    (
        "a lower-case word gets a capitalised word's vector",
        f"{_SMALL} | pretrained\n    for i,",
        f"{_SMALL}\n    for i,",
    ),
    ("the noise keeps its spread", "noise * spread => noise.clone()"),
    ("the variance instead of the standard deviation", "std() => var()"),
    ("one spread per dimension", "std() => std(dim=0)"),
    ("the mean of the vectors' spreads", "std() => std(dim=1).mean()"),
    ("another standard deviation", "std() => std(correction=0)"),
    ("the noise is divided by its own spread", "noise * => noise / noise.std() *"),
    ("unknown words start at zero", "* spread => * 0"),
    (
        "unknown words share the mean",
        "noise * spread => torch.stack(list(pretrained.values())).mean(dim=0).repeat(len(noise), 1)",
    ),
    ("known rows are scaled too", ("noise * spread => noise.clone()", "return table => return table * spread")),
    (
        "the rows of the noise are used up in turn",
        (
            "table = => rows = iter(noise * spread)\n    table =",
            "= pretrained[form] => = pretrained[form]\n        else:\n            table[i] = next(rows)",
        ),
    ),
    (
        "the order of the pre-trained words",
        ("i, word in enumerate(vocabulary) => i, form in zip(range(len(table)), pretrained)", f"form = {_FORM} => ..."),
    ),
]
EXERCISE = Exercise("2.4", starting_table, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12, learns=False)
