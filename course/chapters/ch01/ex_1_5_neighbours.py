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
    ("the dot product is not normalised", " / vectors.norm(dim=1, keepdim=True) => "),
    ("the word itself is in the list", "cosine[word] = -torch.inf => ...", Seen(_not_first)),
    ("words that point the same way are left out", Seen(_from_the_second)),
    ("the word itself can win again", "-torch.inf => 0.0", "-torch.inf => -1.0"),
    (
        "the ids are those of a shorter table",
        "cosine[word] = -torch.inf => cosine = torch.cat([cosine[:word], cosine[word + 1 :]])",
    ),
    (
        "one neighbour too few",
        ("cosine[word] = -torch.inf => ...", "tolist() => tolist()[1:]"),
        (
            "cosine[word] = -torch.inf => ...",
            "cosine.topk(k).indices.tolist() => [i for i in cosine.topk(k).indices.tolist() if i != word]",
        ),
    ),
    ("the furthest words", "= unit @ => = -unit @", "tolist() => tolist()[::-1]"),
    ("Euclidean distance", "unit @ unit[word] => -(vectors - vectors[word]).norm(dim=1)"),
    ("normalised along the wrong axis", "dim=1 => dim=0"),
    ("the sign of the cosine is lost", "unit @ unit[word] => (unit @ unit[word]).abs()"),
    ("similarities instead of ids", "indices.tolist() => values"),
]
EXERCISE = Exercise("1.5", neighbours, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
