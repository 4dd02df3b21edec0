"""Exercise 9.3: the verdict of a claim with several conditions. Source: the course's ledger."""

from collections import Counter

from course.check.exercise import Exercise, Probe

RANKS = ["contradicted", "cannot judge", "open", "holds"]


def claim_word(words: list[str]) -> str:
    """The verdict over all conditions of a claim. words: that of each condition, one or more of "holds", "open",
    "contradicted", "cannot judge".
    claim_word(["holds", "open"]) -> "open" """
    ranks = ["contradicted", "cannot judge", "open", "holds"]
    return min(words, key=ranks.index)


def _by(*ranks):
    return lambda words: min(words, key=list(ranks).index)


C, J, O, H = RANKS  # noqa: E741


def _rarely_contradicted(words):
    return words[0] if len(set(words)) == 1 else J if J in words else O


PROBES = [
    Probe("one condition", ["open"]),
    Probe("all hold", ["holds", "holds", "holds"]),
    Probe("one of three is open", ["holds", "open", "holds"]),
    Probe("the first is open", ["open", "holds", "holds"]),
    Probe("one of three is contradicted", ["holds", "contradicted", "holds"]),
    Probe("one is open, one contradicted", ["open", "contradicted"]),
    Probe("one cannot be judged", ["holds", "cannot judge", "holds"]),
    Probe("one cannot be judged, one is open", ["open", "cannot judge", "open"]),
    Probe("one cannot be judged, one is contradicted", ["cannot judge", "holds", "contradicted"]),
]
MISTAKES = [
    ("the majority", lambda words: Counter(words).most_common(1)[0][0]),
    ("one that holds is enough", _by(H, O, J, C), _by(H, C, J, O), _by(H, C, O, J)),
    ("the first condition", lambda words: words[0]),
    ("the last condition", lambda words: words[-1]),
    ("open comes first", _by(O, C, J, H), _by(O, J, C, H)),
    ("cannot judge comes first", _by(J, C, O, H)),
    ("open before cannot judge", _by(C, O, J, H)),
    ("contradicted only if all are", _rarely_contradicted),
    ("different words are open", lambda words: words[0] if len(set(words)) == 1 else O),
    ("what cannot be judged is left out", lambda words: _by(*RANKS)([w for w in words if w != J] or [J])),
    ("all that does not hold is contradicted", lambda words: H if set(words) == {H} else C),
    ("alphabetical", min),
]
EXERCISE = Exercise("9.3", claim_word, PROBES, MISTAKES, difficulty=1, importance=4, minutes=8)
