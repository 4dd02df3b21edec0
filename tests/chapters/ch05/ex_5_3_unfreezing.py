"""Wrong answers to exercise 5.3 as readers write them, each with the mistake that must be named."""


def at_epoch(groups):
    """groups(names, epoch): those that train then."""
    return lambda names, epochs: [groups(names, epoch) for epoch in range(epochs)]


WRONG = [
    (at_epoch(lambda names, epoch: names[: epoch + 1]), "from the bottom"),
    (at_epoch(lambda names, epoch: [names[max(0, len(names) - 1 - epoch)]]), "only one group at a time"),
    (at_epoch(lambda names, epoch: list(names)), "all at once"),
    (at_epoch(lambda names, epoch: names[max(0, len(names) - 2 - epoch) :]), "an epoch too early"),
    (at_epoch(lambda names, epoch: names[-1:]), "only the head"),
    (at_epoch(lambda names, epoch: names[max(0, len(names) - epoch) :]), "nothing trains at first"),
    (at_epoch(lambda names, epoch: names[::-1][: epoch + 1]), "from head to input"),
]
