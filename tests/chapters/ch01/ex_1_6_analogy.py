"""Wrong answers to exercise 1.6 as readers write them, each with the mistake that must be named."""

import torch


def nearest(vectors, target, leave_out):
    scores = torch.nn.functional.cosine_similarity(vectors, target[None]).tolist()
    return max((i for i in range(len(scores)) if i not in leave_out), key=lambda i: scores[i])


def unit(vectors):
    return torch.nn.functional.normalize(vectors, dim=1)


def b_minus_a(vectors, a, b, c):
    return nearest(vectors, unit(vectors)[b] - unit(vectors)[a] + unit(vectors)[c], {a, b, c})


def plus_b_minus_c(vectors, a, b, c):
    return nearest(vectors, unit(vectors)[a] + unit(vectors)[b] - unit(vectors)[c], {a, b, c})


def inputs_allowed(vectors, a, b, c):
    return nearest(vectors, unit(vectors)[a] - unit(vectors)[b] + unit(vectors)[c], set())


def c_left_out_only(vectors, a, b, c):
    return nearest(vectors, unit(vectors)[a] - unit(vectors)[b] + unit(vectors)[c], {c})


def raw_sum(vectors, a, b, c):
    return nearest(vectors, vectors[a] - vectors[b] + vectors[c], {a, b, c})


def all_raw(vectors, a, b, c):
    scores = (vectors @ (vectors[a] - vectors[b] + vectors[c])).tolist()
    return max((i for i in range(len(scores)) if i not in {a, b, c}), key=lambda i: scores[i])


WRONG = [
    (b_minus_a, "the sign is swapped: b - a + c"),
    (plus_b_minus_c, "the sign is swapped: a + b - c"),
    (inputs_allowed, "the inputs are not excluded"),
    (c_left_out_only, "only one input is excluded"),
    (raw_sum, "the vectors are not brought to length 1 before the sum"),
    (all_raw, "the dot product is not normalised"),
]
