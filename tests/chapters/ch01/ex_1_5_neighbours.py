"""Wrong answers to exercise 1.5 as readers write them, each with the mistake that must be named."""

import torch


def others(scores, cut):
    """scores(vectors, word): the other words by falling score; cut(list, k): what is taken of it."""

    def answer(vectors, word, k):
        found = scores(vectors, word).tolist()
        return cut(sorted((i for i in range(len(found)) if i != word), key=lambda i: -found[i]), k)

    return answer


def first(found, k):
    return found[:k]


def cosines(vectors, word):
    return torch.nn.functional.cosine_similarity(vectors, vectors[word][None])


def itself_too(vectors, word, k):
    return cosines(vectors, word).sort(descending=True).indices[:k].tolist()


WRONG = [
    (others(lambda vectors, word: vectors @ vectors[word], first), "the dot product is not normalised"),
    (itself_too, "the word itself is in the list"),
    (others(lambda *inputs: -cosines(*inputs), first), "the furthest words"),
    (others(cosines, lambda found, k: found[::-1][-k:]), "the furthest words"),
    (lambda vectors, word, k: [i for i in itself_too(vectors, word, k) if i != word], "one neighbour too few"),
    (others(lambda vectors, word: -torch.cdist(vectors, vectors[[word]])[:, 0], first), "Euclidean distance"),
    (lambda vectors, word, k: cosines(vectors, word).topk(k + 1).values[1:], "similarities instead of ids"),
]
