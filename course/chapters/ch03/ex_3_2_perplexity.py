"""Exercise 3.2: from log-probabilities to perplexity. Source: Jelinek et al. 1977 (the measure)."""

import math

from course.check.exercise import Exercise, Probe


def perplexity(log_probs: list[list[float]]) -> tuple[float, float]:
    """(bits per word, perplexity) of a text. log_probs: per sentence, ln p of each word; the last is that of </s>.
    perplexity([[math.log(0.5), math.log(0.125)]]) -> (2.0, 4.0)"""
    every = [log_p for sentence in log_probs for log_p in sentence]
    nats = -sum(every) / len(every)
    return nats / math.log(2), math.exp(nats)


def _both(nats):
    return nats / math.log(2), math.exp(nats) if nats < 700 else math.inf


def _flat(log_probs):
    return [log_p for sentence in log_probs for log_p in sentence]


def _mean(values):
    return sum(values) / len(values)


def _of_mean(numbers):
    """numbers(mean of -ln p)"""
    return lambda log_probs: numbers(-_mean(_flat(log_probs)))


def _product(log_probs):
    """The root of 1 / p of the whole text, as floats have it."""
    p = math.exp(sum(_flat(log_probs)))
    return perplexity(log_probs) if p else (math.inf, math.inf)


PROBES = [
    Probe("one sentence, each word with probability 1/8", [[math.log(1 / 8)] * 5]),
    Probe("a short and a long sentence", [[-0.5, -0.25], [-4.0, -2.5, -0.5, -6.0, -0.125]]),
    Probe("three sentences", [[-1.0, -2.0, -0.1], [-7.0, -0.2], [-3.0, -5.0, -1.5, -0.3]]),
    Probe("a text so long that its probability is 0 as a float", [[-2.0, -3.0, -4.0] * 50, [-1.0, -2.0] * 150]),
]
MISTAKES = [
    (
        "nats and bits are mixed",
        _of_mean(lambda nats: (nats / math.log(2), 2**nats)),
        _of_mean(lambda nats: (nats / math.log(2), math.exp(nats / math.log(2)))),
    ),
    ("the two numbers are exchanged", lambda s: perplexity(s)[::-1]),
    ("the first number is in nats", _of_mean(lambda nats: (nats, math.exp(nats)))),
    ("bits by a product", _of_mean(lambda nats: (nats * math.log(2), math.exp(nats)))),
    ("each sentence counts alike", lambda s: _both(-_mean([_mean(part) for part in s]))),
    ("perplexities are averaged", lambda s: tuple(map(_mean, zip(*[perplexity([part]) for part in s], strict=True)))),
    ("</s> is left out", lambda s: perplexity([part[:-1] for part in s])),
    ("</s> is in the sum, but not in the count", lambda s: _both(-sum(_flat(s)) / (len(_flat(s)) - len(s)))),
    ("the sum instead of the mean", lambda s: _both(-sum(_flat(s)))),
    ("the probabilities are multiplied", _product),
    ("the sign is missing", _of_mean(lambda nats: _both(-nats))),
    ("the mean of the probabilities", lambda s: _both(-math.log(_mean([math.exp(x) for x in _flat(s)])))),
]
EXERCISE = Exercise("3.2", perplexity, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
