"""Exercise 4.2: a word as characters, and the maximum over them. Source: Kim et al. 2016, arXiv:1508.06615, section
2.2 (maximum over time; here with filters one character wide)."""

import torch

from course.check.exercise import Exercise, Probe


def character_maxima(
    words: list[str], ids: dict[str, int], filters: torch.Tensor
) -> tuple[list[list[int]], torch.Tensor]:
    """(rows [word, character], maxima [word, filter]). filters [filter, id]: what each filter answers to each id.
    A row: 2 (begin), the ids of the characters (1 if unknown), 3 (end), then 0 (padding) up to the longest row.
    character_maxima(["ab", "a"], {"a": 4, "b": 5}, torch.tensor([[9.0, 1.0, 2.0, 3.0, 5.0, 6.0]]))
    -> ([[2, 4, 5, 3], [2, 4, 3, 0]], tensor([[6.0], [5.0]]))"""
    rows = [[2, *(ids.get(character, 1) for character in word), 3] for word in words]
    maxima = torch.stack([filters[:, row].amax(dim=1) for row in rows])
    width = max(map(len, rows))
    return [row + [0] * (width - len(row)) for row in rows], maxima


def _answers(
    begin=(2,),
    end=(3,),
    unknown=(1,),
    fill=lambda row, padding: row + padding,
    counts=lambda row: [c for c in row if c != 0],
    pool=lambda answers: answers.amax(1),
):
    """fill(row, padding); counts(row): the ids that are pooled; pool(answers [filter, id])."""

    def model(words, ids, filters):
        rows = [[*begin, *(i for c in word for i in ([ids[c]] if c in ids else unknown)), *end] for word in words]
        rows = [fill(row, [0] * (max(map(len, rows)) - len(row))) for row in rows]
        return rows, torch.stack([pool(filters[:, counts(row)]) for row in rows])

    return model


_FILTERS = torch.tensor(
    [
        [0.9, -0.8, -0.5, -0.7, -0.2, -0.9, -0.4, -0.6],  # highest at padding, below 0 elsewhere
        [-0.3, 0.8, -0.1, -0.6, 0.1, 0.4, -0.9, 0.2],  # highest at an unknown character
        [0.5, -0.4, 0.7, -0.2, 0.3, -0.5, 0.6, -0.1],  # highest at the begin
        [0.1, -0.9, -0.7, 0.9, -0.3, 0.2, -0.1, 0.8],  # highest at the end
    ]
)
PROBES = [
    Probe("words of different lengths", ["dogs", "do", "g"], {"d": 4, "o": 5, "g": 6, "s": 7}, _FILTERS),
    Probe("an unknown character", ["먹다", "먹었다"], {"먹": 4, "다": 6}, _FILTERS),
    Probe("one word: no padding", ["good"], {"g": 7, "o": 4, "d": 6}, _FILTERS[:3]),
    Probe("a capital with an id of its own, and one without", ["GooD"], {"G": 7, "g": 5, "o": 4, "d": 6}, _FILTERS),
]
MISTAKES = [
    ("padding wins", _answers(counts=list)),
    ("padding counts as 0", lambda w, ids, f: _answers(counts=list)(w, ids, f * (torch.arange(f.shape[1]) > 0))),
    ("the marks are left out of the maximum", _answers(counts=lambda row: [c for c in row if c not in (0, 2, 3)])),
    ("the mean instead of the maximum", _answers(pool=lambda answers: answers.mean(1))),
    ("the axes are exchanged", lambda *a: (character_maxima(*a)[0], character_maxima(*a)[1].T)),
    ("the marks are missing", _answers(begin=(), end=())),
    ("the end is missing", _answers(end=())),
    ("the end comes after the padding", _answers(fill=lambda row, padding: row[:-1] + padding + [3])),
    ("padding on the left", _answers(fill=lambda row, padding: padding + row)),
    ("unknown characters are dropped", _answers(unknown=())),
    ("unknown characters become padding", _answers(unknown=(0,))),
    (
        "a capital is taken for its small letter",
        lambda words, *a: character_maxima([word.lower() for word in words], *a),
        lambda words, ids, f: character_maxima(words, {c.upper(): i for c, i in ids.items()} | ids, f),
    ),
    ("the rows are not padded", _answers(fill=lambda row, padding: row)),
]
EXERCISE = Exercise("4.2", character_maxima, PROBES, MISTAKES, difficulty=3, importance=4, minutes=15)
