"""Wrong answers to exercise 4.2 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.utils.rnn import pad_sequence


def table(words, ids):
    rows = [torch.tensor([2] + [ids.get(c, 1) for c in word] + [3]) for word in words]
    return pad_sequence(rows, batch_first=True)


def answers(rows, filters):
    return filters.T[rows]  # [word, character, filter]


def maxima(rows, filters):
    return answers(rows, filters).masked_fill((rows == 0)[..., None], -torch.inf).amax(dim=1)


def pooled(pool):
    """pool(answers [word, character, filter], what is no padding)."""

    def answer(words, ids, filters):
        rows = table(words, ids)
        return rows, pool(answers(rows, filters), (rows != 0)[..., None])

    return answer


def written(table):
    """table(words, ids): the rows; the maxima fit them."""
    return lambda words, ids, filters: (table(words, ids), maxima(table(words, ids), filters))


def characters_only(words, ids, filters):
    known = [[ids.get(c, 1) for c in word] for word in words]
    return table(words, ids), torch.stack([filters[:, row].max(dim=1).values for row in known])


def no_marks(words, ids):
    return pad_sequence([torch.tensor([ids.get(c, 1) for c in word]) for word in words], batch_first=True)


def end_in_the_last_column(words, ids, filters):
    longest = max(map(len, words))
    rows = [[2] + [ids.get(c, 1) for c in word] + [0] * (longest - len(word)) + [3] for word in words]
    return rows, maxima(torch.tensor(rows), filters)


def ragged(words, ids, filters):
    rows = [[2] + [ids.get(c, 1) for c in word] + [3] for word in words]
    return rows, [filters[:, row].amax(dim=1) for row in rows]


WRONG = [
    (pooled(lambda found, real: found.max(dim=1).values), "padding wins"),
    (pooled(lambda found, real: (found * real).max(dim=1).values), "padding counts as 0"),
    (characters_only, "the marks are left out of the maximum"),
    (pooled(lambda found, real: (found * real).sum(dim=1) / real.sum(dim=1)), "the mean instead of the maximum"),
    (written(no_marks), "the marks are missing"),
    (end_in_the_last_column, "the end comes after the padding"),
    (
        written(lambda words, ids: table([[c for c in w if c in ids] for w in words], ids)),
        "unknown characters are dropped",
    ),
    (
        written(lambda words, ids: table(words, dict.fromkeys("".join(words), 0) | ids)),
        "unknown characters become padding",
    ),
    (ragged, "the rows are not padded"),
]
