"""Wrong answers to exercise 2.1 as readers write them, each with the mistake that must be named."""

import torch


def multiplied(rows):
    """rows(ids, number of words): the product fits them."""

    def answer(ids, weight):
        one_hot = rows(ids, len(weight))
        return one_hot, one_hot.float() @ weight

    return answer


def right(ids, words):
    return torch.zeros(*ids.shape, words).scatter(-1, ids.unsqueeze(-1), 1.0)


def first_id_is_1(ids, words):
    one_hot = torch.stack([(ids == i + 1).float() for i in range(words)], dim=-1)
    one_hot[..., -1] += ids == 0  # id 0 has no place left and falls to the last one
    return one_hot


def turned(ids, weight):
    one_hot = torch.stack([(ids == i).float() for i in range(len(weight))])
    return one_hot, torch.einsum("v...,vd->...d", one_hot, weight)


WRONG = [
    (lambda ids, weight: torch.nn.functional.embedding(ids, weight), "the one-hot rows are missing"),
    (lambda *inputs: multiplied(right)(*inputs)[::-1], "the two results are swapped"),
    (multiplied(first_id_is_1), "ids counted from 1"),
    (multiplied(lambda ids, words: right(ids.reshape(-1), words)), "the sentences of a batch are joined"),
    (
        multiplied(lambda ids, words: torch.zeros(*ids.shape[:-1], words).scatter(-1, ids, 1.0)),
        "one row for the whole sentence",
    ),
    (turned, "columns instead of rows"),
    (multiplied(lambda ids, words: ids[..., None] == torch.arange(words)), "booleans instead of numbers"),
    (multiplied(lambda ids, words: torch.nn.functional.one_hot(ids)), "error"),  # as wide as the largest id
]
