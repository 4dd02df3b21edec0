"""Wrong answers to exercise 5.2 as readers write them, each with the mistake that must be named."""


def downwards(rate_of):
    """rate_of(rate, factor, i): of the group i below the head."""
    return lambda names, rate, factor: {name: rate_of(rate, factor, i) for i, name in enumerate(reversed(names))}


def upwards(rate_of):
    """rate_of(rate, factor, i): of the group i above the word vectors."""
    return lambda names, rate, factor: {name: rate_of(rate, factor, i) for i, name in enumerate(names)}


WRONG = [
    (upwards(lambda rate, factor, i: rate / factor**i), "the wrong end is fast"),
    (downwards(lambda rate, factor, i: rate / factor ** (i + 1)), "the head is divided too"),
    (downwards(lambda rate, factor, i: rate * factor**i), "the rates grow downwards"),
    (downwards(lambda rate, factor, i: rate / (factor * i) if i else rate), "divided by the factor times the place"),
    (downwards(lambda rate, factor, i: rate / factor if i else rate), "divided once"),
    (upwards(lambda rate, factor, i: rate * factor**i), "the word vectors get the full rate"),
    (upwards(lambda rate, factor, i: rate), "the same rate everywhere"),
]
