"""Wrong answers to exercise 7.7 as readers write them, each with the mistake that must be named."""


def neighbours(documents):
    """(number of the document, first, its true next) of each pair."""
    for number, document in enumerate(documents):
        for i in range(1, len(document)):
            yield number, document[i - 1], document[i]


def rest(documents, number, first, true):
    """What a negative may be."""
    others = documents[:number] + documents[number + 1 :]
    return [sentence for document in others for sentence in document if sentence != true]


def pick(sentences, draw):
    return sentences[int(len(sentences) * draw)]


def drawn(pool, documents, coins, draws, *, pairs=neighbours):
    """pool(documents, number, first, true): what a negative is drawn from."""
    return [
        (first, true, True) if coin < 0.5 else (first, pick(pool(documents, number, first, true), draw), False)
        for (number, first, true), coin, draw in zip(pairs(documents), coins, draws, strict=False)
    ]


def drawing_from(pool):
    return lambda documents, coins, draws: drawn(pool, documents, coins, draws)


def right(documents, coins, draws):
    return drawn(rest, documents, coins, draws)


def own_document(documents, number, first, true):
    return [s for s in documents[number] if s not in (first, true)] or documents[number]


def following_document(documents, number, first, true):
    return [s for s in documents[(number + 1) % len(documents)] if s != true]


def labelled(label):
    """label(is it the next one?) of the right pairs."""
    return lambda *inputs: [(first, second, label(follows)) for first, second, follows in right(*inputs)]


def next_draw(documents, coins, draws):
    numbers = iter(draws)
    return right(documents, coins, [next(numbers) if coin >= 0.5 else None for coin in coins])


def always_true_next(documents, coins, draws):
    return [(first, true, coin < 0.5) for (_, first, true), coin in zip(neighbours(documents), coins, strict=False)]


def one_long_text(documents, coins, draws):
    text = [(number, sentence) for number, document in enumerate(documents) for sentence in document]
    pairs = [(*text[i], text[i + 1][1]) for i in range(len(text) - 1)]
    return drawn(rest, documents, coins, draws, pairs=lambda documents: pairs)


def two_for_each(documents, coins, draws):
    both = zip(right(documents, [0] * len(draws), draws), right(documents, [1] * len(draws), draws), strict=True)
    return [pair for pairs in both for pair in pairs]


WRONG = [
    (drawing_from(own_document), "negatives from the same document"),
    (drawing_from(lambda documents, *_: [s for document in documents for s in document]), "negatives from anywhere"),
    (drawing_from(following_document), "negatives from the next document only"),
    (drawing_from(lambda docs, number, *_: rest(docs, number, None, None)), "a negative reads like the true next one"),
    (lambda documents, coins, draws: right(documents, coins, [0.0] * len(draws)), "always the same negative"),
    (next_draw, "the draws are counted apart"),
    (labelled(lambda follows: not follows), "the label is turned round"),
    (
        lambda documents, coins, draws: right(documents, [coin < 0.5 for coin in coins], draws),
        "the coin is turned round",
    ),
    (labelled(lambda follows: True), "every label is True"),
    (always_true_next, "the true next sentence every time"),
    (lambda documents, coins, draws: right(documents, [i % 2 for i in range(len(coins))], draws), "taking turns"),
    (one_long_text, "across the border of a document"),
    (two_for_each, "both pairs for each sentence"),
    (labelled(int), "0 and 1 instead of True and False"),
]
