"""Wrong answers to exercise 1.7 as readers write them, each with the mistake that must be named."""

import torch


def by_sense(hit):
    """hit(row, sense): the mean over the senses of their occurrences' mean."""

    def answer(scores, senses):
        hits = [hit(row, s) for row, s in zip(scores, senses, strict=True)]
        groups = [[h for h, s in zip(hits, senses, strict=True) if s == sense] for sense in sorted(set(senses))]
        return sum(sum(group) / len(group) for group in groups) / len(groups)

    return answer


def fair(scores, senses):
    best = [[i for i, x in enumerate(row) if x == max(row)] for row in scores]
    return [1 / len(b) if s in b else 0 for b, s in zip(best, senses, strict=True)]


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
    (by_sense(lambda row, s: row[s] >= max(row)), "ties count as right"),
    (by_sense(lambda row, s: all(row[s] > x for i, x in enumerate(row) if i != s)), "ties count as wrong"),
    (by_sense(lambda row, s: int(torch.tensor(row).argmax()) == s), "the first of the tied senses wins"),
    (lambda scores, senses: sum(fair(scores, senses)) / len(senses), "not balanced"),
    (argmax_unbalanced, "the first of the tied senses wins, and not balanced"),
    (empty_sense_counts, "senses that never occur are averaged in"),
]
