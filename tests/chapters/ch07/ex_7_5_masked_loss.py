"""Wrong answers to exercise 7.5 as readers write them, each with the mistake that must be named."""

import math

import torch
from torch.nn.functional import cross_entropy, linear, nll_loss


def of_scores(loss):
    """loss(scores [batch, place, piece], labels)."""
    return lambda states, labels, table, bias: loss(linear(states, table, bias), labels)


def of_asked(loss):
    """loss(scores [asked, piece], labels [asked])."""
    return of_scores(lambda scores, labels: loss(scores[labels >= 0], labels[labels >= 0]))


def of_probabilities(loss):
    """loss(probabilities of the right pieces)."""
    return of_asked(lambda scores, labels: loss(scores.softmax(-1)[torch.arange(len(labels)), labels]))


def over_all_places(scores, labels):
    return cross_entropy(scores.flatten(0, 1), labels.flatten(), reduction="sum") / labels.numel()


def mean_of_rows(scores, labels):
    rows = [(row, answers) for row, answers in zip(scores, labels, strict=True) if (answers != -100).any()]
    return sum(cross_entropy(*row) for row in rows) / len(rows)


def ignore_zero(scores, labels):
    return cross_entropy(scores.flatten(0, 1), labels.clamp(min=0).flatten(), ignore_index=0)


def axis_1_of_three(scores, labels):
    return nll_loss(scores.log_softmax(dim=1).flatten(0, 1), labels.flatten())


def late_bias(states, labels, table, bias):
    asked = labels >= 0
    return nll_loss(linear(states[asked], table).log_softmax(-1) + bias, labels[asked])


WRONG = [
    (of_scores(over_all_places), "divided by all places"),
    (
        of_scores(lambda scores, labels: cross_entropy(scores.mT, labels, reduction="sum")),
        "the sum instead of the mean",
    ),
    (of_scores(mean_of_rows), "each row counts the same"),
    (of_scores(lambda scores, labels: cross_entropy(scores.mT, labels.clamp(min=0))), "-100 is asked, too"),
    (of_scores(ignore_zero), "piece 0 is left out"),
    (of_asked(lambda scores, labels: nll_loss(scores.log_softmax(dim=0), labels)), "softmax over places"),
    (of_scores(axis_1_of_three), "softmax over the places of a row"),
    (of_asked(lambda scores, labels: cross_entropy(scores.softmax(-1), labels)), "two softmaxes"),
    (lambda states, labels, table, bias: cross_entropy(linear(states, table).mT, labels), "no bias"),
    (late_bias, "the bias comes after the softmax"),
    (of_scores(lambda scores, labels: -cross_entropy(scores.mT, labels)), "the sign"),
    (of_probabilities(lambda p: p.mean()), "no logarithm"),
    (of_probabilities(lambda p: -math.log(p.mean())), "the logarithm of the mean"),
    (of_probabilities(lambda p: -p.log2().mean()), "bits instead of nats"),
    (of_probabilities(lambda p: -p.log()), "a number for each place"),
]
