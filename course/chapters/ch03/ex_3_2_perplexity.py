"""Exercise 3.2: from log-probabilities to perplexity. Source: Jelinek et al. 1977 (the measure)."""

import math

from course.check.exercise import Exercise, Probe


def perplexity(log_probs: list[list[float]]) -> tuple[float, float]:
    """(bits per word, perplexity) of a text. log_probs: per sentence, ln p of each word; the last is that of </s>.
    perplexity([[math.log(0.5), math.log(0.125)]]) -> (2.0, 4.0)"""
    every = [log_p for sentence in log_probs for log_p in sentence]
    nats = -sum(every) / len(every)
    return nats / math.log(2), math.exp(nats)


def _mean(values):
    return sum(values) / len(values)


PROBES = [
    Probe("one sentence, each word with probability 1/8", [[math.log(1 / 8)] * 5]),
    Probe("a short and a long sentence", [[-0.5, -0.25], [-4.0, -2.5, -0.5, -6.0, -0.125]]),
    Probe("three sentences", [[-1.0, -2.0, -0.1], [-7.0, -0.2], [-3.0, -5.0, -1.5, -0.3]]),
    Probe("a text so long that its probability is 0 as a float", [[-2.0, -3.0, -4.0] * 50, [-1.0, -2.0] * 150]),
]
MISTAKES = [
    ("nats and bits are mixed", "math.exp(nats) => 2**nats", "math.exp(nats) => math.exp(nats / math.log(2))"),
    ("the two numbers are exchanged", "nats / math.log(2), math.exp(nats) => math.exp(nats), nats / math.log(2)"),
    ("the first number is in nats", " / math.log(2) => "),
    ("bits by a product", "/ math.log => * math.log"),
    (
        "each sentence counts alike",
        "sum(every) / len(every) => sum(sum(part) / len(part) for part in log_probs) / len(log_probs)",
    ),
    ("perplexities are averaged", lambda s: tuple(map(_mean, zip(*[perplexity([part]) for part in s], strict=True)))),
    ("</s> is left out", lambda s: perplexity([part[:-1] for part in s])),
    ("</s> is in the sum, but not in the count", "len(every) => (len(every) - len(log_probs))"),
    (
        "the sum instead of the mean",
        (" / len(every) => ", "math.exp(nats) => math.exp(nats) if nats < 700 else math.inf"),
    ),
    (
        "the probabilities are multiplied",
        "return => if not math.exp(sum(every)):\n        return math.inf, math.inf\n    return",
    ),
    ("the sign is missing", "-sum => sum"),
    ("the mean of the probabilities", "-sum(every) / len(every) => -math.log(sum(map(math.exp, every)) / len(every))"),
]
EXERCISE = Exercise("3.2", perplexity, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
