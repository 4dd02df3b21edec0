"""Wrong answers to exercise 5.2 as readers write them, each with the mistake that must be named."""


def forwards(names, rate, factor):
    return {name: rate / factor**i for i, name in enumerate(names)}


def counted_from_one(names, rate, factor):
    return {name: rate / factor**i for i, name in enumerate(reversed(names), start=1)}


def multiplied(names, rate, factor):
    return {name: rate * factor**i for i, name in enumerate(reversed(names))}


def product(names, rate, factor):
    return {name: rate / (factor * i) if i else rate for i, name in enumerate(reversed(names))}


def head_and_rest(names, rate, factor):
    return {name: rate if name == names[-1] else rate / factor for name in names}


def upwards(names, rate, factor):
    rates = {}
    for name in names:
        rates[name] = rate
        rate = rate * factor
    return rates


def flat(names, rate, factor):
    return dict.fromkeys(names, rate)


WRONG = [
    (forwards, "the wrong end is fast"),
    (counted_from_one, "the head is divided too"),
    (multiplied, "the rates grow downwards"),
    (product, "divided by the factor times the place"),
    (head_and_rest, "divided once"),
    (upwards, "the word vectors get the full rate"),
    (flat, "the same rate everywhere"),
]
