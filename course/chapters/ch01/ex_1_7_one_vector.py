"""Exercise 1.7: why a vector per type is at chance on senses (claim C1.4): balanced, expected accuracy under ties."""

from course.check.exercise import Exercise, Probe


def sense_accuracy(scores: list[list[float]], senses: list[int]) -> float:
    """Balanced accuracy, ties broken by a fair draw. scores [occurrence, sense]: how well a sense fits an occurrence;
    senses [occurrence]: the right one."""
    credit = {}
    for row, sense in zip(scores, senses, strict=True):
        tied = [s for s, score in enumerate(row) if score == max(row)]
        credit.setdefault(sense, []).append((sense in tied) / len(tied))
    return sum(sum(shares) / len(shares) for shares in credit.values()) / len(credit)


def _accuracy(scores, senses, credit, *, balanced=True, groups=None):
    """`credit(row, sense)` is the share of an occurrence that counts as right."""
    by_sense = {s: [credit(r, g) for r, g in zip(scores, senses, strict=True) if g == s] for s in set(senses)}
    if not balanced:
        return sum(map(sum, by_sense.values())) / len(senses)
    return sum(sum(shares) / len(shares) for shares in by_sense.values()) / (groups or len(by_sense))


def _fair(row, sense):
    return (row[sense] == max(row)) / row.count(max(row))


PROBES = [
    Probe("no ties, one sense more frequent", [[2, 1, 0], [3, 0, 1], [0, 5, 1], [1, 0, 2]], [0, 0, 1, 0]),
    Probe("all scores equal: a static vector", [[1, 1, 1]] * 5, [0, 0, 0, 1, 2]),
    Probe("a tie with the right sense, and one without", [[2, 2, 0], [0, 1, 1], [4, 3, 3]], [1, 0, 2]),
    Probe("a sense that never occurs", [[1, 1], [1, 1], [1, 1]], [1, 1, 1]),
]
MISTAKES = [
    ("ties count as right", lambda scores, senses: _accuracy(scores, senses, lambda r, g: r[g] == max(r))),
    (
        "ties count as wrong",
        lambda scores, senses: _accuracy(scores, senses, lambda r, g: r[g] == max(r) and r.count(max(r)) == 1),
    ),
    (
        "the first of the tied senses wins",
        lambda scores, senses: _accuracy(scores, senses, lambda r, g: r.index(max(r)) == g),
    ),
    ("not balanced", lambda scores, senses: _accuracy(scores, senses, _fair, balanced=False)),
    (
        "ties count as right, and not balanced",
        lambda scores, senses: _accuracy(scores, senses, lambda r, g: r[g] == max(r), balanced=False),
    ),
    (
        "the first of the tied senses wins, and not balanced",
        lambda scores, senses: _accuracy(scores, senses, lambda r, g: r.index(max(r)) == g, balanced=False),
    ),
    (
        "a tie is shared among all senses",
        lambda scores, senses: _accuracy(
            scores, senses, lambda r, g: (r[g] == max(r)) / (len(r) if r.count(max(r)) > 1 else 1)
        ),
    ),
    (
        "senses that never occur are averaged in",
        lambda scores, senses: _accuracy(scores, senses, _fair, groups=len(scores[0])),
    ),
]
EXERCISE = Exercise("1.7", sense_accuracy, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
