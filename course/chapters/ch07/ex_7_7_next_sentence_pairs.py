"""Exercise 7.7: pairs for next-sentence prediction. Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task
2."""

from itertools import pairwise

from course.check.exercise import Exercise, Probe


def next_sentence_pairs(
    documents: list[list[str]], coins: list[float], draws: list[float]
) -> list[tuple[str, str, bool]]:
    """(first, second, does the second follow?) for each sentence that has a next one, in order. documents: their
    sentences; coins, draws: random numbers, 0 or more and below 1; pair i uses coins[i] and draws[i], more are left.
    next_sentence_pairs([["A", "B"], ["C", "D"]], [0.9, 0.1], [0.6, 0.2]) -> [("A", "D", False), ("C", "D", True)]"""
    pairs = []
    for own, document in enumerate(documents):
        for first, true in pairwise(document):
            coin, draw = coins[len(pairs)], draws[len(pairs)]
            pool = [s for other, sentences in enumerate(documents) if other != own for s in sentences if s != true]
            second = true if coin < 0.5 else pool[int(draw * len(pool))]
            pairs.append((first, second, coin < 0.5))
    return pairs


def _elsewhere(documents, d, s):
    return [sentence for other, document in enumerate(documents) if other != d for sentence in document]


def _in_own(documents, d, s):
    return [sentence for place, sentence in enumerate(documents[d]) if place not in (s, s + 1)] or documents[d]


def _next_document(documents, d, s):
    return [x for x in documents[(d + 1) % len(documents)] if x != documents[d][s + 1]]


def _in_unequal(documents, d, s):
    """Documents are told apart by what stands in them."""
    return [x for document in documents if document != documents[d] for x in document if x != documents[d][s + 1]]


def _all_but_the_true_one(documents, d, s):
    return [x for document in documents for x in document if x != documents[d][s + 1]]


def _but_all(documents, d, s):
    return [sentence for sentence in _elsewhere(documents, d, s) if sentence != documents[d][s + 1]]


def _but_one(documents, d, s):
    """Of the sentences that read the same as the true next one only the first is left out."""
    sentences, true = _elsewhere(documents, d, s), documents[d][s + 1]
    if true in sentences:
        sentences.remove(true)
    return sentences


def _labelled(names):
    """names: what stands for False and True."""
    return lambda *a: [(first, second, names[follows]) for first, second, follows in next_sentence_pairs(*a)]


def _drawn_from(pool):
    """pool(documents, number of the document, number of the sentence)"""

    def model(documents, coins, draws):
        firsts = [(d, s) for d, document in enumerate(documents) for s in range(len(document) - 1)]
        pairs = []
        for (d, s), coin, draw in zip(firsts, coins, draws, strict=False):
            sentences, true = pool(documents, d, s), documents[d][s + 1]
            second = true if coin < 0.5 else sentences[int(draw * len(sentences))]
            pairs.append((documents[d][s], second, coin < 0.5))
        return pairs

    return model


def _counted_apart(documents, coins, draws):
    numbers = iter(draws)
    return next_sentence_pairs(documents, coins, [next(numbers) if coin >= 0.5 else 0.0 for coin in coins])


def _from_the_beginning(documents, coins, draws):
    """In each document the pairs are counted anew."""
    order = [s for document in documents for s in range(len(document) - 1)]
    return next_sentence_pairs(documents, [coins[s] for s in order], [draws[s] for s in order])


def _with_true_next(documents, coins, draws):
    true = next_sentence_pairs(documents, [0.0] * len(coins), draws)
    return [(first, second, coin < 0.5) for (first, second, _), coin in zip(true, coins, strict=False)]


def _over_the_border(documents, coins, draws):
    """All sentences in one row: the last of a document is followed by the first of the next."""
    row = [(d, sentence) for d, document in enumerate(documents) for sentence in document]
    pairs = []
    for ((d, first), (_, true)), coin, draw in zip(pairwise(row), coins, draws, strict=False):
        pool = [sentence for sentence in _elsewhere(documents, d, 0) if sentence != true]
        pairs.append((first, true if coin < 0.5 else pool[int(draw * len(pool))], coin < 0.5))
    return pairs


def _both_for_each(documents, coins, draws):
    kinds = (next_sentence_pairs(documents, [coin] * len(coins), draws) for coin in (0.0, 0.9))
    return [pair for both in zip(*kinds, strict=True) for pair in both]


_SHIP = ["They took the ship.", "The sea was calm.", "They slept."]
_PEAR = ["She cut a pear.", "It was sweet.", "She ate it.", "Then she left."]
_SNOW = ["Snow fell.", "The roads closed."]
_SHORT = ["One line only."]
_AGAIN = ["The bus came.", "It was sweet.", "They slept."]
PROBES = [
    Probe("two documents", [_SHIP, _PEAR], [0.7, 0.1, 0.9, 0.4, 0.6, 0.3], [0.9, 0.2, 0.1, 0.5, 0.99, 0.7]),
    Probe(
        "three documents, one of a single sentence",
        [_SNOW, _SHORT, _SHIP, _PEAR],
        [0.8, 0.55, 0.95, 0.2, 0.5, 0.49, 0.1, 0.7, 0.6],
        [0.3, 0.85, 0.05, 0.65, 0.45, 0.15, 0.2, 0.6, 0.7],
    ),
    Probe(
        "another document has the same sentence",
        [_PEAR, _AGAIN, _SHIP],
        [0.6, 0.9, 0.3, 0.8, 0.7, 0.2, 0.95, 0.1, 0.6],
        [0.2, 0.4, 0.1, 0.9, 0.95, 0.6, 0.55, 0.35, 0.3],
    ),
    Probe(
        "two other documents have the same sentence",
        [_PEAR, _AGAIN, ["It was sweet.", "They slept."]],
        [0.6, 0.9, 0.3, 0.8, 0.7, 0.2],
        [0.3, 0.4, 0.1, 0.9, 0.95, 0.6],
    ),
    Probe("two documents are equal", [_SNOW, _SHIP, _SNOW], [0.7, 0.9, 0.2, 0.8, 0.1], [0.9, 0.3, 0.5, 0.99, 0.2]),
]
MISTAKES = [
    ("negatives from the same document", _drawn_from(_in_own)),
    ("negatives from anywhere", _drawn_from(lambda documents, *_: [s for document in documents for s in document])),
    ("negatives from anywhere but the true one", _drawn_from(_all_but_the_true_one)),
    ("negatives from the next document only", _drawn_from(_next_document)),
    ("a negative reads like the true next one", _drawn_from(_elsewhere)),
    ("an equal document is left out", _drawn_from(_in_unequal)),
    ("only one that reads the same is left out", _drawn_from(_but_one)),
    (
        "equal sentences of the pool count once",
        _drawn_from(lambda *a: list(dict.fromkeys(_but_all(*a)))),
        _drawn_from(lambda *a: sorted({*_but_all(*a)})),
    ),
    ("the last of the pool is never drawn", _drawn_from(lambda *a: _but_all(*a)[:-1])),
    ("each document begins with the first number", _from_the_beginning),
    ("always the same negative", lambda documents, coins, draws: next_sentence_pairs(documents, coins, [0] * 99)),
    ("the draws are counted apart", _counted_apart),
    ("the label is turned round", lambda *a: [(*pair, not follows) for *pair, follows in next_sentence_pairs(*a)]),
    ("the coin is turned round", lambda docs, coins, *a: next_sentence_pairs(docs, [c < 0.5 for c in coins], *a)),
    ("every label is True", lambda *a: [(*pair, True) for *pair, _ in next_sentence_pairs(*a)]),
    ("the true next sentence every time", _with_true_next),
    ("taking turns", lambda docs, coins, *a: next_sentence_pairs(docs, [i % 2 for i in range(99)], *a)),
    ("across the border of a document", _over_the_border),
    ("both pairs for each sentence", _both_for_each),
    ("0 and 1 instead of True and False", _labelled((0, 1)), _labelled((1, 0))),
]
EXERCISE = Exercise("7.7", next_sentence_pairs, PROBES, MISTAKES, difficulty=2, importance=3, minutes=12)
