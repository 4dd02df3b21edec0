"""Wrong answers to exercise 5.3 as readers write them, each with the mistake that must be named."""


def from_the_bottom(names, epochs):
    return [names[: epoch + 1] for epoch in range(epochs)]


def chain_thaw(names, epochs):
    return [[names[max(0, len(names) - 1 - epoch)]] for epoch in range(epochs)]


def everything(names, epochs):
    return [list(names) for _ in range(epochs)]


def counted_from_two(names, epochs):
    return [names[max(0, len(names) - 2 - epoch) :] for epoch in range(epochs)]


def head_alone(names, epochs):
    return [names[-1:] for _ in range(epochs)]


def counted_from_zero(names, epochs):
    return [names[max(0, len(names) - epoch) :] for epoch in range(epochs)]


def output_first(names, epochs):
    return [names[::-1][: epoch + 1] for epoch in range(epochs)]


WRONG = [
    (from_the_bottom, "from the bottom"),
    (chain_thaw, "only one group at a time"),
    (everything, "all at once"),
    (counted_from_two, "an epoch too early"),
    (head_alone, "only the head"),
    (counted_from_zero, "nothing trains at first"),
    (output_first, "from head to input"),
]
