"""Wrong answers to exercise 3.4 as readers write them, each with the mistake that must be named."""

from itertools import pairwise, product

import torch


def listed(emissions, transitions, start, end):
    """All sequences with their scores: slow, and right."""
    scores = {}
    for path in product(range(len(start)), repeat=len(emissions)):
        score = start[path[0]] + end[path[-1]] + sum(emissions[i, tag] for i, tag in enumerate(path))
        scores[path] = float(score + sum(transitions[s, t] for s, t in pairwise(path)))
    return scores


def greedy(emissions, transitions, start, end):
    path, scores = [], start
    for i, emission in enumerate(emissions):
        scores = scores + emission + (end if i == len(emissions) - 1 else 0)
        path.append(scores.argmax().item())
        scores = transitions[path[-1]]
    return path


def no_pointers(emissions, transitions, start, end):
    best, path = start + emissions[0], []
    for emission in emissions[1:]:
        path.append(int(best.argmax()))
        best = torch.stack([(best + transitions[:, to]).max() for to in range(len(start))]) + emission
    return [*path, int((best + end).argmax())]


def of_listed(choose=max, change=lambda *inputs: inputs):
    """choose(scores, key=...) among all sequences; change(emissions, transitions, start, end) before."""

    def answer(*inputs):
        scores = listed(*change(*inputs))
        return choose(scores, key=scores.get)

    return answer


WRONG = [
    (lambda e, t, start, end: e.softmax(dim=-1).argmax(dim=-1), "each word takes its own best tag"),
    (greedy, "each word is decided when it comes"),
    (no_pointers, "the path is read without backpointers"),
    (of_listed(change=lambda e, t, start, end: (e, t.T, start, end)), "the transitions are turned round"),
    (of_listed(change=lambda e, t, start, end: (e, t, torch.zeros(3), torch.zeros(3))), "start and end are missing"),
    (of_listed(change=lambda e, t, start, end: (e, t, start, torch.zeros(3))), "end is missing"),
    (lambda *inputs: of_listed()(*inputs)[::-1], "the path is not turned round"),
    (of_listed(choose=min), "the worst sequence"),
]
