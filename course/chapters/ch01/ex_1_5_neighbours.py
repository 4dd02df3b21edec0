"""Exercise 1.5: nearest words by cosine."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def neighbours(vectors: torch.Tensor, word: int, k: int) -> list[int]:
    """The ids of the k words nearest to `word` by cosine, nearest first, without itself. vectors [word, dim]"""
    unit = vectors / vectors.norm(dim=1, keepdim=True)
    cosine = unit @ unit[word]
    cosine[word] = -torch.inf
    return cosine.topk(k).indices.tolist()


def _cosine(vectors, word, dim=1):
    unit = vectors / vectors.norm(dim=dim, keepdim=True)
    return unit @ unit[word]


def _best(scores, word, k):
    """The k ids with the highest scores, the word left out."""
    return [i for i in scores.argsort(descending=True).tolist() if i != word][:k]


_VECTORS = torch.tensor([[10.0, 4, -2], [40, 30, 10], [2, 1, -1], [-10, -5, 3], [5, -6, 9], [1, 6, 4], [20, 0, -20]])
PROBES = [
    Probe("vectors of different lengths", _VECTORS, 0, 3),
    Probe("another word", _VECTORS, 4, 4),
    Probe("the nearest one only", _VECTORS, 1, 1),
    Probe("all other words", _VECTORS, 2, 6),
]
MISTAKES = [
    ("the dot product is not normalised", lambda v, w, k: _best(v @ v[w], w, k)),
    ("the word itself is in the list", lambda v, w, k: _cosine(v, w).argsort(descending=True)[:k].tolist()),
    ("one neighbour too few", lambda v, w, k: _cosine(v, w).argsort(descending=True)[1:k].tolist()),
    (
        "the furthest words",
        lambda v, w, k: _best(-_cosine(v, w), w, k),
        Seen(lambda got, expected, *_: list(got) == expected[::-1]),
    ),
    ("Euclidean distance", lambda v, w, k: _best(-(v - v[w]).norm(dim=1), w, k)),
    ("normalised along the wrong axis", lambda v, w, k: _best(_cosine(v, w, dim=0), w, k)),
    ("the sign of the cosine is lost", lambda v, w, k: _best(_cosine(v, w).abs(), w, k)),
    ("similarities instead of ids", Seen(lambda got, *_: any(float(g) != int(g) for g in got))),
]
EXERCISE = Exercise("1.5", neighbours, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
