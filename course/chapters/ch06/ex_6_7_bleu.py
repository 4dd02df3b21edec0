"""Exercise 6.7: BLEU for one sentence. Source: Papineni et al. 2002, Bleu: a Method for Automatic Evaluation of Machine
Translation, ACL, sections 2.1 (clipped precision), 2.2 and 2.3 (brevity penalty)."""

import math
from collections import Counter

from course.check.exercise import HUNDREDFOLD, Exercise, Probe


def sentence_bleu(hypothesis: list[str], reference: list[str], orders: int) -> float:
    """0 to 1. hypothesis, reference: words; orders: n-grams of 1 to `orders` words. hypothesis has at least `orders`
    words; 0 if there is an order without any right n-gram.
    sentence_bleu(["a", "b"], ["a", "b", "c", "d"], 1) -> 0.3679"""
    precisions = []
    for n in range(1, orders + 1):
        ours, theirs = (
            Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1)) for words in (hypothesis, reference)
        )
        precisions.append(sum(min(count, theirs[gram]) for gram, count in ours.items()) / ours.total())
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return penalty * math.prod(precisions) ** (1 / orders)


def _grams(words, n):
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def _clipped(ours, theirs):
    return (Counter(ours) & Counter(theirs)).total() / len(ours)


def _root(precisions):
    return math.prod(precisions) ** (1 / len(precisions))


def _mean(precisions):
    return sum(precisions) / len(precisions)


def _without_zeros(precisions):
    """Orders without a hit are left out."""
    return math.prod(p for p in precisions if p) ** (1 / len(precisions))


def _all_orders_together(hypothesis, reference, orders):
    grams = [[gram for n in range(1, orders + 1) for gram in _grams(words, n)] for words in (hypothesis, reference)]
    return min(1.0, math.exp(1 - len(reference) / len(hypothesis))) * _clipped(*grams)


def _bleu(precision=_clipped, mean=_root, penalty=lambda c, r: min(1.0, math.exp(1 - r / c))):
    """precision(n-grams of the hypothesis, of the reference); penalty(length, reference's length)."""

    def model(hypothesis, reference, orders):
        precisions = [precision(_grams(hypothesis, n), _grams(reference, n)) for n in range(1, orders + 1)]
        return penalty(len(hypothesis), len(reference)) * mean(precisions)

    return model


def _probe(shows, hypothesis, reference, orders):
    return Probe(shows, hypothesis.split(), reference.split(), orders)


PROBES = [
    _probe("one word again and again", "the the the the the the the", "the cat is on the mat", 1),
    _probe("too short", "the bakery changed", "the bakery changed its old recipe", 2),
    _probe("too long", "on the old mat the cat is on the old mat now", "the cat is on the old mat", 3),
    _probe("one word is wrong", "its customers stayed with the shop", "its customers stayed with the bakery", 4),
    _probe("repeated words in both", "snow and snow and ice and", "snow and ice and snow fell and ice", 2),
    _probe("right", "the customers stayed at home", "the customers stayed at home", 4),
    _probe("no pair is right", "stayed customers a", "the customers stayed", 2),
    _probe("two words that are spelled like two others", "he is now here", "he is no where", 2),
]
MISTAKES = [
    ("not clipped", _bleu(lambda ours, theirs: sum(gram in theirs for gram in ours) / len(ours))),
    ("each n-gram counts once at most", _bleu(lambda ours, theirs: len({*ours} & {*theirs}) / len(ours))),
    ("sets of n-grams", _bleu(lambda ours, theirs: len({*ours} & {*theirs}) / len({*ours}))),
    ("recall instead of precision", _bleu(lambda ours, theirs: _clipped(theirs, ours))),
    ("no penalty for a short translation", _bleu(penalty=lambda c, r: 1)),
    ("a bonus for a long translation", _bleu(penalty=lambda c, r: math.exp(1 - r / c))),
    (
        "the penalty hits the long one",
        _bleu(penalty=lambda c, r: min(1, math.exp(1 - c / r))),
        _bleu(penalty=lambda c, r: 1 if c > r else math.exp(1 - c / r)),
    ),
    ("the penalty is the plain ratio", _bleu(penalty=lambda c, r: min(1, c / r))),
    ("the arithmetic mean", _bleu(mean=_mean), _bleu(mean=lambda precisions: _mean(precisions) * all(precisions))),
    ("the hits of all orders together", _all_orders_together),
    ("orders without a hit are left out", _bleu(mean=_without_zeros)),
    ("n-grams are glued", _bleu(lambda *sides: _clipped(*(["".join(gram) for gram in grams] for grams in sides)))),
    ("the root is missing", _bleu(mean=math.prod)),
    ("only the longest n-grams", _bleu(mean=lambda precisions: precisions[-1])),
    ("100 times too large", HUNDREDFOLD),
]
EXERCISE = Exercise("6.7", sentence_bleu, PROBES, MISTAKES, difficulty=3, importance=3, minutes=15)
