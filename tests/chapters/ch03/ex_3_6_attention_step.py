"""Wrong answers to exercise 3.6 as readers write them, each with the mistake that must be named."""

import math

import torch
from torch.nn.functional import normalize


def scores_of(query, source):
    return torch.bmm(source, query.unsqueeze(2)).squeeze(2)


def context_of(weights, source):
    return weights, torch.bmm(weights.unsqueeze(1), source).squeeze(1)


def no_mask(query, source, mask):
    return context_of(scores_of(query, source).softmax(-1), source)


def mask_afterwards(query, source, mask):
    weights = scores_of(query, source).softmax(-1)
    return context_of(weights.masked_fill(mask.logical_not(), 0.0), source)


def zero_scores(query, source, mask):
    return context_of(scores_of(query, source).masked_fill(~mask, 0.0).softmax(-1), source)


def over_the_batch(query, source, mask):
    return context_of(torch.softmax(scores_of(query, source), 0), source)


def scaled(query, source, mask):
    scores = scores_of(query, source) / math.sqrt(query.shape[-1])
    return context_of(scores.masked_fill(~mask, float("-inf")).softmax(-1), source)


def cosines(query, source, mask):
    scores = scores_of(normalize(query, dim=-1), normalize(source, dim=-1))
    return context_of(scores.masked_fill(~mask, float("-inf")).softmax(-1), source)


def mean_context(query, source, mask):
    weights = scores_of(query, source).masked_fill(~mask, float("-inf")).softmax(-1)
    return weights, source.mean(dim=1)


def exponentials(query, source, mask):
    return context_of(scores_of(query, source).exp().masked_fill(~mask, 0.0), source)


def padding_only(query, source, mask):
    return context_of(scores_of(query, source).masked_fill(mask, float("-inf")).softmax(-1), source)


WRONG = [
    (no_mask, "padding gets weight"),
    (mask_afterwards, "the mask comes after the softmax"),
    (zero_scores, "a masked score of 0"),
    (over_the_batch, "the softmax runs over the batch"),
    (scaled, "the scores are scaled"),
    (cosines, "the scores are cosines"),
    (mean_context, "the plain mean of the states"),
    (exponentials, "not divided by the sum of the weights"),
    (padding_only, "the mask is turned round"),
]
