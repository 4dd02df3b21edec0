"""Wrong answers to exercise 2.2 as readers write them, each with the mistake that must be named."""

import torch


def summed(ids, output_gradient, vocabulary_size):
    one_hot = torch.nn.functional.one_hot(ids.reshape(-1), vocabulary_size).float()
    return one_hot.T @ output_gradient.reshape(-1, output_gradient.shape[-1])


def assigned(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    table[ids] = output_gradient
    return table


def of_each_word(row):
    """row(gradients of all places of a word)"""

    def answer(ids, output_gradient, vocabulary_size):
        flat = output_gradient.reshape(ids.numel(), -1)
        table = torch.zeros(vocabulary_size, flat.shape[1])
        for i in ids.unique().tolist():
            table[i] = row(flat[ids.reshape(-1) == i])
        return table

    return answer


WRONG = [
    (assigned, "the last occurrence overwrites the others"),
    (of_each_word(lambda rows: rows[0]), "only the first occurrence counts"),
    (of_each_word(lambda rows: rows.mean(dim=0)), "the mean over the occurrences"),
    (lambda ids, *rest: summed(ids, *rest) / len(ids.reshape(-1)), "divided by the number of places"),
    (lambda ids, *rest: summed(ids, *rest)[sorted(set(ids.reshape(-1).tolist()))], "unused rows are left out"),
    (lambda ids, g, n: torch.zeros(n, 1) + g.reshape(ids.numel(), -1).sum(0), "every row gets the whole gradient"),
    (lambda ids, g, n: summed(ids, g * (ids != 0).unsqueeze(-1), n), "row 0 gets no gradient"),
    (lambda *inputs: 0 - summed(*inputs), "the sign is turned"),
]
