"""Wrong answers to exercise 1.7 as readers write them, each with the mistake that must be named."""

import torch


def mean_by_sense(hits, senses):
    groups = [[hit for hit, s in zip(hits, senses, strict=True) if s == sense] for sense in sorted(set(senses))]
    return sum(sum(group) / len(group) for group in groups) / len(groups)


def fair(scores, senses):
    best = [[i for i, x in enumerate(row) if x == max(row)] for row in scores]
    return [1 / len(b) if s in b else 0 for b, s in zip(best, senses, strict=True)]


def ties_right(scores, senses):
    return mean_by_sense([row[s] >= max(row) for row, s in zip(scores, senses, strict=True)], senses)


def ties_wrong(scores, senses):
    strictly = [all(row[s] > x for i, x in enumerate(row) if i != s) for row, s in zip(scores, senses, strict=True)]
    return mean_by_sense(strictly, senses)


def argmax(scores, senses):
    picked = torch.tensor(scores).argmax(dim=1).tolist()
    return mean_by_sense([p == s for p, s in zip(picked, senses, strict=True)], senses)


def unbalanced(scores, senses):
    return sum(fair(scores, senses)) / len(senses)


def argmax_unbalanced(scores, senses):
    picked = torch.tensor(scores).argmax(dim=1)
    return (picked == torch.tensor(senses)).float().mean()


def empty_sense_counts(scores, senses):
    hits = fair(scores, senses)
    per_sense = []
    for sense in range(len(scores[0])):
        mine = [hit for hit, s in zip(hits, senses, strict=True) if s == sense]
        per_sense.append(sum(mine) / len(mine) if mine else 0.0)
    return sum(per_sense) / len(per_sense)


WRONG = [
    (ties_right, "ties count as right"),
    (ties_wrong, "ties count as wrong"),
    (argmax, "the first of the tied senses wins"),
    (unbalanced, "not balanced"),
    (argmax_unbalanced, "the first of the tied senses wins, and not balanced"),
    (empty_sense_counts, "senses that never occur are averaged in"),
]
