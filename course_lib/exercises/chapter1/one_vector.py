"""Exercise 1.7: why a vector per type is at chance on senses (claim C1.4): balanced, expected accuracy under ties."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


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


EXERCISE = Exercise(
    id="1.7",
    title="One vector per word: what a sense test must say",
    difficulty=3,
    importance=5,
    minutes=15,
    question="""
        *배* is a ship, a pear or a belly. A test of senses scores, for each occurrence, how well each sense fits.
        One vector per type cannot tell two occurrences apart: all senses tie. Write the accuracy that is not fooled by
        this: a tie counts as a fair draw among the tied senses (two tied, the right one among them: 0.5), and the
        accuracies of the senses are averaged, so that a frequent sense weighs no more than a rare one.
        Before you run it: what comes out if all scores are equal, with two senses, one of them in 95 of 100 sentences?
    """,
    solution=sense_accuracy,
    why="With all scores equal each of n senses gets 1/n, whatever their frequencies: exactly chance. A static vector "
    "cannot do better, as it knows nothing of the sentence. Plain accuracy and lucky ties would hide that.",
    hints=(
        "Two ideas are apart: what one occurrence earns, and how the earnings are averaged. Write the first one first.",
        "An occurrence earns something only if its sense is among the best; what it earns depends on how many "
        "are best.",
        "Keep a list of earnings per sense. Average inside each sense, then over the senses that occur.",
    ),
    probes=(
        Probe("no ties, one sense more frequent", ([[2, 1, 0], [3, 0, 1], [0, 5, 1], [1, 0, 2]], [0, 0, 1, 0])),
        Probe("all scores equal: a static vector", ([[1, 1, 1]] * 5, [0, 0, 0, 1, 2])),
        Probe("a tie with the right sense, and one without", ([[2, 2, 0], [0, 1, 1], [4, 3, 3]], [1, 0, 2])),
        Probe("a sense that never occurs", ([[1, 1], [1, 1], [1, 1]], [1, 1, 1])),
    ),
    mistakes=(
        Mistake(
            "ties count as right",
            "With all scores equal your accuracy is perfect, although nothing was told apart.",
            model=lambda scores, senses: _accuracy(scores, senses, lambda r, g: r[g] == max(r)),
        ),
        Mistake(
            "ties count as wrong",
            "With all scores equal your accuracy is 0: even a fair draw would do better.",
            model=lambda scores, senses: _accuracy(
                scores, senses, lambda r, g: r[g] == max(r) and r.count(max(r)) == 1
            ),
        ),
        Mistake(
            "the first of the tied senses wins",
            "With all scores equal the sense that stands first always wins. Another order of senses would give another "
            "accuracy.",
            model=lambda scores, senses: _accuracy(scores, senses, lambda r, g: r.index(max(r)) == g),
        ),
        Mistake(
            "not balanced",
            "The frequent sense decides. Each sense should weigh the same, however often it occurs.",
            model=lambda scores, senses: _accuracy(scores, senses, _fair, balanced=False),
        ),
        Mistake(
            "ties count as right, and not balanced",
            "With all scores equal your accuracy is perfect; and the frequent sense weighs more than the rare one.",
            model=lambda scores, senses: _accuracy(scores, senses, lambda r, g: r[g] == max(r), balanced=False),
        ),
        Mistake(
            "the first of the tied senses wins, and not balanced",
            "With all scores equal your accuracy is the share of whichever sense stands first.",
            model=lambda scores, senses: _accuracy(scores, senses, lambda r, g: r.index(max(r)) == g, balanced=False),
        ),
        Mistake(
            "a tie is shared among all senses",
            "A tie of two among three senses is a draw between two. Count the tied ones only.",
            model=lambda scores, senses: _accuracy(
                scores, senses, lambda r, g: (r[g] == max(r)) / (len(r) if r.count(max(r)) > 1 else 1)
            ),
        ),
        Mistake(
            "senses that never occur are averaged in",
            "A sense without an occurrence has no accuracy; it counts as 0 in your average.",
            model=lambda scores, senses: _accuracy(scores, senses, _fair, groups=len(scores[0])),
        ),
    ),
)
