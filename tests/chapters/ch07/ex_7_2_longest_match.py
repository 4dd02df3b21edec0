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


def cut(word, vocabulary, choose=0):
    """(pieces, what is left); choose: which of the fitting pieces."""
    pieces, start = [], 0
    while start < len(word) and (found := fitting(word, start, vocabulary)):
        piece, start = found[choose]
        pieces.append(piece)
    return pieces, word[start:]


def right(*inputs):
    pieces, rest = cut(*inputs)
    return ["[UNK]"] if rest else pieces


def within(too_long, answer):
    """too_long(word, limit): is the word too long? answer(word, vocabulary): its pieces if it is not."""
    return lambda word, vocabulary, limit: ["[UNK]"] if too_long(word, limit) else answer(word, vocabulary)


def limited(answer):
    return within(lambda word, limit: len(word) > limit, answer)


def all_with(mark):
    """The same mark before every piece."""

    def answer(word, vocabulary):
        pieces = []
        while word:
            end = len(word)
            while end and mark + word[:end] not in vocabulary:
                end -= 1
            if end == 0:
                return ["[UNK]"]
            pieces.append(mark + word[:end])
            word = word[end:]
        return pieces

    return answer


def skips(word, vocabulary):
    pieces, start = [], 0
    while start < len(word):
        found = fitting(word, start, vocabulary)
        piece, start = found[0] if found else ("[UNK]", start + 1)
        pieces.append(piece)
    return pieces


def tries_again(word, vocabulary):
    def rest(start):
        if start == len(word):
            return []
        for piece, end in fitting(word, start, vocabulary):
            more = rest(end)
            if more is not None:
                return [piece, *more]
        return None

    return rest(0) or ["[UNK]"]


def fewest(word, vocabulary):
    for n_cuts in range(len(word)):
        for cuts in combinations(range(len(word) - 1, 0, -1), n_cuts):
            places = [0, *sorted(cuts), len(word)]
            pieces = [("##" if start else "") + word[start:end] for start, end in pairwise(places)]
            if all(piece in vocabulary for piece in pieces):
                return pieces
    return ["[UNK]"]


def backwards(word, vocabulary):
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


WRONG = [
    (limited(lambda *inputs: right(*inputs, -1)), "the shortest piece first"),
    (limited(all_with("")), "no ## anywhere"),
    (limited(lambda *inputs: [piece.replace("##", "") for piece in right(*inputs)]), "## is lost in the result"),
    (limited(all_with("##")), "## on the first piece, too"),
    (limited(lambda *inputs: cut(*inputs)[0] + ["[UNK]"] * bool(cut(*inputs)[1])), "the beginning is kept, then [UNK]"),
    (limited(lambda *inputs: cut(*inputs)[0]), "the beginning is kept and the rest is lost"),
    (limited(skips), "[UNK] for one character"),
    (limited(tries_again), "the cut is taken back"),
    (limited(fewest), "as few pieces as possible"),
    (limited(backwards), "cut from the end"),
    (lambda word, vocabulary, limit: right(word, vocabulary), "no limit"),
    (lambda word, vocabulary, limit: right(word[:limit], vocabulary), "a long word is cut off"),
    (within(lambda word, limit: len(word) >= limit, right), "the limit comes one character early"),
    (within(lambda word, limit: len(bytes(word, "utf-8")) > limit, right), "the limit counts bytes"),
    (lambda *inputs: " ".join(limited(right)(*inputs)), "one string instead of a list"),
]
