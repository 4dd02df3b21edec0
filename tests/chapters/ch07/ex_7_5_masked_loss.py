"""Wrong answers to exercise 7.5 as readers write them, each with the mistake that must be named."""

import math

import torch
from torch.nn.functional import cross_entropy, linear, nll_loss


def scores(states, table, bias=None):
    return linear(states, table, bias)


def over_all_places(states, labels, table, bias):
    total = cross_entropy(scores(states, table, bias).flatten(0, 1), labels.flatten(), reduction="sum")
    return total / labels.numel()


def added_up(states, labels, table, bias):
    return cross_entropy(scores(states, table, bias).mT, labels, reduction="sum")


def mean_of_rows(states, labels, table, bias):
    rows = [(s, answer) for s, answer in zip(states, labels, strict=True) if (answer != -100).any()]
    return sum(cross_entropy(scores(s, table, bias), answer) for s, answer in rows) / len(rows)


def zero_for_nothing(states, labels, table, bias):
    answers = torch.where(labels == -100, 0, labels)
    return cross_entropy(scores(states, table, bias).mT, answers)


def ignore_zero(states, labels, table, bias):
    answers = labels.clamp(min=0)
    return cross_entropy(scores(states, table, bias).flatten(0, 1), answers.flatten(), ignore_index=0)


def wrong_axis(states, labels, table, bias):
    asked = labels >= 0
    log_p = scores(states[asked], table, bias).log_softmax(dim=0)
    return nll_loss(log_p, labels[asked])


def axis_1_of_three(states, labels, table, bias):
    log_p = scores(states, table, bias).log_softmax(dim=1)
    return nll_loss(log_p.flatten(0, 1), labels.flatten())


def softmax_twice(states, labels, table, bias):
    asked = labels >= 0
    return cross_entropy(scores(states[asked], table, bias).softmax(-1), labels[asked])


def without_bias(states, labels, table, bias):
    return cross_entropy(scores(states, table).mT, labels)


def late_bias(states, labels, table, bias):
    asked = labels >= 0
    return nll_loss(scores(states[asked], table).log_softmax(-1) + bias, labels[asked])


def log_likelihood(states, labels, table, bias):
    return -cross_entropy(scores(states, table, bias).mT, labels)


def probabilities(states, labels, table, bias):
    rows, columns = (labels != -100).nonzero(as_tuple=True)
    p = scores(states[rows, columns], table, bias).softmax(-1)
    return p[torch.arange(len(rows)), labels[rows, columns]]


def mean_probability(*inputs):
    return probabilities(*inputs).mean()


def log_last(*inputs):
    return -math.log(probabilities(*inputs).mean())


def base_two(*inputs):
    return -probabilities(*inputs).log2().mean()


def no_mean(*inputs):
    return -probabilities(*inputs).log()


WRONG = [
    (over_all_places, "divided by all places"),
    (added_up, "the sum instead of the mean"),
    (mean_of_rows, "each row counts the same"),
    (zero_for_nothing, "-100 is asked, too"),
    (ignore_zero, "piece 0 is left out"),
    (wrong_axis, "softmax over places"),
    (axis_1_of_three, "softmax over the places of a row"),
    (softmax_twice, "two softmaxes"),
    (without_bias, "no bias"),
    (late_bias, "the bias comes after the softmax"),
    (log_likelihood, "the sign"),
    (mean_probability, "no logarithm"),
    (log_last, "the logarithm of the mean"),
    (base_two, "bits instead of nats"),
    (no_mean, "a number for each place"),
]
