"""Wrong answers to exercise 2.2 as readers write them, each with the mistake that must be named."""

import torch


def summed(ids, output_gradient, vocabulary_size):
    one_hot = torch.nn.functional.one_hot(ids.reshape(-1), vocabulary_size).float()
    return one_hot.T @ output_gradient.reshape(-1, output_gradient.shape[-1])


def assigned(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    table[ids] = output_gradient
    return table


def first_only(ids, output_gradient, vocabulary_size):
    table, done = torch.zeros(vocabulary_size, output_gradient.shape[-1]), set()
    for i, row in zip(ids.reshape(-1).tolist(), output_gradient.reshape(ids.numel(), -1), strict=True):
        if i not in done:
            table[i] = row
            done.add(i)
    return table


def averaged(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    flat = output_gradient.reshape(ids.numel(), -1)
    for i in ids.unique().tolist():
        table[i] = flat[ids.reshape(-1) == i].mean(dim=0)
    return table


def over_the_batch(ids, output_gradient, vocabulary_size):
    return summed(ids, output_gradient, vocabulary_size) / len(ids.reshape(-1))


def used_rows_only(ids, output_gradient, vocabulary_size):
    flat = output_gradient.reshape(ids.numel(), -1)
    return torch.stack([flat[ids.reshape(-1) == i].sum(dim=0) for i in ids.unique()])


def broadcast(ids, output_gradient, vocabulary_size):
    table = torch.zeros(vocabulary_size, output_gradient.shape[-1])
    for row in output_gradient.reshape(ids.numel(), -1):
        table += row
    return table


def padding_skipped(ids, output_gradient, vocabulary_size):
    return summed(ids, output_gradient * (ids != 0).unsqueeze(-1), vocabulary_size)


def step_of_sgd(ids, output_gradient, vocabulary_size):
    return 0 - summed(ids, output_gradient, vocabulary_size)


WRONG = [
    (assigned, "the last occurrence overwrites the others"),
    (first_only, "only the first occurrence counts"),
    (averaged, "the mean over the occurrences"),
    (over_the_batch, "divided by the number of places"),
    (used_rows_only, "unused rows are left out"),
    (broadcast, "every row gets the whole gradient"),
    (padding_skipped, "row 0 gets no gradient"),
    (step_of_sgd, "the sign is turned"),
]
