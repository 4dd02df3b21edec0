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


def _both_for_each(documents, coins, draws):
    kinds = (next_sentence_pairs(documents, [coin] * len(coins), draws) for coin in (0.0, 0.9))
    return [pair for both in zip(*kinds, strict=True) for pair in both]


_SHIP = ["They took the ship.", "The sea was calm.", "They slept."]
_PEAR = ["She cut a pear.", "It was sweet.", "She ate it.", "Then she left."]
_SNOW = ["Snow fell.", "The roads closed."]
_SHORT = ["One line only."]
_AGAIN = ["The bus came.", "It was sweet.", "They slept."]


def _over_the_border(documents, coins, draws):
    """All sentences in one row: the last of a document is followed by the first of the next."""
    row = [(own, sentence) for own, document in enumerate(documents) for sentence in document]
    pairs = []
    for ((own, first), (_, true)), coin, draw in zip(pairwise(row), coins, draws, strict=False):
        pool = [s for other, sentences in enumerate(documents) if other != own for s in sentences if s != true]
        pairs.append((first, true if coin < 0.5 else pool[int(draw * len(pool))], coin < 0.5))
    return pairs


_POOL = "[s for other, sentences in enumerate(documents) if other != own for s in sentences if s != true]"
_PLACE = "first, true in pairwise(document) => i, (first, true) in enumerate(pairwise(document))"


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
    (
        "negatives from the same document",
        (_PLACE, f"{_POOL} => [s for k, s in enumerate(document) if k not in (i, i + 1)] or document"),
    ),
    ("negatives from anywhere", "if other != own for s in sentences if s != true => for s in sentences"),
    ("negatives from anywhere but the true one", " if other != own => "),
    (
        "negatives from the next document only",
        f"{_POOL} => [s for s in documents[(own + 1) % len(documents)] if s != true]",
    ),
    ("a negative reads like the true next one", " if s != true => "),
    ("an equal document is left out", "other != own => sentences != document"),
    (
        "only one that reads the same is left out",
        " if s != true] => ]\n            if true in pool:\n                pool.remove(true)",
    ),
    (
        "equal sentences of the pool count once",
        f"{_POOL} => list(dict.fromkeys({_POOL}))",
        f"{_POOL} => sorted({{*{_POOL}}})",
    ),
    ("the last of the pool is never drawn", f"{_POOL} => {_POOL}[:-1]"),
    ("each document begins with the first number", (_PLACE, "[len(pairs)] => [i]")),
    ("always the same negative", "int(draw * len(pool)) => 0"),
    (
        "the draws are counted apart",
        ("pairs = [] => pairs, numbers = [], iter(draws)", "int(draw => int(next(numbers)"),
    ),
    ("the label is turned round", "second, coin < 0.5 => second, coin >= 0.5"),
    ("the coin is turned round", "coin < 0.5 => coin >= 0.5"),
    ("every label is True", "second, coin < 0.5 => second, True"),
    ("the true next sentence every time", "true if coin < 0.5 else pool[int(draw * len(pool))] => true"),
    ("taking turns", "coins[len(pairs)] => len(pairs) % 2"),
    ("across the border of a document", _over_the_border),
    ("both pairs for each sentence", _both_for_each),
    (
        "0 and 1 instead of True and False",
        "second, coin < 0.5 => second, int(coin < 0.5)",
        "second, coin < 0.5 => second, int(coin >= 0.5)",
    ),
]
EXERCISE = Exercise("7.7", next_sentence_pairs, PROBES, MISTAKES, difficulty=2, importance=3, minutes=12)
