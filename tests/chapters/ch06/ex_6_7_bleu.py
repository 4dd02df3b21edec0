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


def clipped(ours, theirs):
    return hits(ours, theirs) / len(ours)


def precisions(hypothesis, reference, orders, share=clipped):
    return [share(grams(hypothesis, n), grams(reference, n)) for n in range(1, orders + 1)]


def geometric(shares):
    return 0.0 if 0 in shares else math.exp(sum(map(math.log, shares)) / len(shares))


def short(c, r):
    return 1.0 if c >= r else math.exp(1 - r / c)


def score(share=clipped, penalty=short, mean=geometric):
    """share(n-grams of the hypothesis, of the reference); penalty(their lengths); mean(shares)."""
    return lambda hypothesis, reference, orders: (
        penalty(len(hypothesis), len(reference)) * mean(precisions(hypothesis, reference, orders, share))
    )


WRONG = [
    (score(lambda ours, theirs: sum(gram in theirs for gram in ours) / len(ours)), "not clipped"),
    (score(lambda ours, theirs: len({*ours} & {*theirs}) / len(ours)), "each n-gram counts once at most"),
    (score(lambda ours, theirs: len(set(ours).intersection(theirs)) / len(set(ours))), "sets of n-grams"),
    (score(lambda ours, theirs: hits(ours, theirs) / len(theirs)), "recall instead of precision"),
    (score(penalty=lambda c, r: 1), "no penalty for a short translation"),
    (score(penalty=lambda c, r: math.exp(1 - r / c)), "a bonus for a long translation"),
    (score(penalty=lambda c, r: short(r, c)), "the penalty hits the long one"),
    (score(penalty=lambda c, r: min(1.0, c / r)), "the penalty is the plain ratio"),
    (score(mean=lambda shares: sum(shares) / len(shares)), "the arithmetic mean"),
    (score(mean=math.prod), "the root is missing"),
    (score(mean=lambda shares: shares[-1]), "only the longest n-grams"),
    (lambda *inputs: 100 * score()(*inputs), "100 times too large"),
]
