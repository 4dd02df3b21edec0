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


def _table(vocabulary, pretrained, others, form=lambda word, known: word if word in known else word.lower()):
    """`others` [word, dim] are the rows of words without a vector; `form(word, known)` is how a word is looked up."""
    rows = [pretrained.get(form(word, pretrained), other) for word, other in zip(vocabulary, others, strict=True)]
    return torch.stack(rows)


def _numbers(pretrained):
    return torch.stack(list(pretrained.values()))


def _with_small_keys(form):
    """The pre-trained words are brought to lower case as well."""

    def model(vocabulary, pretrained, noise):
        small = {word.lower(): vector for word, vector in pretrained.items()}
        return _table(vocabulary, small | form(pretrained), noise * _numbers(pretrained).std())

    return model


def _noise_in_turn(vocabulary, pretrained, noise):
    known = [word in pretrained or word.lower() in pretrained for word in vocabulary]
    return _table(
        vocabulary, pretrained, noise[[known[:i].count(False) for i in range(len(known))]] * _numbers(pretrained).std()
    )


def _in_their_own_order(vocabulary, pretrained, noise):
    rows = noise * _numbers(pretrained).std()
    count = min(len(rows), len(pretrained))
    rows[:count] = _numbers(pretrained)[:count]
    return rows


_WORDS = ["turkey", "the", "bank", "Turkey", "배", "Mud"]
_VECTORS = torch.tensor(
    [[0.3, -0.1, 0.2], [0.1, 0.4, -0.2], [-0.5, 0.2, 0.3], [0.2, 0.6, -0.4], [-0.3, -0.2, 0.5], [0.4, -0.3, -0.1]]
)
_PRETRAINED = dict(zip(_WORDS, _VECTORS, strict=True))
_NOISE = (torch.arange(21.0) * 5).sin().reshape(7, 3) * 1.4  # spread about 1, no two numbers alike
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
    ("no fall-back to lower case", lambda v, p, noise: _table(v, p, noise * _numbers(p).std(), lambda w, known: w)),
    (
        "lower case first",
        lambda v, p, noise: _table(v, p, noise * _numbers(p).std(), lambda word, known: word.lower()),
        lambda v, p, noise: _table(
            v, p, noise * _numbers(p).std(), lambda word, known: word.lower() if word.lower() in known else word
        ),
    ),
    ("a lower-case word gets a capitalised word's vector", _with_small_keys(dict), _with_small_keys(lambda known: {})),
    ("the noise keeps its spread", lambda v, p, noise: _table(v, p, noise)),
    ("the variance instead of the standard deviation", lambda v, p, noise: _table(v, p, noise * _numbers(p).var())),
    ("one spread per dimension", lambda v, p, noise: _table(v, p, noise * _numbers(p).std(dim=0))),
    (
        "the mean of the vectors' spreads",
        lambda v, p, noise: _table(v, p, noise * _numbers(p).std(dim=1).mean()),
    ),
    ("another standard deviation", lambda v, p, noise: _table(v, p, noise * _numbers(p).std(correction=0))),
    (
        "the noise is divided by its own spread",
        lambda v, p, noise: _table(v, p, noise / noise.std() * _numbers(p).std()),
    ),
    ("unknown words start at zero", lambda v, p, noise: _table(v, p, noise * 0)),
    ("unknown words share the mean", lambda v, p, noise: _table(v, p, _numbers(p).mean(dim=0).expand_as(noise))),
    ("known rows are scaled too", lambda v, p, noise: _table(v, p, noise) * _numbers(p).std()),
    ("the rows of the noise are used up in turn", _noise_in_turn),
    ("the order of the pre-trained words", _in_their_own_order),
]
EXERCISE = Exercise("2.4", starting_table, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12, learns=False)
