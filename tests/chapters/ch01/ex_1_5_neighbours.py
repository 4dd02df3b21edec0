"""Wrong answers to exercise 1.5 as readers write them, each with the mistake that must be named."""

import torch


def by_dot(vectors, word, k):
    scores = (vectors @ vectors[word]).tolist()
    return sorted((i for i in range(len(scores)) if i != word), key=lambda i: -scores[i])[:k]


def cosines(vectors, word):
    return torch.nn.functional.cosine_similarity(vectors, vectors[word][None]).tolist()


def itself_too(vectors, word, k):
    scores = cosines(vectors, word)
    return sorted(range(len(scores)), key=lambda i: -scores[i])[:k]


def ascending(vectors, word, k):
    scores = cosines(vectors, word)
    return sorted((i for i in range(len(scores)) if i != word), key=lambda i: scores[i])[:k]


def last_k_of_ascending(vectors, word, k):
    scores = cosines(vectors, word)
    return sorted((i for i in range(len(scores)) if i != word), key=lambda i: scores[i])[-k:]


def removed_too_late(vectors, word, k):
    return [i for i in itself_too(vectors, word, k) if i != word]


def by_distance(vectors, word, k):
    distances = torch.cdist(vectors, vectors[[word]])[:, 0].tolist()
    return sorted((i for i in range(len(distances)) if i != word), key=lambda i: distances[i])[:k]


def values(vectors, word, k):
    return torch.tensor(cosines(vectors, word)).topk(k + 1).values[1:]


WRONG = [
    (by_dot, "the dot product is not normalised"),
    (itself_too, "the word itself is in the list"),
    (ascending, "the furthest words"),
    (last_k_of_ascending, "the furthest words"),
    (removed_too_late, "one neighbour too few"),
    (by_distance, "Euclidean distance"),
    (values, "similarities instead of ids"),
]
