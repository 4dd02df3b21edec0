"""Wrong answers to exercise 3.2 as readers write them, each with the mistake that must be named."""

import math

import torch


def flat(log_probs):
    return torch.cat([torch.tensor(sentence) for sentence in log_probs])


def base_two(log_probs):
    nats = -flat(log_probs).mean()
    return nats / math.log(2), 2**nats


def exp_of_bits(log_probs):
    bits = -flat(log_probs).mean() / math.log(2)
    return bits, bits.exp()


def nats(log_probs):
    mean = -flat(log_probs).mean()
    return mean, mean.exp()


def mean_of_means(log_probs):
    mean = -torch.stack([torch.tensor(s).mean() for s in log_probs]).mean()
    return mean / math.log(2), mean.exp()


def mean_of_perplexities(log_probs):
    means = -torch.stack([torch.tensor(s).mean() for s in log_probs])
    return (means / math.log(2)).mean(), means.exp().mean()


def words_only(log_probs):
    mean = -torch.tensor([x for s in log_probs for x in s[:-1]]).mean()
    return mean / math.log(2), mean.exp()


def wrong_count(log_probs):
    mean = -sum(map(sum, log_probs)) / sum(len(s) - 1 for s in log_probs)
    return mean / math.log(2), math.exp(mean)


def total(log_probs):
    nats = -sum(map(sum, log_probs))
    return nats / math.log(2), math.exp(nats)


def no_minus(log_probs):
    mean = sum(map(sum, log_probs)) / sum(map(len, log_probs))
    return mean / math.log(2), math.exp(mean)


def of_mean_probability(log_probs):
    p = flat(log_probs).exp().mean()
    return -p.log2(), 1 / p


WRONG = [
    (base_two, "nats and bits are mixed"),
    (exp_of_bits, "nats and bits are mixed"),
    (nats, "the first number is in nats"),
    (mean_of_means, "each sentence counts alike"),
    (mean_of_perplexities, "perplexities are averaged"),
    (words_only, "</s> is left out"),
    (wrong_count, "</s> is in the sum, but not in the count"),
    (total, "the sum instead of the mean"),
    (no_minus, "the sign is missing"),
    (of_mean_probability, "the mean of the probabilities"),
]
