"""Exercise 1.7: why a vector per type is at chance on senses (claim C1.4): balanced, expected accuracy under ties."""

from itertools import product

from course.check.compare import same
from course.check.exercise import Exercise, Probe, Seen


def sense_accuracy(scores: list[list[float]], senses: list[int]) -> float:
    """Balanced accuracy, ties broken by a fair draw. scores [occurrence, sense]: how well a sense fits an occurrence;
    senses [occurrence]: the right one.
    sense_accuracy([[2, 1], [3, 3], [0, 4]], [0, 0, 1]) -> 0.875"""
    credit = {}
    for row, sense in zip(scores, senses, strict=True):
        tied = [s for s, score in enumerate(row) if score == max(row)]
        credit.setdefault(sense, []).append((sense in tied) / len(tied))
    return sum(sum(shares) / len(shares) for shares in credit.values()) / len(credit)


def _fair(row, sense):
    return (row[sense] == max(row)) / row.count(max(row))


def _accuracy(credit=_fair, *, balanced=True, every=False):
    """credit(row, sense): the share of an occurrence that counts as right; every: senses that do not occur, too."""

    def model(scores, senses):
        by_sense = {s: [credit(r, g) for r, g in zip(scores, senses, strict=True) if g == s] for s in set(senses)}
        if not balanced:
            return sum(map(sum, by_sense.values())) / len(senses)
        means = [sum(shares) / len(shares) for shares in by_sense.values()]
        return sum(means) / (len(scores[0]) if every else len(means))

    return model


def _drawn(got, expected, scores, senses):
    """Is it what comes out if one sense is chosen in each tie, in some way?"""
    rows = list(zip(scores, senses, strict=True))
    chosen = []
    for sense in set(senses):
        own = [row for row, right in rows if right == sense]
        best = [row for row in own if row[sense] == max(row)]
        surely = sum(row.count(max(row)) == 1 for row in best)
        chosen.append([hits / len(own) for hits in range(surely, len(best) + 1)])
    return any(same(got, sum(shares) / len(shares)) for shares in product(*chosen))


PROBES = [
    Probe("no ties, one sense more frequent", [[2, 1, 0], [3, 0, 1], [0, 5, 1], [1, 0, 2]], [0, 0, 1, 0]),
    Probe("all scores equal: a static vector", [[1, 1, 1]] * 5, [0, 0, 0, 1, 2]),
    Probe(
        "a tie with the right sense, and one without",
        [[2, 2, 0], [0, 9, 1], [3, 8, 1], [9, 0, 1], [0, 1, 1], [4, 3, 3]],
        [1, 1, 1, 1, 0, 2],
    ),
    Probe("a sense that never occurs", [[1, 1], [1, 1], [1, 1]], [1, 1, 1]),
]
MISTAKES = [
    ("ties count as right", _accuracy(lambda r, g: r[g] == max(r))),
    ("ties count as wrong", _accuracy(lambda r, g: r[g] == max(r) and r.count(max(r)) == 1)),
    ("the first of the tied senses wins", _accuracy(lambda r, g: r.index(max(r)) == g)),
    ("not balanced", _accuracy(balanced=False)),
    ("ties count as right, and not balanced", _accuracy(lambda r, g: r[g] == max(r), balanced=False)),
    (
        "the first of the tied senses wins, and not balanced",
        _accuracy(lambda r, g: r.index(max(r)) == g, balanced=False),
    ),
    (
        "a tie is shared among all senses",
        _accuracy(lambda r, g: (r[g] == max(r)) / (len(r) if r.count(max(r)) > 1 else 1)),
    ),
    ("senses that never occur are averaged in", _accuracy(every=True)),
    ("one of the tied senses is chosen", Seen(_drawn)),
]
EXERCISE = Exercise("1.7", sense_accuracy, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
