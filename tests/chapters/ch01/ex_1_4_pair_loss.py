"""Wrong answers to exercise 1.4 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import cross_entropy


def log_sigmoid(score):
    return torch.where(score < 0, score - torch.log1p(torch.exp(score)), -torch.log1p(torch.exp(-score)))


def negatives_unturned(inputs, outputs, centre, context, negatives):
    scores = inputs[centre] @ outputs[[context, *negatives]].T
    return -log_sigmoid(scores).sum()


def mean_of_negatives(inputs, outputs, centre, context, negatives):
    v = inputs[centre]
    return -log_sigmoid(outputs[context] @ v) - log_sigmoid(-(outputs[negatives] @ v)).mean()


def sigmoid_twice(inputs, outputs, centre, context, negatives):
    v = inputs[centre]
    return -log_sigmoid(torch.sigmoid(outputs[context] @ v)) - log_sigmoid(torch.sigmoid(-outputs[negatives] @ v)).sum()


def one_table(inputs, outputs, centre, context, negatives):
    v = inputs[centre]
    return -log_sigmoid(inputs[context] @ v) - log_sigmoid(-(inputs[negatives] @ v)).sum()


def softmax_loss(inputs, outputs, centre, context, negatives):
    return cross_entropy((outputs[[context, *negatives]] @ inputs[centre])[None], torch.tensor([0]))


def likelihood(inputs, outputs, centre, context, negatives):
    v = inputs[centre]
    return log_sigmoid(outputs[context] @ v) + log_sigmoid(-(outputs[negatives] @ v)).sum()


def overflowing(inputs, outputs, centre, context, negatives):
    v = inputs[centre]
    return -torch.log(torch.sigmoid(outputs[context] @ v)) - torch.log(1 - torch.sigmoid(outputs[negatives] @ v)).sum()


WRONG = [
    (negatives_unturned, "the negatives have the wrong sign"),
    (mean_of_negatives, "the mean over the negatives"),
    (sigmoid_twice, "the sigmoid is applied twice"),
    (one_table, "one table for both"),
    (softmax_loss, "a softmax over the drawn words"),
    (likelihood, "the sign of the whole loss"),
    (overflowing, "the logarithm of a sigmoid that became 0"),
]
