"""Wrong answers to exercise 3.3 as readers write them, each with the mistake that must be named."""

from itertools import pairwise


def added(score):
    """score(words, steps, start, ends, length) of a row, each of its tags with its number; in plain Python.

    `ends` has the end score of each tag of the row.
    """

    def answer(emissions, transitions, start, end, tags, mask):
        found = []
        for b, row in enumerate(tags.tolist()):
            words = [float(emissions[b, i, t]) for i, t in enumerate(row)]
            steps = [float(transitions[s, t]) for s, t in pairwise(row)]
            found.append(score(words, steps, float(start[row[0]]), end[row].tolist(), int(mask[b].sum())))
        return found

    return answer


def right(words, steps, start, ends, n):
    return sum(words[:n]) + sum(steps[: n - 1]) + start + ends[n - 1]


WRONG = [
    (added(lambda words, steps, start, ends, n: right(words, steps, start, ends, len(words))), "padding counts"),
    (
        added(lambda words, steps, start, ends, n: sum(steps) + right(words, [], start, ends, n)),
        "steps into padding count",
    ),
    (
        added(lambda words, steps, start, ends, n: right(words, steps, start, ends[-1:] * n, n)),
        "the last column is taken for the last tag",
    ),
    (lambda e, t, *rest: added(right)(e, t.T, *rest), "the transitions are turned round"),
    (added(lambda words, steps, start, ends, n: right(words, steps, 0, [0] * n, n)), "start and end are missing"),
    (added(lambda words, steps, start, ends, n: right(words, [], start, ends, n)), "the transitions are missing"),
]
