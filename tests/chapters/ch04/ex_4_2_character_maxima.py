"""Wrong answers to exercise 4.2 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.utils.rnn import pad_sequence


def table(words, ids):
    rows = [torch.tensor([2] + [ids.get(c, 1) for c in word] + [3]) for word in words]
    return pad_sequence(rows, batch_first=True)


def answers(rows, filters):
    return filters.T[rows]  # [word, character, filter]


def padding_counts(words, ids, filters):
    rows = table(words, ids)
    return rows, answers(rows, filters).max(dim=1).values


def padding_is_zero(words, ids, filters):
    rows = table(words, ids)
    return rows, (answers(rows, filters) * (rows != 0)[..., None]).max(dim=1).values


def characters_only(words, ids, filters):
    known = [[ids.get(c, 1) for c in word] for word in words]
    return table(words, ids), torch.stack([filters[:, row].max(dim=1).values for row in known])


def mean(words, ids, filters):
    rows = table(words, ids)
    real = (rows != 0)[..., None]
    return rows, (answers(rows, filters) * real).sum(dim=1) / real.sum(dim=1)


def maxima(rows, filters):
    return answers(rows, filters).masked_fill((rows == 0)[..., None], -torch.inf).amax(dim=1)


def no_marks(words, ids, filters):
    rows = pad_sequence([torch.tensor([ids.get(c, 1) for c in word]) for word in words], batch_first=True)
    return rows, maxima(rows, filters)


def end_in_the_last_column(words, ids, filters):
    longest = max(map(len, words))
    rows = [[2] + [ids.get(c, 1) for c in word] + [0] * (longest - len(word)) + [3] for word in words]
    return rows, maxima(torch.tensor(rows), filters)


def unknown_dropped(words, ids, filters):
    rows = table(["".join(c for c in word if c in ids) for word in words], ids)
    return rows, maxima(rows, filters)


def unknown_is_zero(words, ids, filters):
    rows = table(words, {c: ids.get(c, 0) for word in words for c in word})
    return rows, maxima(rows, filters)


def ragged(words, ids, filters):
    rows = [[2] + [ids.get(c, 1) for c in word] + [3] for word in words]
    return rows, [filters[:, row].amax(dim=1) for row in rows]


WRONG = [
    (padding_counts, "padding wins"),
    (padding_is_zero, "padding counts as 0"),
    (characters_only, "the marks are left out of the maximum"),
    (mean, "the mean instead of the maximum"),
    (no_marks, "the marks are missing"),
    (end_in_the_last_column, "the end comes after the padding"),
    (unknown_dropped, "unknown characters are dropped"),
    (unknown_is_zero, "unknown characters become padding"),
    (ragged, "the rows are not padded"),
]
