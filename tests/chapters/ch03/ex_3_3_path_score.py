"""Wrong answers to exercise 3.3 as readers write them, each with the mistake that must be named."""

from itertools import pairwise

import torch


def parts(emissions, transitions, start, end, tags, mask):
    """Loops in plain Python; the wrong answers below add up the parts in their own way."""
    words = [[float(emissions[b, i, t]) for i, t in enumerate(row)] for b, row in enumerate(tags.tolist())]
    steps = [[float(transitions[s, t]) for s, t in pairwise(row)] for row in tags.tolist()]
    return words, steps, start[tags[:, 0]].tolist(), mask.sum(1).tolist()


def mask_forgotten(emissions, transitions, start, end, tags, mask):
    words, steps, first, _ = parts(emissions, transitions, start, end, tags, mask)
    last = end[tags[:, -1]].tolist()
    return [sum(w) + sum(s) + f + e for w, s, f, e in zip(words, steps, first, last, strict=True)]


def steps_into_padding(emissions, transitions, start, end, tags, mask):
    words, steps, first, lengths = parts(emissions, transitions, start, end, tags, mask)
    last = [float(end[tags[b, n - 1]]) for b, n in enumerate(lengths)]
    return [sum(w[:n]) + sum(s) + f + e for w, s, f, e, n in zip(words, steps, first, last, lengths, strict=True)]


def end_of_the_last_column(emissions, transitions, start, end, tags, mask):
    words, steps, first, lengths = parts(emissions, transitions, start, end, tags, mask)
    last = end[tags[:, -1]].tolist()
    rows = zip(words, steps, first, last, lengths, strict=True)
    return [sum(w[:n]) + sum(s[: n - 1]) + f + e for w, s, f, e, n in rows]


def to_from(emissions, transitions, start, end, tags, mask):
    words, steps, first, lengths = parts(emissions, transitions.T, start, end, tags, mask)
    last = [float(end[tags[b, n - 1]]) for b, n in enumerate(lengths)]
    rows = zip(words, steps, first, last, lengths, strict=True)
    return torch.tensor([sum(w[:n]) + sum(s[: n - 1]) + f + e for w, s, f, e, n in rows])


def no_ends(emissions, transitions, start, end, tags, mask):
    words, steps, _, lengths = parts(emissions, transitions, start, end, tags, mask)
    return [sum(w[:n]) + sum(s[: n - 1]) for w, s, n in zip(words, steps, lengths, strict=True)]


def emissions_alone(emissions, transitions, start, end, tags, mask):
    words, _, first, lengths = parts(emissions, transitions, start, end, tags, mask)
    last = [float(end[tags[b, n - 1]]) for b, n in enumerate(lengths)]
    return [sum(w[:n]) + f + e for w, f, e, n in zip(words, first, last, lengths, strict=True)]


WRONG = [
    (mask_forgotten, "padding counts"),
    (steps_into_padding, "steps into padding count"),
    (end_of_the_last_column, "the last column is taken for the last tag"),
    (to_from, "the transitions are turned round"),
    (no_ends, "start and end are missing"),
    (emissions_alone, "the transitions are missing"),
]
