"""Wrong answers to exercise 7.7 as readers write them, each with the mistake that must be named."""


def neighbours(documents):
    """(number of the document, first, its true next) of each pair."""
    for number, document in enumerate(documents):
        for i in range(1, len(document)):
            yield number, document[i - 1], document[i]


def rest(documents, number):
    return [sentence for document in documents[:number] + documents[number + 1 :] for sentence in document]


def pick(sentences, draw):
    return sentences[int(len(sentences) * draw)]


def own_document(documents, coins, draws):
    pairs = []
    for (number, first, true), coin, draw in zip(neighbours(documents), coins, draws, strict=False):
        others = [s for s in documents[number] if s not in (first, true)] or documents[number]
        pairs.append((first, true, True) if coin < 0.5 else (first, pick(others, draw), False))
    return pairs


def whole_corpus(documents, coins, draws):
    every = [sentence for document in documents for sentence in document]
    return [
        (first, true, True) if coin < 0.5 else (first, pick(every, draw), False)
        for (_, first, true), coin, draw in zip(neighbours(documents), coins, draws, strict=False)
    ]


def following_document(documents, coins, draws):
    pairs = []
    for (number, first, true), coin, draw in zip(neighbours(documents), coins, draws, strict=False):
        there = documents[number + 1] if number + 1 < len(documents) else documents[0]
        there = [s for s in there if s != true]
        pairs.append((first, true, True) if coin < 0.5 else (first, pick(there, draw), False))
    return pairs


def same_text_allowed(documents, coins, draws):
    return [
        (first, true, True) if coin < 0.5 else (first, pick(rest(documents, number), draw), False)
        for (number, first, true), coin, draw in zip(neighbours(documents), coins, draws, strict=False)
    ]


def right(documents, coins, draws):
    pairs = []
    for i, (number, first, true) in enumerate(neighbours(documents)):
        pool = list(filter(true.__ne__, rest(documents, number)))
        pairs.append((first, true, True) if coins[i] < 0.5 else (first, pick(pool, draws[i]), False))
    return pairs


def first_of_the_pool(documents, coins, draws):
    return right(documents, coins, [0.0 for _ in draws])


def next_draw(documents, coins, draws):
    numbers, pairs = iter(draws), []
    for (number, first, true), coin in zip(neighbours(documents), coins, strict=False):
        pool = [s for s in rest(documents, number) if s != true]
        pairs.append((first, true, True) if coin < 0.5 else (first, pick(pool, next(numbers)), False))
    return pairs


def label_of_the_drawn(documents, coins, draws):
    return [(first, second, not follows) for first, second, follows in right(documents, coins, draws)]


def above(documents, coins, draws):
    return right(documents, [0.0 if coin >= 0.5 else 1.0 for coin in coins], draws)


def always_yes(documents, coins, draws):
    return [(first, second, True) for first, second, _ in right(documents, coins, draws)]


def always_true_next(documents, coins, draws):
    return [(first, true, coin < 0.5) for (_, first, true), coin in zip(neighbours(documents), coins, strict=False)]


def every_second(documents, coins, draws):
    return right(documents, [(i % 2) / 1.5 for i in range(len(coins))], draws)


def one_long_text(documents, coins, draws):
    text = [(number, sentence) for number, document in enumerate(documents) for sentence in document]
    pairs = []
    for i in range(len(text) - 1):
        (number, first), (_, true) = text[i], text[i + 1]
        pool = [s for s in rest(documents, number) if s != true]
        pairs.append((first, true, True) if coins[i] < 0.5 else (first, pick(pool, draws[i]), False))
    return pairs


def two_for_each(documents, coins, draws):
    pairs = []
    for (number, first, true), draw in zip(neighbours(documents), draws, strict=False):
        pool = [s for s in rest(documents, number) if s != true]
        pairs += [(first, true, True), (first, pick(pool, draw), False)]
    return pairs


def numbers(documents, coins, draws):
    return [(first, second, int(follows)) for first, second, follows in right(documents, coins, draws)]


WRONG = [
    (own_document, "negatives from the same document"),
    (whole_corpus, "negatives from anywhere"),
    (following_document, "negatives from the next document only"),
    (same_text_allowed, "a negative reads like the true next one"),
    (first_of_the_pool, "always the same negative"),
    (next_draw, "the draws are counted apart"),
    (label_of_the_drawn, "the label is turned round"),
    (above, "the coin is turned round"),
    (always_yes, "every label is True"),
    (always_true_next, "the true next sentence every time"),
    (every_second, "taking turns"),
    (one_long_text, "across the border of a document"),
    (two_for_each, "both pairs for each sentence"),
    (numbers, "0 and 1 instead of True and False"),
]
