"""Wrong answers to exercise 4.6 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import cosine_similarity


def guesses(scores, known_senses):
    return [known_senses[i] for i in scores.max(dim=1).indices.tolist()]


def cosines(known, test):
    return torch.stack([cosine_similarity(known, row[None]) for row in test])


def shares(found, test_senses):
    """Per sense in the test, the share of its occurrences that were found."""
    right = {}
    for guess, sense in zip(found, test_senses, strict=True):
        right.setdefault(sense, []).append(float(guess == sense))
    return [sum(hits) / len(hits) for hits in right.values()]


def mean(values):
    return sum(values) / len(values)


def found(share):
    """share(senses found by cosine, test senses)."""

    def answer(known, known_senses, test, test_senses):
        return share(guesses(cosines(known, test), known_senses), test_senses)

    return answer


def scored(scores):
    """scores(known, test) [test, known]; the known occurrence with the highest is taken."""

    def answer(known, known_senses, test, test_senses):
        return mean(shares(guesses(scores(known, test), known_senses), test_senses))

    return answer


def over_all_senses(known, known_senses, test, test_senses):
    found = guesses(cosines(known, test), known_senses)
    return sum(shares(found, test_senses)) / (max(known_senses) + 1)


def hits_per_sense(found, test_senses):
    return sum(g == s for g, s in zip(found, test_senses, strict=True)) / len(set(test_senses))


def centroid(known, known_senses, test, test_senses):
    labels = torch.tensor(known_senses)
    means = torch.stack([known[labels == sense].mean(dim=0) for sense in labels.unique()])
    return mean(shares(guesses(cosines(means, test), labels.unique().tolist()), test_senses))


WRONG = [
    (found(lambda found, senses: (torch.tensor(found) == torch.tensor(senses)).float().mean()), "not balanced"),
    (over_all_senses, "senses without a test are averaged in"),
    (found(lambda guessed, senses: mean(shares(senses, guessed))), "the shares are taken by guess"),
    (scored(lambda known, test: torch.einsum("td,kd->tk", test, known)), "the dot product is not normalised"),
    (scored(lambda known, test: -(test[:, None] - known[None]).norm(dim=-1)), "Euclidean distance"),
    (scored(lambda known, test: -cosines(known, test)), "the furthest occurrence"),
    (centroid, "the mean of a sense instead of its occurrences"),
    (found(hits_per_sense), "a share above 1"),
    (found(lambda *senses: 100 * mean(shares(*senses))), "100 times too large"),
    (found(lambda *senses: torch.tensor(shares(*senses))), "wrong"),
]
