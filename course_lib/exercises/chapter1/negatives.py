"""Exercise 1.2: what negatives are drawn from. Source: Mikolov et al. 2013, arXiv:1310.4546, section 2.2."""

import math

from course_lib.exercises.exercise import Exercise, Mistake, Probe, several_ways


def negative_distribution(counts: dict[str, int], power: float = 0.75) -> dict[str, float]:
    """Probability of each word to be drawn as a negative: proportional to count ** power."""
    total = sum(count**power for count in counts.values())
    return {word: count**power / total for word, count in counts.items()}


def _shares(counts, weight, total=None):
    weights = {word: weight(count) for word, count in counts.items()}
    total = sum(weights.values()) if total is None else total
    return {word: w / total for word, w in weights.items()}


EXERCISE = Exercise(
    id="1.2",
    title="How negatives are drawn",
    difficulty=1,
    importance=4,
    minutes=5,
    question="""
        Negative words are drawn at random, but not uniformly: word2vec raises each count to the power 3/4 and makes
        probabilities of the results. Write that for a dictionary of counts, with the power as a parameter.
        Before you run it: does the power make a rare word more likely to be drawn, or less?
    """,
    solution=negative_distribution,
    why="The power comes first, the total of the powered counts second. Any power between 0 (all words alike) and 1 "
    "(as in the text) lies between; 3/4 lifts rare words a little.",
    hints=(
        "Probabilities are shares: every weight divided by the same number. Which number makes them sum to 1?",
        "First compute all weights, then their total, then the shares.",
        "The weight of a word is its count with the power applied. The total is a sum over these weights, not "
        "over counts.",
    ),
    probes=(
        Probe("three words, power 3/4", ({"the": 16, "bank": 3, "배": 1}, 0.75)),
        Probe("another power", ({"the": 9, "ship": 4, "left": 1, "port": 1}, 0.5)),
        Probe("power 1: as in the text", ({"눈": 5, "말": 2}, 1.0)),
    ),
    mistakes=(
        *several_ways(
            "divides by the vocabulary size",
            "The values do not sum to 1. A share is taken of the total of all words' weights, not of the number of "
            "words.",
            lambda c, p: _shares(c, lambda n: n**p, len(c)),
            lambda c, p: _shares(c, lambda n: (n / len(c)) ** p, 1),
            lambda c, p: _shares(c, lambda n: n, len(c)),
        ),
        Mistake(
            "the power is missing",
            "The values sum to 1, but they are the shares of the text itself. (A factor would cancel out; a "
            "power does not.)",
            model=lambda c, p: _shares(c, lambda n: n),
        ),
        Mistake(
            "the power is fixed",
            "With another `power` the result stays that of 3/4. Use the parameter.",
            model=lambda c, p: negative_distribution(c, 0.75),
        ),
        Mistake(
            "the power comes after the shares",
            "The values do not sum to 1: raising shares to a power changes their total. Divide last.",
            model=lambda c, p: _shares(c, lambda n: (n / sum(c.values())) ** p, 1),
        ),
        Mistake(
            "divides by the total of the plain counts",
            "The values do not sum to 1: the weights have the power, the total has not.",
            model=lambda c, p: _shares(c, lambda n: n**p, sum(c.values())),
        ),
        Mistake(
            "no division at all",
            "The values are weights; a probability distribution sums to 1.",
            model=lambda c, p: _shares(c, lambda n: n**p, 1),
        ),
        *several_ways(
            "softmax",
            "The values sum to 1, but through exponentials: doubling all counts should change nothing. Plain "
            "shares do that.",
            lambda c, p: _shares(c, lambda n: math.exp(n**p)),
            lambda c, p: _shares(c, math.exp),
        ),
        Mistake(
            "rare words become the most frequent",
            "The order of the words is turned round. The power dampens frequent words; it does not put them last.",
            model=lambda c, p: _shares(c, lambda n: n**-p),
        ),
    ),
)
