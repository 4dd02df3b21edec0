"""Exercise 1.6: a - b + c. Source: Mikolov, Yih & Zweig 2013, NAACL, "Linguistic Regularities", section 4."""

import torch

from course.check.exercise import Exercise, Probe


def analogy(vectors: torch.Tensor, a: int, b: int, c: int) -> int:
    """The id of the word nearest by cosine to a - b + c (each of length 1), a, b, c left out. vectors [word, dim]
    analogy(torch.tensor([[1.0, 1.0], [1.0, 0.0], [0.0, 2.0], [-1.0, 1.0], [2.0, 3.0]]), 0, 1, 2) -> 3"""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit @ (unit[a] - unit[b] + unit[c])
    cosine[[a, b, c]] = -torch.inf
    return int(cosine.argmax())


def _unit(vectors):
    return vectors / vectors.norm(dim=1, keepdim=True)


def _nearest(table=_unit, summed=_unit, excluded=lambda a, b, c: [a, b, c], sign=1, score=-torch.inf):
    """table, summed: what is compared with the sum and what is added up, of the vectors; score: of what is excluded."""

    def model(vectors, a, b, c):
        scores = sign * table(vectors) @ (summed(vectors)[a] - summed(vectors)[b] + summed(vectors)[c])
        scores[excluded(a, b, c)] = score
        return int(scores.argmax())

    return model


def _furthest_either_way(vectors, a, b, c):
    scores = (_unit(vectors) @ (_unit(vectors)[a] - _unit(vectors)[b] + _unit(vectors)[c])).abs()
    scores[[a, b, c]] = 0
    return int(scores.argmax())


def _without_their_rows(vectors, a, b, c):
    scores = _unit(vectors) @ (_unit(vectors)[a] - _unit(vectors)[b] + _unit(vectors)[c])
    return int(scores[[i for i in range(len(vectors)) if i not in (a, b, c)]].argmax())


def _similarity(divided):
    """The highest cosine, or the product that ranks like it."""

    def model(vectors, a, b, c):
        total = _unit(vectors)[a] - _unit(vectors)[b] + _unit(vectors)[c]
        return _unit(vectors)[analogy(vectors, a, b, c)] @ total / (total.norm() if divided else 1)

    return model


def _plain(vectors):
    return vectors


_VECTORS = torch.tensor(
    [[-4.0, -7, 1], [0, 8, 4], [8, 12, 16], [0, 0, 6], [1, -1, -9], [5, 7, 3], [4, 10, 14], [3, 0, 7]]
)
_FAN = torch.tensor([[5.0, 0, 1], [3, 0, -9], [4, 3, 0], [4, -3, 0], [-1, 2, 0], [2, 0, 1]])
_AWAY = torch.tensor([[2.0, 0, 0], [-2, 1, 0], [3, 1, 0], [-4, 1, 1], [-1, -1, 0], [-2, 0, 3]])
PROBES = [
    Probe("ids 0 - 1 + 2", _VECTORS, 0, 1, 2),
    Probe("ids 3 - 4 + 5", _VECTORS, 3, 4, 5),
    Probe("ids 5 - 0 + 1", _VECTORS, 5, 0, 1),
    Probe("ids 2 - 6 + 4", _VECTORS, 2, 6, 4),
    Probe("ids 7 - 3 + 6", _VECTORS, 7, 3, 6),
    Probe("ids 1 - 7 + 0", _VECTORS, 1, 7, 0),
    Probe("b points between a and c", _FAN, 2, 0, 3),
    Probe("all other words point away from the sum", _AWAY, 0, 1, 2),
]
MISTAKES = [
    ("the sign is swapped: b - a + c", lambda v, a, b, c: analogy(v, b, a, c)),
    ("the sign is swapped: a + b - c", lambda v, a, b, c: analogy(v, a, c, b)),
    ("the inputs are not excluded", _nearest(excluded=lambda *abc: [])),
    (
        "only one input is excluded",
        _nearest(excluded=lambda a, b, c: [a]),
        _nearest(excluded=lambda a, b, c: [b]),
        _nearest(excluded=lambda a, b, c: [c]),
    ),
    (
        "only two inputs are excluded",
        _nearest(excluded=lambda a, b, c: [a, b]),
        _nearest(excluded=lambda a, b, c: [a, c]),
        _nearest(excluded=lambda a, b, c: [b, c]),
    ),
    ("the inputs can win again", _nearest(score=0.0), _nearest(score=-1.0)),
    ("the id is that of a shorter table", _without_their_rows),
    ("the vectors are not brought to length 1 before the sum", _nearest(summed=_plain)),
    ("the dot product is not normalised", _nearest(_plain, _plain), _nearest(_plain)),
    ("the least similar word", _nearest(sign=-1)),
    ("the sign of the cosine is lost", _furthest_either_way),
    ("a similarity instead of an id", _similarity(True), _similarity(False)),
]
EXERCISE = Exercise("1.6", analogy, PROBES, MISTAKES, difficulty=3, importance=3, minutes=12)
