"""Exercise 3.2: from log-probabilities to perplexity. Source: Jelinek et al. 1977 (the measure)."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def perplexity(log_probs: list[list[float]]) -> tuple[float, float]:
    """(bits per word, perplexity) of a text. log_probs: per sentence, ln p of each word; the last is that of </s>."""
    every = [log_p for sentence in log_probs for log_p in sentence]
    nats = -sum(every) / len(every)
    return nats / math.log(2), math.exp(nats)


def _both(nats):
    return nats / math.log(2), math.exp(nats)


def _flat(log_probs):
    return [log_p for sentence in log_probs for log_p in sentence]


def _mean(values):
    return sum(values) / len(values)


EXERCISE = Exercise(
    id="3.2",
    title="Perplexity from log-probabilities",
    difficulty=2,
    importance=5,
    minutes=8,
    question="""
        How surprised is a language model by a text? Take the mean of $-\\ln p$ over all words it had to predict,
        the `</s>` at the end of each sentence among them. The mean is in **nats**; divided by $\\ln 2$ it is in
        **bits**. Its exponential is the **perplexity**: among how many equally likely words the model seems to choose.
        Return the bits per word and the perplexity.
        Before you run it: a model gives each of 1024 words the same probability. What are its two numbers?
    """,
    solution=perplexity,
    why="One mean over all words of the text, so a long sentence counts for more. e to the nats and 2 to the bits are "
    "the same number: with 1024 equal words it is 10 bits, and perplexity 1024.",
    hints=(
        "First forget the sentences: all log-probabilities belong to one long list.",
        "Take the mean once, with a minus. Then there are two ways to say it: bits, and perplexity.",
        "The logarithms are natural. So the exponential with base e undoes them; only the first number needs ln 2.",
    ),
    probes=(
        Probe("one sentence, each word with probability 1/8", ([[math.log(1 / 8)] * 5],)),
        Probe("a short and a long sentence", ([[-0.5, -0.25], [-4.0, -2.5, -3.0, -6.0, -0.125]],)),
        Probe("three sentences", ([[-1.0, -2.0, -0.1], [-7.0, -0.2], [-3.0, -5.0, -1.5, -0.3]],)),
    ),
    mistakes=(
        *several_ways(
            "nats and bits are mixed",
            "A logarithm to base e is turned back with the base 2, or the other way round. If each of 8 words has "
            "probability 1/8, the text should come out at 3 bits and perplexity 8.",
            lambda s: (_both(-_mean(_flat(s)))[0], 2 ** -_mean(_flat(s))),
            lambda s: (_both(-_mean(_flat(s)))[0], math.exp(_both(-_mean(_flat(s)))[0])),
        ),
        Mistake(
            "the first number is in nats",
            "The perplexity is right. The first number is a mean of natural logarithms; bits were asked for.",
            model=lambda s: (-_mean(_flat(s)), math.exp(-_mean(_flat(s)))),
        ),
        Mistake(
            "bits by a product",
            "The perplexity is right. A bit is smaller than a nat, so a text has more bits than nats.",
            model=lambda s: (-_mean(_flat(s)) * math.log(2), math.exp(-_mean(_flat(s)))),
        ),
        Mistake(
            "each sentence counts alike",
            "You average means of sentences. A sentence of two words then weighs as much as one of five.",
            model=lambda s: _both(-_mean([_mean(part) for part in s])),
        ),
        Mistake(
            "perplexities are averaged",
            "You average after the exponential: one bad sentence decides. Average the logarithms.",
            model=lambda s: tuple(_mean(pair) for pair in zip(*[perplexity([part]) for part in s], strict=True)),
        ),
        Mistake(
            "</s> is left out",
            "The last value of each sentence is missing. To know when a sentence ends is part of the model's work.",
            model=lambda s: perplexity([part[:-1] for part in s]),
        ),
        Mistake(
            "</s> is in the sum, but not in the count",
            "You divide by the number of words without </s>, but its log-probability is in the sum.",
            model=lambda s: _both(-sum(_flat(s)) / (len(_flat(s)) - len(s))),
        ),
        Mistake(
            "the sum instead of the mean",
            "A text twice as long gets a larger value. Per word means: divided by the number of words.",
            model=lambda s: _both(-sum(_flat(s))),
        ),
        Mistake(
            "the sign is missing",
            "The perplexity is below 1. The least surprised model of all has perplexity 1.",
            model=lambda s: _both(_mean(_flat(s))),
        ),
        Mistake(
            "the mean of the probabilities",
            "You average probabilities, and take the logarithm after. One word with probability near 0 should hurt.",
            model=lambda s: _both(-math.log(_mean([math.exp(x) for x in _flat(s)]))),
        ),
    ),
)
