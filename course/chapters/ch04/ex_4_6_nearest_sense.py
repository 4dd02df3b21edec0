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


def _cosine(known, test):
    return torch.nn.functional.normalize(test, dim=1) @ torch.nn.functional.normalize(known, dim=1).T


def _accuracy(known_senses, test_senses, scores, *, balanced=True, all_senses=False):
    found = [known_senses[i] for i in scores.argmax(1).tolist()]
    right = [(guess == sense, sense) for guess, sense in zip(found, test_senses, strict=True)]
    if not balanced:
        return sum(hit for hit, _ in right) / len(right)
    by_sense = {s: [hit for hit, sense in right if sense == s] for s in set(test_senses)}
    groups = len(set(known_senses)) if all_senses else len(by_sense)
    return sum(sum(hits) / len(hits) for hits in by_sense.values()) / groups


def _hits(known, known_senses, test, test_senses):
    """For each sense in the test (right answers, occurrences)."""
    found = [known_senses[i] for i in _cosine(known, test).argmax(1).tolist()]
    pairs = list(zip(found, test_senses, strict=True))
    return [(pairs.count((sense, sense)), test_senses.count(sense)) for sense in set(test_senses)]


def _by_guess(known, known_senses, test, test_senses):
    """Averages over the guessed senses instead of the right ones: precision in place of recall."""
    found = [known_senses[i] for i in _cosine(known, test).argmax(1).tolist()]
    by_guess = {g: [s == g for s, f in zip(test_senses, found, strict=True) if f == g] for g in set(found)}
    return sum(sum(hits) / len(hits) for hits in by_guess.values()) / len(by_guess)


def _means(known, known_senses, test, test_senses):
    senses = sorted(set(known_senses))
    rows = [[i for i, s in enumerate(known_senses) if s == sense] for sense in senses]
    return _accuracy(senses, test_senses, _cosine(torch.stack([known[r].mean(0) for r in rows]), test))


def _only_hit(known, known_senses, test, test_senses):
    shares = [hits / n for hits, n in _hits(known, known_senses, test, test_senses) if hits]
    return sum(shares) / len(shares)


def _scored(score, **options):
    return lambda known, known_senses, test, test_senses: _accuracy(
        known_senses, test_senses, score(known, test), **options
    )


_KNOWN = torch.tensor([[1.0, 0.1], [9.0, 5.0], [0.1, 1.2], [-0.9, 0.4], [3.0, -4.0]])
_SENSES = [0, 0, 1, 1, 2]
_TEST = torch.tensor([[2.0, 0.5], [0.7, 0.9], [0.3, -0.2], [3.0, 2.5], [0.4, 0.9], [-0.2, 3.0], [0.5, 0.6], [1.0, 0.4]])
PROBES = [
    Probe("three senses", _KNOWN, _SENSES, _TEST, [0, 1, 2, 0, 1, 1, 0, 0]),
    Probe("a sense that is not in the test", _KNOWN, [0, 0, 2, 2, 1], _TEST[[0, 3, 4, 6, 7]], [0, 0, 2, 2, 0]),
    Probe("a sense that is never hit", _KNOWN, _SENSES, _TEST, [2, 0, 1, 0, 1, 1, 0, 2]),
    Probe("vectors of different lengths", _KNOWN.flip(0) * 0.5, [0, 1, 0, 1, 1], _TEST, [1, 1, 0, 1, 0, 1, 0, 1]),
]
MISTAKES = [
    ("not balanced", _scored(_cosine, balanced=False)),
    ("senses without a test are averaged in", _scored(_cosine, all_senses=True)),
    ("a sense that is never hit is left out", _only_hit),
    (
        "the number of an occurrence is taken for its sense",
        lambda known, known_senses, *test: sense_accuracy(known, list(range(len(known))), *test),
    ),
    ("the shares are taken by guess", _by_guess),
    ("the dot product is not normalised", _scored(lambda known, test: test @ known.T)),
    ("Euclidean distance", _scored(lambda known, test: -torch.cdist(test, known))),
    ("the sign of the cosine is lost", _scored(lambda *pair: _cosine(*pair).abs())),
    ("the furthest occurrence", _scored(lambda known, test: -_cosine(known, test))),
    ("the mean of a sense instead of its occurrences", _means),
    ("100 times too large", HUNDREDFOLD),
    ("a share above 1", lambda *a: sum(hits for hits, _ in _hits(*a)) / len(_hits(*a))),
    ("the shares are added up", lambda *a: sum(hits / n for hits, n in _hits(*a))),
]
EXERCISE = Exercise("4.6", sense_accuracy, PROBES, MISTAKES, difficulty=3, importance=4, minutes=12)
