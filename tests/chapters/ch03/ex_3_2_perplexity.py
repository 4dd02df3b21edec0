"""Wrong answers to exercise 3.2 as readers write them, each with the mistake that must be named."""

import math

import torch


def flat(log_probs):
    return torch.cat([torch.tensor(sentence) for sentence in log_probs])


def of_mean(numbers):
    """numbers(mean of -log p)."""
    return lambda log_probs: numbers(-flat(log_probs).mean())


def averaged(mean):
    """mean(log_probs): what is taken for the mean of -log p; bits and perplexity of it are right."""
    return lambda log_probs: (mean(log_probs) / math.log(2), math.exp(mean(log_probs)))


def mean_of_perplexities(log_probs):
    means = -torch.stack([torch.tensor(s).mean() for s in log_probs])
    return (means / math.log(2)).mean(), means.exp().mean()


def wrong_count(log_probs):
    return -sum(map(sum, log_probs)) / sum(len(s) - 1 for s in log_probs)


def of_mean_probability(log_probs):
    p = flat(log_probs).exp().mean()
    return -p.log2(), 1 / p


WRONG = [
    (of_mean(lambda nats: (nats / math.log(2), 2**nats)), "nats and bits are mixed"),
    (of_mean(lambda nats: (nats / math.log(2), (nats / math.log(2)).exp())), "nats and bits are mixed"),
    (of_mean(lambda nats: (nats, nats.exp())), "the first number is in nats"),
    (averaged(lambda text: -torch.stack([torch.tensor(s).mean() for s in text]).mean()), "each sentence counts alike"),
    (mean_of_perplexities, "perplexities are averaged"),
    (averaged(lambda log_probs: -torch.tensor([x for s in log_probs for x in s[:-1]]).mean()), "</s> is left out"),
    (averaged(wrong_count), "</s> is in the sum, but not in the count"),
    (averaged(lambda log_probs: -sum(map(sum, log_probs))), "the sum instead of the mean"),
    (averaged(lambda log_probs: flat(log_probs).mean()), "the sign is missing"),
    (of_mean_probability, "the mean of the probabilities"),
]
