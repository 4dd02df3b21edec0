"""Exercise 1.6: a - b + c. Source: Mikolov, Yih & Zweig 2013, NAACL, "Linguistic Regularities", section 4."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def analogy(vectors: torch.Tensor, a: int, b: int, c: int) -> int:
    """The id of the word nearest by cosine to a - b + c (each of length 1), a, b, c left out. vectors [word, dim]"""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit @ (unit[a] - unit[b] + unit[c])
    cosine[[a, b, c]] = -torch.inf
    return int(cosine.argmax())


def _unit(vectors):
    return vectors / vectors.norm(dim=1, keepdim=True)


def _nearest(table=_unit, summed=_unit, excluded=lambda a, b, c: [a, b, c], sign=1):
    """table, summed: what is compared with the sum and what is added up, of the vectors."""

    def model(vectors, a, b, c):
        scores = sign * table(vectors) @ (summed(vectors)[a] - summed(vectors)[b] + summed(vectors)[c])
        scores[excluded(a, b, c)] = -torch.inf
        return int(scores.argmax())

    return model


def _plain(vectors):
    return vectors


_VECTORS = torch.tensor(
    [[-4.0, -7, 1], [0, 8, 4], [8, 12, 16], [0, 0, 6], [1, -1, -9], [5, 7, 3], [4, 10, 14], [3, 0, 7]]
)
PROBES = [
    Probe("ids 0 - 1 + 2", _VECTORS, 0, 1, 2),
    Probe("ids 3 - 4 + 5", _VECTORS, 3, 4, 5),
    Probe("ids 5 - 0 + 1", _VECTORS, 5, 0, 1),
    Probe("ids 2 - 6 + 4", _VECTORS, 2, 6, 4),
    Probe("ids 7 - 3 + 6", _VECTORS, 7, 3, 6),
    Probe("ids 1 - 7 + 0", _VECTORS, 1, 7, 0),
]
MISTAKES = [
    ("the sign is swapped: b - a + c", lambda v, a, b, c: analogy(v, b, a, c)),
    ("the sign is swapped: a + b - c", lambda v, a, b, c: analogy(v, a, c, b)),
    ("the inputs are not excluded", _nearest(excluded=lambda *abc: [])),
    ("only one input is excluded", _nearest(excluded=lambda a, b, c: [c]), _nearest(excluded=lambda a, b, c: [a])),
    ("the vectors are not brought to length 1 before the sum", _nearest(summed=_plain)),
    ("the dot product is not normalised", _nearest(_plain, _plain), _nearest(_plain)),
    ("the least similar word", _nearest(sign=-1)),
    ("a similarity instead of an id", Seen(lambda got, *_: float(got) != int(got))),
]
EXERCISE = Exercise("1.6", analogy, PROBES, MISTAKES, difficulty=3, importance=3, minutes=12)
