"""Wrong answers to exercise 8.3 as readers write them, each with the mistake that must be named."""


def chosen(pieces, n_question, first, last):
    row = [None] * (1 + n_question + 1) + list(pieces) + [None]
    return row[first : last + 1]


def from_pieces(text):
    """text(chosen pieces); their start is right."""

    def answer(passage, *place):
        found = chosen(*place)
        return text([piece for piece, _, _ in found]), found[0][1]

    return answer


def cut_out(
    result=lambda passage, start, end: (passage[start:end], start), ends=lambda found: (found[0][1], found[-1][2])
):
    """result(passage, start, end); ends(chosen pieces): start and end."""
    return lambda passage, *place: result(passage, *ends(chosen(*place)))


def taken_off(places):
    """places(n_question): how many are taken to stand before the passage."""

    def answer(passage, pieces, n_question, first, last):
        start, end = pieces[first - places(n_question)][1], pieces[last - places(n_question)][2]
        return passage[start:end], start

    return answer


def glued(pieces):
    return "".join(piece[2:] if piece.startswith("##") else " " + piece for piece in pieces).strip()


def to_the_spaces(passage, start, end):
    left = max([-1] + [i for i in range(start) if passage[i] == " "]) + 1
    right = min([len(passage)] + [i for i in range(end, len(passage)) if passage[i] == " "])
    return passage[left:right], left


def in_bytes(passage, start, end):
    return str(passage.encode("utf-8")[start:end], "utf-8", "replace"), start


WRONG = [
    (from_pieces(" ".join), "pieces are joined, ## and all"),
    (from_pieces(glued), "pieces are glued to words"),
    (from_pieces(lambda pieces: "".join(pieces).replace("##", "")), "pieces are glued without spaces"),
    (cut_out(to_the_spaces), "whole words"),
    (taken_off(lambda n_question: 0), "the question is not taken off"),
    (taken_off(lambda n_question: n_question), "[CLS] and [SEP] are not taken off"),
    (taken_off(lambda n_question: n_question + 1), "one special piece is not taken off"),
    (taken_off(lambda n_question: n_question + 3), "one special piece too many is taken off"),
    (cut_out(lambda passage, start, end: (passage[start : end + 1], start)), "one character too many"),
    (cut_out(lambda passage, start, end: (passage[start : end - 1], start)), "one character too few"),
    (cut_out(ends=lambda found: (found[0][1], found[-1][1])), "the last piece is missing"),
    (cut_out(ends=lambda found: found[0][1:]), "only the first piece"),
    (cut_out(in_bytes), "bytes instead of characters"),
    (
        cut_out(lambda passage, start, end: (passage[start:end], passage.find(passage[start:end]))),
        "the first place with the same text",
    ),
    (lambda *inputs: (cut_out()(*inputs)[0], inputs[3]), "the place in the row"),
    (cut_out(lambda passage, start, end: passage[start:end]), "only the text"),
]
