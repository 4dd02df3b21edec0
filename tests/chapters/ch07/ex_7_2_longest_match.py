"""Wrong answers to exercise 7.2 as readers write them, each with the mistake that must be named."""

from itertools import combinations, pairwise


def fitting(word, start, vocabulary):
    """All pieces that fit at a place, the longest first."""
    found = []
    for end in range(start + 1, len(word) + 1):
        piece = word[start:end] if start == 0 else "##" + word[start:end]
        if piece in vocabulary:
            found.insert(0, (piece, end))
    return found


def cut(word, vocabulary):
    """(pieces, what is left)"""
    pieces, start = [], 0
    while start < len(word) and (found := fitting(word, start, vocabulary)):
        piece, start = found[0]
        pieces.append(piece)
    return pieces, word[start:]


def right(word, vocabulary):
    pieces, rest = cut(word, vocabulary)
    return ["[UNK]"] if rest else pieces


def first_that_fits(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        found = fitting(word, start, vocabulary)
        if not found:
            return ["[UNK]"]
        piece, start = found[-1]
        pieces.append(piece)
    return pieces


def plain_pieces(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces = []
    while word:
        end = len(word)
        while end and word[:end] not in vocabulary:
            end -= 1
        if end == 0:
            return ["[UNK]"]
        pieces.append(word[:end])
        word = word[end:]
    return pieces


def marks_removed(word, vocabulary, limit):
    return [piece.replace("##", "") for piece in right(word, vocabulary)] if len(word) <= limit else ["[UNK]"]


def marks_everywhere(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces = []
    while word:
        end = len(word)
        while end and f"##{word[:end]}" not in vocabulary:
            end -= 1
        if end == 0:
            return ["[UNK]"]
        pieces.append(f"##{word[:end]}")
        word = word[end:]
    return pieces


def beginning_and_unknown(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces, rest = cut(word, vocabulary)
    return [*pieces, "[UNK]"] if rest else pieces


def stops(word, vocabulary, limit):
    return cut(word, vocabulary)[0] if len(word) <= limit else ["[UNK]"]


def skips(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces, start = [], 0
    while start < len(word):
        found = fitting(word, start, vocabulary)
        piece, start = found[0] if found else ("[UNK]", start + 1)
        pieces.append(piece)
    return pieces


def tries_again(word, vocabulary, limit):
    def rest(start):
        if start == len(word):
            return []
        for piece, end in fitting(word, start, vocabulary):
            more = rest(end)
            if more is not None:
                return [piece, *more]
        return None

    return ["[UNK]"] if len(word) > limit else rest(0) or ["[UNK]"]


def fewest(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    for n_cuts in range(len(word)):
        for cuts in combinations(range(len(word) - 1, 0, -1), n_cuts):
            places = [0, *sorted(cuts), len(word)]
            pieces = [("##" if start else "") + word[start:end] for start, end in pairwise(places)]
            if all(piece in vocabulary for piece in pieces):
                return pieces
    return ["[UNK]"]


def backwards(word, vocabulary, limit):
    if len(word) > limit:
        return ["[UNK]"]
    pieces = []
    while word:
        for start in range(len(word)):
            piece = f"##{word[start:]}" if start else word
            if piece in vocabulary:
                pieces, word = [piece, *pieces], word[:start]
                break
        else:
            return ["[UNK]"]
    return pieces


def any_length(word, vocabulary, limit):
    return right(word, vocabulary)


def shortened(word, vocabulary, limit):
    return right(word[:limit], vocabulary)


def limit_itself(word, vocabulary, limit):
    return ["[UNK]"] if len(word) >= limit else right(word, vocabulary)


def bytes_counted(word, vocabulary, limit):
    return ["[UNK]"] if len(bytes(word, "utf-8")) > limit else right(word, vocabulary)


def joined(word, vocabulary, limit):
    return " ".join(right(word, vocabulary)) if len(word) <= limit else "[UNK]"


WRONG = [
    (first_that_fits, "the shortest piece first"),
    (plain_pieces, "no ## anywhere"),
    (marks_removed, "## is lost in the result"),
    (marks_everywhere, "## on the first piece, too"),
    (beginning_and_unknown, "the beginning is kept, then [UNK]"),
    (stops, "the beginning is kept and the rest is lost"),
    (skips, "[UNK] for one character"),
    (tries_again, "the cut is taken back"),
    (fewest, "as few pieces as possible"),
    (backwards, "cut from the end"),
    (any_length, "no limit"),
    (shortened, "a long word is cut off"),
    (limit_itself, "the limit comes one character early"),
    (bytes_counted, "the limit counts bytes"),
    (joined, "one string instead of a list"),
]
