"""Exercise 6.7: BLEU for one sentence. Source: Papineni et al. 2002, Bleu: a Method for Automatic Evaluation of Machine
Translation, ACL, sections 2.1 (clipped precision), 2.2 and 2.3 (brevity penalty)."""

import math
from collections import Counter

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def sentence_bleu(hypothesis: list[str], reference: list[str], orders: int) -> float:
    """0 to 1. hypothesis, reference: words; orders: n-grams of 1 to `orders` words. hypothesis has at least `orders`
    words; 0 if there is an order without any right n-gram"""
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


def _bleu(precision=_clipped, mean=_root, penalty=lambda c, r: min(1.0, math.exp(1 - r / c))):
    """precision(n-grams of the hypothesis, of the reference); penalty(length, reference's length)."""

    def model(hypothesis, reference, orders):
        precisions = [precision(_grams(hypothesis, n), _grams(reference, n)) for n in range(1, orders + 1)]
        return penalty(len(hypothesis), len(reference)) * mean(precisions)

    return model


def _probe(shows, hypothesis, reference, orders):
    return Probe(shows, (hypothesis.split(), reference.split(), orders))


EXERCISE = Exercise(
    id="6.7",
    title="BLEU of one sentence",
    difficulty=3,
    importance=3,
    minutes=15,
    question="""
        What share of a translation's $n$-grams stand in the reference? Each $n$-gram counts **at most as often as the
        reference has it**. Take the geometric mean of these precisions for $n = 1$ to `orders`. A short translation
        has an easy life with precision, so multiply by $\\min(1, e^{1 - r/c})$; $c$ is the length of the translation
        and $r$ that of the reference. If an order has no hit at all, the result is 0.
        Before you run it: the translation is *the the the the the the the*, the reference *the cat is on the mat*.
        What is the precision of single words, with and without the limit?
    """,
    solution=sentence_bleu,
    why="2/7 with the limit, 7/7 without: that is the example of the paper. For a whole corpus the hits of all "
    "sentences are added up before dividing. A mean over sentences would be another number, and one sentence without a "
    "4-gram would count as 0.",
    hints=(
        "For each n: how many n-grams has the translation, and how many of them may count?",
        "Count the n-grams of both sides. For each n-gram the smaller of the two counts is what may count.",
        "A Counter of tuples for each side; the sum of the smaller counts divided by the number of n-grams of the "
        "translation; the n-th root of the product; the penalty at the end.",
    ),
    probes=(
        _probe("one word again and again", "the the the the the the the", "the cat is on the mat", 1),
        _probe("too short", "the bakery changed", "the bakery changed its old recipe", 2),
        _probe(
            "too long",
            "on the old mat the cat is on the old mat now",
            "the cat is on the old mat",
            3,
        ),
        _probe("one word is wrong", "its customers stayed with the shop", "its customers stayed with the bakery", 4),
        _probe("repeated words in both", "snow and snow and ice and", "snow and ice and snow fell and ice", 2),
        _probe("right", "the customers stayed at home", "the customers stayed at home", 4),
        _probe("no pair is right", "stayed customers the", "the customers stayed", 2),
    ),
    mistakes=(
        Mistake(
            "not clipped",
            "A word that is said seven times counts seven times, though the reference has it less often.",
            model=_bleu(lambda ours, theirs: sum(gram in theirs for gram in ours) / len(ours)),
        ),
        Mistake(
            "each n-gram counts once at most",
            "An n-gram that both sides have twice counts only once. The limit is the reference's count.",
            model=_bleu(lambda ours, theirs: len({*ours} & {*theirs}) / len(ours)),
        ),
        Mistake(
            "sets of n-grams",
            "How often an n-gram stands in the translation has no influence.",
            model=_bleu(lambda ours, theirs: len({*ours} & {*theirs}) / len({*ours})),
        ),
        Mistake(
            "recall instead of precision",
            "The hits are divided by the reference's n-grams. BLEU divides by those of the translation.",
            model=_bleu(lambda ours, theirs: (Counter(ours) & Counter(theirs)).total() / len(theirs)),
        ),
        Mistake(
            "no penalty for a short translation",
            "Three right words of a long sentence get the full score.",
            model=_bleu(penalty=lambda c, r: 1),
        ),
        Mistake(
            "a bonus for a long translation",
            "The factor goes above 1. A long translation already pays with its precision.",
            model=_bleu(penalty=lambda c, r: math.exp(1 - r / c)),
        ),
        Mistake(
            "the penalty hits the long one",
            "r and c are exchanged: the short translation goes free.",
            model=_bleu(penalty=lambda c, r: min(1, math.exp(1 - c / r))),
        ),
        Mistake(
            "the penalty is the plain ratio",
            "The penalty is c / r. BLEU's falls faster, as an exponential.",
            model=_bleu(penalty=lambda c, r: min(1, c / r)),
        ),
        Mistake(
            "the arithmetic mean",
            "The precisions are added. With a geometric mean one low order pulls the whole score down.",
            model=_bleu(mean=lambda precisions: sum(precisions) / len(precisions)),
        ),
        Mistake(
            "the root is missing",
            "The precisions are multiplied, and that is all. More orders would always give a lower score.",
            model=_bleu(mean=math.prod),
        ),
        Mistake(
            "only the longest n-grams",
            "The score comes from one order. All from 1 to `orders` take part.",
            model=_bleu(mean=lambda precisions: precisions[-1]),
        ),
        Mistake(
            "100 times too large",
            "The score runs from 0 to 1 here. Papers print it from 0 to 100.",
            seen=lambda got, expected, *_: expected > 0 and math.isclose(got, 100 * expected, rel_tol=1e-4),
        ),
    ),
)
