"""Wrong answers to exercise 3.5 as readers write them, each with the mistake that must be named."""

import torch

from tests.chapters.ch03.ex_3_4_viterbi import listed


def best_last_tag(emissions, transitions, start, end):
    by_last = {}
    for path, score in listed(emissions, transitions, start, end).items():
        by_last.setdefault(path[-1], []).append(score)
    return max(torch.tensor(scores).logsumexp(0) for scores in by_last.values())


def summed(change):
    return lambda *inputs: torch.tensor(list(listed(*change(*inputs)).values())).logsumexp(0)


def emission_of_the_tag_before(emissions, transitions, start, end):
    alpha = start + emissions[0]
    for i in range(1, len(emissions)):
        table = alpha.unsqueeze(1) + transitions + emissions[i].unsqueeze(1)
        alpha = torch.logsumexp(table, 0)
    return torch.logsumexp(alpha + end, 0)


WRONG = [
    (lambda *inputs: max(listed(*inputs).values()), "the maximum instead of the sum"),
    (best_last_tag, "the maximum in the last step"),
    (lambda emissions, transitions, start, end: torch.logsumexp(emissions, dim=-1).sum(), "each word is summed alone"),
    (summed(lambda e, t, start, end: (e, t.T, start, end)), "the transitions are turned round"),
    (summed(lambda e, t, start, end: (e, t, 0 * start, 0 * end)), "start and end are missing"),
    (lambda *inputs: torch.tensor(list(listed(*inputs).values())).exp().sum().log(), "the exponential overflows"),
    (emission_of_the_tag_before, "the emission is given to the tag before"),
]
