"""Wrong answers to exercise 1.6 as readers write them, each with the mistake that must be named."""

import torch


def nearest(target, leave_out=lambda *abc: abc):
    """target(vectors of length 1, vectors, a, b, c); leave_out(a, b, c)"""

    def answer(vectors, *abc):
        unit = torch.nn.functional.normalize(vectors, dim=1)
        scores = torch.nn.functional.cosine_similarity(vectors, target(unit, vectors, *abc)[None]).tolist()
        return max((i for i in range(len(scores)) if i not in leave_out(*abc)), key=lambda i: scores[i])

    return answer


def right(unit, vectors, a, b, c):
    return unit[a] - unit[b] + unit[c]


def all_raw(vectors, a, b, c):
    scores = (vectors @ (vectors[a] - vectors[b] + vectors[c])).tolist()
    return max((i for i in range(len(scores)) if i not in {a, b, c}), key=lambda i: scores[i])


WRONG = [
    (nearest(lambda unit, vectors, a, b, c: unit[b] - unit[a] + unit[c]), "the sign is swapped: b - a + c"),
    (nearest(lambda unit, vectors, a, b, c: unit[a] + unit[b] - unit[c]), "the sign is swapped: a + b - c"),
    (nearest(right, lambda *abc: ()), "the inputs are not excluded"),
    (nearest(right, lambda a, b, c: (c,)), "only one input is excluded"),
    (
        nearest(lambda unit, vectors, a, b, c: vectors[a] - vectors[b] + vectors[c]),
        "the vectors are not brought to length 1 before the sum",
    ),
    (all_raw, "the dot product is not normalised"),
]
