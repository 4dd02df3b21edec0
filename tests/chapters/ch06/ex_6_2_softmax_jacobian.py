"""Wrong answers to exercise 6.2 as readers write them, each with the mistake that must be named."""

import torch


def fill(y, entry):
    n = len(y)
    return torch.stack([torch.stack([entry(y[i], y[j], i == j) for j in range(n)]) for i in range(n)])


def plus(scores):
    return fill(torch.softmax(scores, 0), lambda a, b, own: a * (1 - a) if own else a * b)


def diagonal_alone(scores):
    y = torch.softmax(scores, 0)
    return torch.diag(y - y**2)


def no_square(scores):
    return fill(torch.softmax(scores, 0), lambda a, b, own: a if own else -a * b)


def no_delta(scores):
    y = torch.softmax(scores, 0)
    return -y[:, None] * y[None, :]


def delta_everywhere(scores):
    return fill(torch.softmax(scores, 0), lambda a, b, own: a * (1 - b))


def negative(scores):
    y = torch.softmax(scores, 0)
    return torch.outer(y, y) - torch.diag(y)


def sigmoid(scores):
    y = 1 / (1 + torch.exp(-scores))
    return torch.diag(y * (1 - y))


def no_softmax(scores):
    return fill(scores, lambda a, b, own: a * (1 - a) if own else -a * b)


def a_vector(scores):
    y = torch.softmax(scores, 0)
    return y * (1 - y)


def overflow(scores):
    y = scores.exp() / scores.exp().sum()
    return torch.diag(y) - torch.outer(y, y)


def in_one_row(scores):
    y = torch.softmax(scores, 0)
    return (torch.diag(y) - torch.outer(y, y)).flatten()


WRONG = [
    (plus, "plus off the diagonal"),
    (diagonal_alone, "only the diagonal"),
    (no_square, "the diagonal lacks its second part"),
    (no_delta, "the diagonal is like the rest"),
    (delta_everywhere, "1 - y in every entry"),
    (negative, "all signs are turned round"),
    (sigmoid, "the derivative of a sigmoid"),
    (no_softmax, "the scores instead of the weights"),
    (a_vector, "only n numbers"),
    (overflow, "large scores overflow"),
    (in_one_row, "wrong"),
]
