"""Wrong answers to exercise 8.4 as readers write them, each with the mistake that must be named."""

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


def distances(limits):
    """limits(max_pieces): lowest and highest last - first."""
    return lambda start, end, inside, max_pieces: best(keep(table(start, end, inside), *limits(max_pieces)))


def scored(score):
    """score(start, end, in_passage): a table."""
    return lambda start, end, inside, max_pieces: best(keep(score(start, end, inside), 0, max_pieces - 1))


def two_argmaxes(start, end, in_passage, max_pieces):
    return int(hidden(start, in_passage).argmax()), int(hidden(end, in_passage).argmax())


def greedy(start, end, in_passage, max_pieces):
    i = int(hidden(start, in_passage).argmax())
    return i, i + int(hidden(end, in_passage)[i : i + max_pieces].argmax())


def greedy_from_the_end(start, end, in_passage, max_pieces):
    j = int(hidden(end, in_passage).argmax())
    low = max(0, j - max_pieces + 1)
    return low + int(hidden(start, in_passage)[low : j + 1].argmax()), j


def to_the_last_sep(start, end, in_passage):
    first = in_passage.index(True)
    return table(start, end, [place >= first for place in range(len(start))])


def multiplied(start, end, in_passage):
    product = torch.tensor(start)[:, None] * torch.tensor(end)
    return product.where(table(start, end, in_passage) > -torch.inf, -torch.inf)


def sigmoids(start, end, in_passage):
    return hidden(start, in_passage).double().sigmoid()[:, None] * hidden(end, in_passage).double().sigmoid()


def in_the_passage(start, end, in_passage):
    return table(
        *([x for x, inside in zip(part, in_passage, strict=True) if inside] for part in (start, end, in_passage))
    )


WRONG = [
    (two_argmaxes, "start and end apart"),
    (lambda start, end, *_: (start.index(max(start)), end.index(max(end))), "start and end apart, over all places"),
    (lambda *inputs: tuple(sorted(two_argmaxes(*inputs))), "start and end apart, then exchanged"),
    (greedy, "the best start, then its best end"),
    (greedy_from_the_end, "the best end, then its best start"),
    (distances(lambda n: (0, torch.inf)), "no limit on the length"),
    (distances(lambda n: (0, n)), "one piece too long"),
    (distances(lambda n: (0, max(0, n - 2))), "one piece too short"),
    (distances(lambda n: (1 - n, n - 1)), "the end may come before the start"),
    (scored(lambda start, end, inside: table(start, end, [True] * len(start))), "the answer may lie in the question"),
    (scored(to_the_last_sep), "the answer may reach the last [SEP]"),
    (distances(lambda n: (0, 0)), "only spans of one piece"),
    (scored(multiplied), "the product of the logits"),
    (scored(sigmoids), "the product of two sigmoids"),
    (scored(in_the_passage), "places are counted in the passage"),
    (lambda *inputs: (scored(table)(*inputs)[0], scored(table)(*inputs)[1] + 1), "one past the end"),
    (lambda start, end, inside, n: keep(table(start, end, inside), 0, n - 1).max(), "the score instead of the places"),
]
