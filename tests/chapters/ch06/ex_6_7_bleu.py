"""Wrong answers to exercise 6.7 as readers write them, each with the mistake that must be named."""

import math


def grams(words, n):
    return list(zip(*(words[i:] for i in range(n)), strict=False))


def hits(ours, theirs):
    """Each n-gram of the reference is used up by the one that matches it."""
    left, right = list(theirs), 0
    for gram in ours:
        if gram in left:
            left.remove(gram)
            right += 1
    return right


def clipped(hypothesis, reference, n):
    ours = grams(hypothesis, n)
    return hits(ours, grams(reference, n)) / len(ours)


def precisions(hypothesis, reference, orders, share=clipped):
    return [share(hypothesis, reference, n) for n in range(1, orders + 1)]


def geometric(shares):
    return 0.0 if 0 in shares else math.exp(sum(map(math.log, shares)) / len(shares))


def short(hypothesis, reference):
    c, r = len(hypothesis), len(reference)
    return 1.0 if c >= r else math.exp(1 - r / c)


def score(hypothesis, reference, orders, share=clipped):
    return short(hypothesis, reference) * geometric(precisions(hypothesis, reference, orders, share))


def unclipped(hypothesis, reference, orders):
    def share(ours, theirs, n):
        found = [gram for gram in grams(ours, n) if gram in grams(theirs, n)]
        return len(found) / len(grams(ours, n))

    return score(hypothesis, reference, orders, share)


def at_most_once(hypothesis, reference, orders):
    def share(ours, theirs, n):
        return len(set(grams(ours, n)).intersection(grams(theirs, n))) / len(grams(ours, n))

    return score(hypothesis, reference, orders, share)


def sets(hypothesis, reference, orders):
    def share(ours, theirs, n):
        own = set(grams(ours, n))
        return len(own.intersection(grams(theirs, n))) / len(own)

    return score(hypothesis, reference, orders, share)


def recall(hypothesis, reference, orders):
    def share(ours, theirs, n):
        return hits(grams(ours, n), grams(theirs, n)) / len(grams(theirs, n))

    return score(hypothesis, reference, orders, share)


def no_penalty(hypothesis, reference, orders):
    return geometric(precisions(hypothesis, reference, orders))


def bonus(hypothesis, reference, orders):
    factor = math.exp(1 - len(reference) / len(hypothesis))
    return factor * geometric(precisions(hypothesis, reference, orders))


def long_pays(hypothesis, reference, orders):
    return short(reference, hypothesis) * geometric(precisions(hypothesis, reference, orders))


def ratio(hypothesis, reference, orders):
    return min(1.0, len(hypothesis) / len(reference)) * geometric(precisions(hypothesis, reference, orders))


def arithmetic(hypothesis, reference, orders):
    return short(hypothesis, reference) * sum(precisions(hypothesis, reference, orders)) / orders


def product(hypothesis, reference, orders):
    return short(hypothesis, reference) * math.prod(precisions(hypothesis, reference, orders))


def longest(hypothesis, reference, orders):
    return short(hypothesis, reference) * clipped(hypothesis, reference, orders)


def percent(hypothesis, reference, orders):
    return 100 * score(hypothesis, reference, orders)


WRONG = [
    (unclipped, "not clipped"),
    (at_most_once, "each n-gram counts once at most"),
    (sets, "sets of n-grams"),
    (recall, "recall instead of precision"),
    (no_penalty, "no penalty for a short translation"),
    (bonus, "a bonus for a long translation"),
    (long_pays, "the penalty hits the long one"),
    (ratio, "the penalty is the plain ratio"),
    (arithmetic, "the arithmetic mean"),
    (product, "the root is missing"),
    (longest, "only the longest n-grams"),
    (percent, "100 times too large"),
]
