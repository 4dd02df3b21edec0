"""Exercise 8.10: the F1 of names. Source: Tjong Kim Sang and De Meulder 2003, arXiv:cs/0306050, section 2.3: a name is
right only if all of its words and its kind are; a stray I- begins a name, as in their script."""

from course.check.exercise import HUNDREDFOLD, Exercise, Probe


def names_f1(guesses: list[list[str]], truths: list[list[str]]) -> float:
    """0 to 1: F1 of whole names, counted over all sentences together; 0 if no name is right. guesses, truths: a list of
    tags for each sentence, a tag for each word: O, B-PER, I-PER, B-LOC ...
    names_f1([["B-PER", "O", "B-LOC"]], [["B-PER", "I-PER", "B-LOC"]]) -> 0.5"""

    def names(rows):
        found, start, kind = set(), 0, ""
        for row, tags in enumerate(rows):
            for place, tag in enumerate([*tags, "O"]):
                mark, _, own = tag.partition("-")
                if kind and (mark != "I" or own != kind):
                    found.add((row, start, place, kind))
                    kind = ""
                if mark != "O" and not kind:
                    start, kind = place, own
        return found

    found, there = names(guesses), names(truths)
    right = len(found & there)
    return 2 * right / (len(found) + len(there)) if right else 0.0


def _words(rows):
    return {(row, place, tag) for row, tags in enumerate(rows) for place, tag in enumerate(tags) if tag != "O"}


def _accuracy(guesses, truths):
    pairs = [pair for rows in zip(guesses, truths, strict=True) for pair in zip(*rows, strict=True)]
    return sum(a == b for a, b in pairs) / len(pairs)


def _by_sentence(empty):
    """The mean over sentences; empty: of one without names on either side, None to leave it out."""

    def model(guesses, truths):
        scores = []
        for pair in zip(guesses, truths, strict=True):
            has_names = any(map(_words, ([tags] for tags in pair)))
            scores.append(names_f1(*([tags] for tags in pair)) if has_names else empty)
        scores = [score for score in scores if score is not None]
        return sum(scores) / len(scores) if scores else 0.0

    return model


def _one_text(guesses, truths):
    return names_f1(*([[tag for tags in rows for tag in tags]] for rows in (guesses, truths)))


def _probe(shows, *sentences):
    """sentences: the tags of the guess / of the truth, each P, L or G after B or I."""
    kinds = {"P": "PER", "L": "LOC", "G": "ORG"}
    sides = [[[f"{w[0]}-{kinds[w[1]]}" if w != "O" else w for w in s.split()] for s in t.split("/")] for t in sentences]
    return Probe(shows, *(list(rows) for rows in zip(*sides, strict=True)))


_F1 = "2 * right / (len(found) + len(there))"


PROBES = [
    _probe("each name is right", "BP IP O BL O / BP IP O BL O"),
    _probe("a name is one word too short, another too long", "BP IP O O BL IL BG / BP IP IP O BL O BG"),
    _probe("a name lacks its first word", "O IP O BL O BG IG / BP IP O BL O BG IG"),
    _probe("a name has another kind", "BP IP O BL O BG / BL IL O BL O BG"),
    _probe("two names of one kind are neighbours", "BP BP IP O BL / BP BP IP O BL", "BP IP IP O / BP BP IP O"),
    _probe("a name begins with I-", "O IP IP O BL / O BP IP O BL"),
    _probe("I- of another kind follows", "BP IL O BG / BP BL O BG"),
    _probe("I- of another kind follows, and is wrong", "BP IL O BG / BP IP O BG"),
    _probe("a sentence ends with a name, the next begins with I-", "O BP / O BP", "IP O BL / BP O BL"),
    _probe("a sentence has no name", "O O O / O O O", "BP O BG O / BP O BL BG", "O BL BP / O O BP"),
    _probe("more names are found than there are", "BP O BL O BG / BP O O O O", "BL O / BL O"),
    _probe("the same names stand in two sentences", "BP O BL / BP O BL", "BP O BL / BP O O", "BP O O / O O O"),
    _probe("no name is right", "BP O O / O BL IL"),
    _probe("neither side has a name", "O O / O O"),
]
MISTAKES = [
    ("words instead of names", "names(guesses), names(truths) => _words(guesses), _words(truths)"),
    ("the share of right tags", _accuracy),
    ("the end does not count", "start, place, kind) => start, kind)"),
    ("the beginning does not count", "row, start, place => row, place"),
    ("the kind does not count", "place, kind) => place)"),
    ("the sentence does not count", "(row, start => (start"),
    ("the mean over sentences", *map(_by_sentence, (0.0, 1.0, None))),
    ("the sentences are one text", _one_text),
    ("B- goes on", 'mark != "I" or own => own'),
    ("I- begins nothing", 'mark != "O" => mark == "B"'),
    ("I- of another kind goes on", " or own != kind => ", (" or own != kind => ", 'mark != "O" => mark == "B"')),
    ("every I- begins a name", ' and (mark != "I" or own != kind) => '),
    (
        "a name at the end is lost",
        "for place, tag in enumerate([*tags, \"O\"]) => kind = ''\n            for place, tag in enumerate(tags)",
    ),
    (
        "O is a kind",
        (
            "[*tags, \"O\"] => [*tags, '-']",
            "tag.partition(\"-\") => ('I', '', 'O') if tag == 'O' else tag.partition('-')",
        ),
    ),
    ("precision only", f"{_F1} => right / len(found)"),
    ("recall only", f"{_F1} => right / len(there)"),
    ("the arithmetic mean", f"{_F1} => (right / len(found) + right / len(there)) / 2"),
    ("shared names over all names", ("2 * right => right", "len(there)) => len(there) - right)")),
    ("not doubled", "2 * right => right"),
    ("100 times too large", HUNDREDFOLD),
]
EXERCISE = Exercise("8.10", names_f1, PROBES, MISTAKES, difficulty=3, importance=4, minutes=20)
