"""Wrong answers to exercise 8.4 as readers write them, each with the mistake that must be named."""

from itertools import product

import torch


def hidden(logits, in_passage):
    return torch.tensor(logits).masked_fill(~torch.tensor(in_passage), -torch.inf)


def table(start, end, in_passage):
    """[first, last]: the score of each pair."""
    return hidden(start, in_passage)[:, None] + hidden(end, in_passage)


def best(scores):
    row, column = divmod(int(scores.argmax()), scores.shape[1])
    return row, column


def keep(scores, low, high):
    """Pairs with low <= last - first <= high."""
    n = torch.arange(len(scores))
    distance = n[None, :] - n[:, None]
    return scores.masked_fill((distance < low) | (distance > high), -torch.inf)


def two_argmaxes(start, end, in_passage, max_pieces):
    return int(hidden(start, in_passage).argmax()), int(hidden(end, in_passage).argmax())


def two_argmaxes_of_the_row(start, end, in_passage, max_pieces):
    return start.index(max(start)), end.index(max(end))


def sorted_places(start, end, in_passage, max_pieces):
    return tuple(sorted(two_argmaxes(start, end, in_passage, max_pieces)))


def greedy(start, end, in_passage, max_pieces):
    i = int(hidden(start, in_passage).argmax())
    return i, i + int(hidden(end, in_passage)[i : i + max_pieces].argmax())


def greedy_from_the_end(start, end, in_passage, max_pieces):
    j = int(hidden(end, in_passage).argmax())
    low = max(0, j - max_pieces + 1)
    return low + int(hidden(start, in_passage)[low : j + 1].argmax()), j


def any_length(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, in_passage), 0, len(start)))


def too_long(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, in_passage), 0, max_pieces))


def too_short(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, in_passage), 0, max(0, max_pieces - 2)))


def both_ways(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, in_passage), 1 - max_pieces, max_pieces - 1))


def whole_table(start, end, in_passage, max_pieces):
    return best(table(start, end, in_passage))


def whole_row(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, [True] * len(start)), 0, max_pieces - 1))


def to_the_last_sep(start, end, in_passage, max_pieces):
    first = in_passage.index(True)
    return best(keep(table(start, end, [place >= first for place in range(len(start))]), 0, max_pieces - 1))


def one_piece(start, end, in_passage, max_pieces):
    return best(keep(table(start, end, in_passage), 0, 0))


def multiplied(start, end, in_passage, max_pieces):
    found, highest = None, -float("inf")
    for i, j in product(range(len(start)), repeat=2):
        valid = in_passage[i] and in_passage[j] and 0 <= j - i < max_pieces
        if valid and start[i] * end[j] > highest:
            found, highest = (i, j), start[i] * end[j]
    return found


def sigmoids(start, end, in_passage, max_pieces):
    apart = hidden(start, in_passage).double().sigmoid()[:, None] * hidden(end, in_passage).double().sigmoid()
    return best(keep(apart, 0, max_pieces - 1))


def in_the_passage(start, end, in_passage, max_pieces):
    own = [logit for logit, inside in zip(start, in_passage, strict=True) if inside]
    other = [logit for logit, inside in zip(end, in_passage, strict=True) if inside]
    return best(keep(table(own, other, [True] * len(own)), 0, max_pieces - 1))


def one_past(start, end, in_passage, max_pieces):
    first, last = best(keep(table(start, end, in_passage), 0, max_pieces - 1))
    return first, last + 1


def highest_score(start, end, in_passage, max_pieces):
    return keep(table(start, end, in_passage), 0, max_pieces - 1).max()


WRONG = [
    (two_argmaxes, "start and end apart"),
    (two_argmaxes_of_the_row, "start and end apart, over all places"),
    (sorted_places, "start and end apart, then exchanged"),
    (greedy, "the best start, then its best end"),
    (greedy_from_the_end, "the best end, then its best start"),
    (any_length, "no limit on the length"),
    (too_long, "one piece too long"),
    (too_short, "one piece too short"),
    (both_ways, "the end may come before the start"),
    (whole_table, "start and end apart"),
    (whole_row, "the answer may lie in the question"),
    (to_the_last_sep, "the answer may reach the last [SEP]"),
    (one_piece, "only spans of one piece"),
    (multiplied, "the product of the logits"),
    (sigmoids, "the product of two sigmoids"),
    (in_the_passage, "places are counted in the passage"),
    (one_past, "one past the end"),
    (highest_score, "the score instead of the places"),
]
