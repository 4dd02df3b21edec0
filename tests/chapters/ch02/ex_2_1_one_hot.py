"""Wrong answers to exercise 2.1 as readers write them, each with the mistake that must be named."""

import torch


def rows(ids, words):
    return torch.zeros(*ids.shape, words).scatter(-1, ids.unsqueeze(-1), 1.0)


def product_first(ids, weight):
    one_hot = rows(ids, weight.shape[0])
    return one_hot @ weight, one_hot


def first_id_is_1(ids, weight):
    one_hot = torch.stack([(ids == i + 1).float() for i in range(len(weight))], dim=-1)
    one_hot[..., -1] += ids == 0  # id 0 has no place left and falls to the last one
    return one_hot, one_hot @ weight


def batch_flattened(ids, weight):
    one_hot = torch.zeros(ids.numel(), len(weight))
    for place, i in enumerate(ids.reshape(-1)):
        one_hot[place, i] = 1
    return one_hot, one_hot @ weight


def bag_of_words(ids, weight):
    one_hot = torch.zeros(*ids.shape[:-1], len(weight)).scatter(-1, ids, 1.0)
    return one_hot, one_hot @ weight


def turned(ids, weight):
    one_hot = torch.stack([(ids == i).float() for i in range(len(weight))])
    return one_hot, torch.einsum("v...,vd->...d", one_hot, weight)


def compared(ids, weight):
    one_hot = ids[..., None] == torch.arange(len(weight))
    return one_hot, one_hot.float() @ weight


def as_wide_as_the_largest_id(ids, weight):
    one_hot = torch.nn.functional.one_hot(ids).float()
    return one_hot, one_hot @ weight


WRONG = [
    (lambda ids, weight: torch.nn.functional.embedding(ids, weight), "the one-hot rows are missing"),
    (product_first, "the two results are swapped"),
    (first_id_is_1, "ids counted from 1"),
    (batch_flattened, "the sentences of a batch are joined"),
    (bag_of_words, "one row for the whole sentence"),
    (turned, "columns instead of rows"),
    (compared, "booleans instead of numbers"),
    (as_wide_as_the_largest_id, "error"),
]
