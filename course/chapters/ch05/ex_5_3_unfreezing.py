"""Exercise 5.3: gradual unfreezing. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3."""

from course.check.exercise import Exercise, Probe


def open_groups(names: list[str], epochs: int) -> list[list[str]]:
    """For each epoch the groups that train, in the order of `names`: from the word vectors to the head.
    open_groups(["word", "lstm", "head"], 2) -> [["head"], ["lstm", "head"]]"""
    return [names[-1 - epoch :] if epoch < len(names) else list(names) for epoch in range(epochs)]


def _plan(opened):
    """opened(epoch, n groups): places of the groups that train."""
    return lambda names, epochs: [[names[i] for i in opened(epoch, len(names))] for epoch in range(epochs)]


def _shared(names, epochs):
    """One list that grows, in each place."""
    return [names[-min(epochs, len(names)) :]] * epochs


PROBES = [
    Probe("as many epochs as groups", ["word", "lstm1", "lstm2", "head"], 4),
    Probe("more epochs than groups", ["word", "lstm1", "head"], 5),
    Probe("two epochs, four groups", ["word", "lstm1", "lstm2", "head"], 2),
    Probe("one group", ["head"], 2),
]
MISTAKES = [
    ("from the bottom", _plan(lambda epoch, n: range(min(epoch + 1, n)))),
    ("only one group at a time", _plan(lambda epoch, n: [max(0, n - 1 - epoch)])),
    ("all at once", _plan(lambda epoch, n: range(n))),
    ("an epoch too early", _plan(lambda epoch, n: range(max(0, n - 2 - epoch), n))),
    ("only the head", _plan(lambda epoch, n: [n - 1])),
    ("nothing trains at first", _plan(lambda epoch, n: range(max(0, n - epoch), n))),
    ("from head to input", lambda *a: [opened[::-1] for opened in open_groups(*a)]),
    ("the same list in each epoch", _shared, lambda *a: [opened[::-1] for opened in _shared(*a)]),
    ("a slice from minus 0", _plan(lambda epoch, n: range(max(0, n - epoch) if epoch else 0, n))),
    ("the slice wraps around", lambda names, epochs: [names[len(names) - 1 - epoch :] for epoch in range(epochs)]),
    (
        "an entry for each group",
        lambda names, epochs: open_groups(names, min(epochs, len(names))),
        lambda names, epochs: open_groups(names, len(names)),
    ),
]
EXERCISE = Exercise("5.3", open_groups, PROBES, MISTAKES, difficulty=2, importance=5, minutes=8)
