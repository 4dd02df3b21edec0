"""Wrong answers to exercise 3.6 as readers write them, each with the mistake that must be named."""

import math

import torch
from torch.nn.functional import normalize


def scores_of(query, source):
    return torch.bmm(source, query.unsqueeze(2)).squeeze(2)


def context_of(weights, source):
    return weights, torch.bmm(weights.unsqueeze(1), source).squeeze(1)


def weighted(weights):
    """weights(scores, mask)."""
    return lambda query, source, mask: context_of(weights(scores_of(query, source), mask), source)


def softmax(scores, mask):
    return scores.masked_fill(~mask, -math.inf).softmax(-1)


def cosines(query, source, mask):
    return context_of(softmax(scores_of(normalize(query, dim=-1), normalize(source, dim=-1)), mask), source)


WRONG = [
    (weighted(lambda scores, mask: scores.softmax(-1)), "padding gets weight"),
    (weighted(lambda scores, mask: scores.softmax(-1).masked_fill(~mask, 0.0)), "the mask comes after the softmax"),
    (weighted(lambda scores, mask: scores.masked_fill(~mask, 0.0).softmax(-1)), "a masked score of 0"),
    (weighted(lambda scores, mask: scores.softmax(0)), "the softmax runs over the batch"),
    (lambda q, s, m: context_of(softmax(scores_of(q, s) / math.sqrt(q.shape[-1]), m), s), "the scores are scaled"),
    (cosines, "the scores are cosines"),
    (lambda q, s, m: (softmax(scores_of(q, s), m), s.mean(dim=1)), "the plain mean of the states"),
    (weighted(lambda scores, mask: scores.exp().masked_fill(~mask, 0.0)), "not divided by the sum of the weights"),
    (weighted(lambda scores, mask: softmax(scores, ~mask)), "the mask is turned round"),
]
