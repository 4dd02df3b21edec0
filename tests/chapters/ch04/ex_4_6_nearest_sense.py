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


def plain_accuracy(known, known_senses, test, test_senses):
    found = guesses(cosines(known, test), known_senses)
    return (torch.tensor(found) == torch.tensor(test_senses)).float().mean()


def over_all_senses(known, known_senses, test, test_senses):
    found = guesses(cosines(known, test), known_senses)
    return sum(shares(found, test_senses)) / (max(known_senses) + 1)


def precision(known, known_senses, test, test_senses):
    return mean(shares(test_senses, guesses(cosines(known, test), known_senses)))


def dot_product(known, known_senses, test, test_senses):
    return mean(shares(guesses(torch.einsum("td,kd->tk", test, known), known_senses), test_senses))


def distance(known, known_senses, test, test_senses):
    distances = (test[:, None] - known[None]).norm(dim=-1)
    return mean(shares([known_senses[i] for i in distances.argmin(dim=1)], test_senses))


def argmin_of_cosine(known, known_senses, test, test_senses):
    return mean(shares([known_senses[i] for i in cosines(known, test).argmin(dim=1)], test_senses))


def centroid(known, known_senses, test, test_senses):
    labels = torch.tensor(known_senses)
    means = torch.stack([known[labels == sense].mean(dim=0) for sense in labels.unique()])
    return mean(shares(guesses(cosines(means, test), labels.unique().tolist()), test_senses))


def hits_per_sense(known, known_senses, test, test_senses):
    found = guesses(cosines(known, test), known_senses)
    return sum(g == s for g, s in zip(found, test_senses, strict=True)) / len(set(test_senses))


def percent(known, known_senses, test, test_senses):
    return 100 * mean(shares(guesses(cosines(known, test), known_senses), test_senses))


def share_of_each_sense(known, known_senses, test, test_senses):
    return torch.tensor(shares(guesses(cosines(known, test), known_senses), test_senses))


WRONG = [
    (plain_accuracy, "not balanced"),
    (over_all_senses, "senses without a test are averaged in"),
    (precision, "the shares are taken by guess"),
    (dot_product, "the dot product is not normalised"),
    (distance, "Euclidean distance"),
    (argmin_of_cosine, "the furthest occurrence"),
    (centroid, "the mean of a sense instead of its occurrences"),
    (hits_per_sense, "a share above 1"),
    (percent, "100 times too large"),
    (share_of_each_sense, "wrong"),
]
