"""Exercise 5.3: gradual unfreezing. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def open_groups(names: list[str], epochs: int) -> list[list[str]]:
    """For each epoch the groups that train, in the order of `names`: from the word vectors to the head"""
    return [names[-1 - epoch :] if epoch < len(names) else list(names) for epoch in range(epochs)]


def _plan(names, epochs, opened):
    """opened(epoch, n groups) -> places of the groups that train."""
    return [[names[place] for place in sorted(opened(epoch, len(names)))] for epoch in range(epochs)]


EXERCISE = Exercise(
    id="5.3",
    title="Gradual unfreezing",
    difficulty=2,
    importance=5,
    minutes=8,
    question="""
        The head is new, the layers below are not. In the first epoch only the last group trains. With every epoch one
        more group opens, the next one towards the input. Opened groups stay open. When all are open, all train until
        the end. List the groups that train in each epoch.
        Before you run it: four groups, six epochs. In how many epochs do the word vectors train?
    """,
    solution=open_groups,
    why="In three: epochs 4, 5 and 6. The new head starts at random. While it does, its gradients are mostly noise, "
    "and the layers below are protected from them.",
    hints=(
        "Which group knows least at the start? It should train first, alone.",
        "The groups that train are always the last few of the list. How many in epoch 0, in epoch 1?",
        "A slice from the end does it. Take care when the epochs are more than the groups.",
    ),
    probes=(
        Probe("as many epochs as groups", (["word", "lstm1", "lstm2", "head"], 4)),
        Probe("more epochs than groups", (["word", "lstm1", "head"], 5)),
        Probe("two epochs, four groups", (["word", "lstm1", "lstm2", "head"], 2)),
        Probe("one group", (["head"], 2)),
    ),
    mistakes=(
        Mistake(
            "from the bottom",
            "The word vectors train first. They hold what is most general, and the head above them is still random.",
            model=lambda *a: _plan(*a, lambda epoch, n: range(min(epoch + 1, n))),
        ),
        Mistake(
            "only one group at a time",
            "An opened group closes again. That is chain-thaw, a rival method; here open groups stay open.",
            model=lambda *a: _plan(*a, lambda epoch, n: [max(0, n - 1 - epoch)]),
        ),
        Mistake(
            "all at once",
            "All groups train from the first epoch on: nothing is gradual.",
            model=lambda *a: _plan(*a, lambda epoch, n: range(n)),
        ),
        Mistake(
            "an epoch too early",
            "Two groups train in the first epoch. The head should have one for itself.",
            model=lambda *a: _plan(*a, lambda epoch, n: range(max(0, n - 2 - epoch), n)),
        ),
        Mistake(
            "only the head",
            "Nothing opens after the first epoch. The layers below would stay as they are.",
            model=lambda *a: _plan(*a, lambda epoch, n: [n - 1]),
        ),
        Mistake(
            "nothing trains at first",
            "The first epoch has no group at all. It should have the head.",
            model=lambda *a: _plan(*a, lambda epoch, n: range(max(0, n - epoch), n)),
        ),
        Mistake(
            "from head to input",
            "The groups are right, their order is not: list them as in `names`, the input first.",
            seen=lambda got, expected, *_: [sorted(row) for row in got] == [sorted(row) for row in expected],
        ),
    ),
)
