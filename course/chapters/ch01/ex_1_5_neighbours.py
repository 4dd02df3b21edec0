"""Exercise 1.5: nearest words by cosine."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def neighbours(vectors: torch.Tensor, word: int, k: int) -> list[int]:
    """The ids of the k words nearest to `word` by cosine, nearest first, without itself. vectors [word, dim]
    neighbours(torch.tensor([[1.0, 0.0], [5.0, 5.0], [0.0, 1.0], [3.0, 1.0]]), 0, 2) -> [3, 1]"""
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


def _with_score(score):
    """The word itself stays in, with this score."""

    def model(vectors, word, k):
        scores = _cosine(vectors, word)
        scores[word] = score
        return scores.topk(k).indices.tolist()

    return model


def _without_its_row(vectors, word, k):
    scores = _cosine(vectors, word)
    return torch.cat([scores[:word], scores[word + 1 :]]).topk(k).indices.tolist()


def _not_first(got, expected, vectors, word, k):
    """The word is in the list, and another vector points the same way."""
    return word in list(got) and (_cosine(vectors, word) > 1 - 1e-5).sum() > 1


def _from_the_second(got, expected, vectors, word, k):
    """Another vector points the same way, and the list goes on after it."""
    return bool(_cosine(vectors, word)[expected[0]] > 1 - 1e-5) and list(got)[: k - 1] == expected[1:]


_VECTORS = torch.tensor([[10.0, 4, -2], [40, 30, 10], [2, 1, -1], [-10, -5, 3], [5, -6, 9], [1, 6, 4], [20, 0, -20]])
_PARALLEL = torch.tensor([[3.0, 0, 0], [1, 3, 0], [1, 0, 0], [-1, 1, 1], [-2, 0, 0]])
_TWINS = torch.tensor([[2.0, 1, 0], [1, 3, 1], [0, 1, 3], [1, 3, 1], [3, 3, 1]])
PROBES = [
    Probe("vectors of different lengths", _VECTORS, 0, 3),
    Probe("another word", _VECTORS, 4, 4),
    Probe("the nearest one only", _VECTORS, 1, 1),
    Probe("all other words", _VECTORS, 2, 6),
    Probe("a later vector points the same way, another the opposite way", _PARALLEL, 0, 4),
    Probe("an earlier vector points the same way", _PARALLEL, 2, 2),
    Probe("another word has the same vector", _TWINS, 1, 3),
]
MISTAKES = [
    ("the dot product is not normalised", lambda v, w, k: _best(v @ v[w], w, k)),
    (
        "the word itself is in the list",
        lambda v, w, k: _cosine(v, w).argsort(descending=True)[:k].tolist(),
        Seen(_not_first),
    ),
    ("words that point the same way are left out", Seen(_from_the_second)),
    ("the word itself can win again", _with_score(0.0), _with_score(-1.0)),
    ("the ids are those of a shorter table", _without_its_row),
    (
        "one neighbour too few",
        lambda v, w, k: _cosine(v, w).argsort(descending=True)[1:k].tolist(),
        lambda v, w, k: [i for i in _cosine(v, w).argsort(descending=True)[:k].tolist() if i != w],
    ),
    (
        "the furthest words",
        lambda v, w, k: _best(-_cosine(v, w), w, k),
        lambda *a: neighbours(*a)[::-1],
    ),
    ("Euclidean distance", lambda v, w, k: _best(-(v - v[w]).norm(dim=1), w, k)),
    ("normalised along the wrong axis", lambda v, w, k: _best(_cosine(v, w, dim=0), w, k)),
    ("the sign of the cosine is lost", lambda v, w, k: _best(_cosine(v, w).abs(), w, k)),
    ("similarities instead of ids", lambda v, w, k: _cosine(v, w)[neighbours(v, w, k)]),
]
EXERCISE = Exercise("1.5", neighbours, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
