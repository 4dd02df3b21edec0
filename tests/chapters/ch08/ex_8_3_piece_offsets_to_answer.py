"""Wrong answers to exercise 8.3 as readers write them, each with the mistake that must be named."""


def chosen(pieces, n_question, first, last):
    row = [None] * (1 + n_question + 1) + list(pieces) + [None]
    return row[first : last + 1]


def characters(pieces, n_question, first, last):
    found = chosen(pieces, n_question, first, last)
    return found[0][1], found[-1][2]


def joined(passage, pieces, n_question, first, last):
    found = chosen(pieces, n_question, first, last)
    return " ".join(piece[0] for piece in found), found[0][1]


def words(passage, pieces, n_question, first, last):
    text = ""
    for piece, _, _ in chosen(pieces, n_question, first, last):
        text += piece[2:] if piece.startswith("##") else " " + piece
    return text.strip(), chosen(pieces, n_question, first, last)[0][1]


def side_by_side(passage, pieces, n_question, first, last):
    found = chosen(pieces, n_question, first, last)
    return "".join(piece[0] for piece in found).replace("##", ""), found[0][1]


def to_the_spaces(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    left = max([-1] + [i for i in range(start) if passage[i] == " "]) + 1
    right = min([len(passage)] + [i for i in range(end, len(passage)) if passage[i] == " "])
    return passage[left:right], left


def row_as_passage(passage, pieces, n_question, first, last):
    start, end = pieces[first][1], pieces[last][2]
    return passage[start:end], start


def no_specials(passage, pieces, n_question, first, last):
    start, end = pieces[first - n_question][1], pieces[last - n_question][2]
    return passage[start:end], start


def one_sep(passage, pieces, n_question, first, last):
    start, end = pieces[first - n_question - 1][1], pieces[last - n_question - 1][2]
    return passage[start:end], start


def three_specials(passage, pieces, n_question, first, last):
    start, end = pieces[first - n_question - 3][1], pieces[last - n_question - 3][2]
    return passage[start:end], start


def inclusive(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return "".join(passage[i] for i in range(start, end + 1)), start


def stops_early(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return "".join(passage[i] for i in range(start, end - 1)), start


def up_to_the_last(passage, pieces, n_question, first, last):
    found = chosen(pieces, n_question, first, last)
    return passage[found[0][1] : found[-1][1]], found[0][1]


def the_first_only(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, first)
    return passage[start:end], start


def in_bytes(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return str(passage.encode("utf-8")[start:end], "utf-8", "replace"), start


def searched(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return passage[start:end], passage.find(passage[start:end])


def place_of_the_piece(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return passage[start:end], first


def text_alone(passage, pieces, n_question, first, last):
    start, end = characters(pieces, n_question, first, last)
    return passage[start:end]


WRONG = [
    (joined, "pieces are joined, ## and all"),
    (words, "pieces are glued to words"),
    (side_by_side, "pieces are glued without spaces"),
    (to_the_spaces, "whole words"),
    (row_as_passage, "the question is not taken off"),
    (no_specials, "[CLS] and [SEP] are not taken off"),
    (one_sep, "one special piece is not taken off"),
    (three_specials, "one special piece too many is taken off"),
    (inclusive, "one character too many"),
    (stops_early, "one character too few"),
    (up_to_the_last, "the last piece is missing"),
    (the_first_only, "only the first piece"),
    (in_bytes, "bytes instead of characters"),
    (searched, "the first place with the same text"),
    (place_of_the_piece, "the place in the row"),
    (text_alone, "only the text"),
]
