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
    ("the sign is swapped: b - a + c", "unit[a] - unit[b] => unit[b] - unit[a]"),
    ("the sign is swapped: a + b - c", "- unit[b] + unit[c] => + unit[b] - unit[c]"),
    ("the inputs are not excluded", "cosine[[a, b, c]] = -torch.inf => ..."),
    ("only one input is excluded", "[a, b, c] => [a]", "[a, b, c] => [b]", "[a, b, c] => [c]"),
    ("only two inputs are excluded", "[a, b, c] => [a, b]", "[a, b, c] => [a, c]", "[a, b, c] => [b, c]"),
    ("the inputs can win again", "-torch.inf => 0.0", "-torch.inf => -1.0"),
    (
        "the id is that of a shorter table",
        "cosine[[a, b, c]] = -torch.inf => cosine = cosine[[i for i in range(len(vectors)) if i not in (a, b, c)]]",
    ),
    (
        "the vectors are not brought to length 1 before the sum",
        "(unit[a] - unit[b] + unit[c]) => (vectors[a] - vectors[b] + vectors[c])",
    ),
    ("the dot product is not normalised", " / vectors.norm(dim=1, keepdim=True) => ", "= unit @ => = vectors @"),
    ("the least similar word", "= unit @ => = -unit @"),
    (
        "the sign of the cosine is lost",
        ("= unit @ (unit[a] - unit[b] + unit[c]) => = (unit @ (unit[a] - unit[b] + unit[c])).abs()", "-torch.inf => 0"),
    ),
    (
        "a similarity instead of an id",
        "int(cosine.argmax()) => cosine.max() / (unit[a] - unit[b] + unit[c]).norm()",
        "int(cosine.argmax()) => cosine.max()",
    ),
]
EXERCISE = Exercise("1.6", analogy, PROBES, MISTAKES, difficulty=3, importance=3, minutes=12)
