"""Exercise 4.6: the sense test by the nearest occurrence. Source: Peters et al. 2018, arXiv:1802.05365, section 5.3
(they compare with the mean of a sense's occurrences; here, as the question says, with each occurrence)."""

import torch

from course.check.exercise import HUNDREDFOLD, Exercise, Probe


def sense_accuracy(known: torch.Tensor, known_senses: list[int], test: torch.Tensor, test_senses: list[int]) -> float:
    """Balanced accuracy. known, test [occurrence, dim]: contextual vectors of one word; senses: the right ones
    sense_accuracy(torch.tensor([[1.0], [-1.0]]), [0, 1], torch.tensor([[2.0], [3.0], [-4.0]]), [0, 1, 1]) -> 0.75"""
    cosine = torch.nn.functional.cosine_similarity(test[:, None], known[None], dim=-1)
    hits = {}
    for nearest, sense in zip(cosine.argmax(dim=1).tolist(), test_senses, strict=True):
        hits.setdefault(sense, []).append(known_senses[nearest] == sense)
    return sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits)


_KNOWN = torch.tensor([[1.0, 0.1], [9.0, 5.0], [0.1, 1.2], [-0.9, 0.4], [3.0, -4.0]])
_SENSES = [0, 0, 1, 1, 2]
_TEST = torch.tensor([[2.0, 0.5], [0.7, 0.9], [0.3, -0.2], [3.0, 2.5], [0.4, 0.9], [-0.2, 3.0], [0.5, 0.6], [1.0, 0.4]])
_COSINE = "torch.nn.functional.cosine_similarity(test[:, None], known[None], dim=-1)"


PROBES = [
    Probe("three senses", _KNOWN, _SENSES, _TEST, [0, 1, 2, 0, 1, 1, 0, 0]),
    Probe("a sense that is not in the test", _KNOWN, [0, 0, 2, 2, 1], _TEST[[0, 3, 4, 6, 7]], [0, 0, 2, 2, 0]),
    Probe("a sense that is never hit", _KNOWN, _SENSES, _TEST, [2, 0, 1, 0, 1, 1, 0, 2]),
    Probe("vectors of different lengths", _KNOWN.flip(0) * 0.5, [0, 1, 0, 1, 1], _TEST, [1, 1, 0, 1, 0, 1, 0, 1]),
]
MISTAKES = [
    (
        "not balanced",
        "sum(sum(shares) / len(shares) for shares in hits.values()) / len(hits) => "
        "sum(map(sum, hits.values())) / len(test_senses)",
    ),
    ("senses without a test are averaged in", "/ len(hits) => / len(set(known_senses))"),
    (
        "a sense that is never hit is left out",
        "return => hits = {sense: shares for sense, shares in hits.items() if any(shares)}\n    return",
    ),
    ("the number of an occurrence is taken for its sense", "known_senses[nearest] => nearest"),
    ("the shares are taken by guess", "setdefault(sense => setdefault(known_senses[nearest]"),
    ("the dot product is not normalised", f"{_COSINE} => test @ known.T"),
    ("Euclidean distance", f"{_COSINE} => -torch.cdist(test, known)"),
    ("the sign of the cosine is lost", "dim=-1) => dim=-1).abs()"),
    ("the furthest occurrence", "argmax => argmin"),
    (
        "the mean of a sense instead of its occurrences",
        (
            "cosine = => senses = sorted(set(known_senses))\n    "
            "known = torch.stack([known[[s == sense for s in known_senses]].mean(0) for sense in senses])\n    "
            "cosine =",
            "known_senses[nearest] => senses[nearest]",
        ),
    ),
    ("100 times too large", HUNDREDFOLD),
    ("a share above 1", "sum(sum(shares) / len(shares) for shares in hits.values()) => sum(map(sum, hits.values()))"),
    ("the shares are added up", " / len(hits) => "),
]
EXERCISE = Exercise("4.6", sense_accuracy, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
