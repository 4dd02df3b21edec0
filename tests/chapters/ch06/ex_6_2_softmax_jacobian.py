"""Wrong answers to exercise 6.2 as readers write them, each with the mistake that must be named."""

import torch


def fill(entry, weights=lambda scores: scores.softmax(0)):
    """entry(y_i, y_j, i == j)."""

    def answer(scores):
        y = weights(scores)
        n = range(len(y))
        return torch.stack([torch.stack([entry(y[i], y[j], i == j) for j in n]) for i in n])

    return answer


def of_weights(matrix):
    """matrix(softmax)."""
    return lambda scores: matrix(torch.softmax(scores, 0))


def sigmoid(scores):
    y = 1 / (1 + torch.exp(-scores))
    return torch.diag(y * (1 - y))


def overflow(scores):
    y = scores.exp() / scores.exp().sum()
    return torch.diag(y) - torch.outer(y, y)


WRONG = [
    (fill(lambda a, b, own: a * (1 - a) if own else a * b), "plus off the diagonal"),
    (of_weights(lambda y: torch.diag(y - y**2)), "only the diagonal"),
    (fill(lambda a, b, own: a if own else -a * b), "the diagonal lacks its second part"),
    (of_weights(lambda y: -y[:, None] * y[None, :]), "the diagonal is like the rest"),
    (fill(lambda a, b, own: a * (1 - b)), "1 - y in every entry"),
    (of_weights(lambda y: torch.outer(y, y) - torch.diag(y)), "all signs are turned round"),
    (sigmoid, "the derivative of a sigmoid"),
    (
        fill(lambda a, b, own: a * (1 - a) if own else -a * b, weights=lambda scores: scores),
        "the scores instead of the weights",
    ),
    (of_weights(lambda y: y * (1 - y)), "only n numbers"),
    (overflow, "large scores overflow"),
    (of_weights(lambda y: (torch.diag(y) - torch.outer(y, y)).flatten()), "wrong"),
]
