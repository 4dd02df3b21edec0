"""Wrong answers to exercise 7.3 as readers write them, each with the mistake that must be named."""

import torch

PAD, CLS, SEP = 0, 2, 3


def filled(rows, value):
    longest = max(len(row) for row in rows)
    return torch.tensor([list(row) + [value] * (longest - len(row)) for row in rows])


def written(pairs):
    return [[CLS, *a, SEP, *b, SEP] for a, b in pairs]


def kinds(pairs):
    return [[0] * len([CLS, *a, SEP]) + [1] * len([*b, SEP]) for a, b in pairs]


def finish(rows, segments):
    ids = filled(rows, PAD)
    return ids, filled(segments, 0), ids != PAD


def segments_like(cls, first_sep, last_sep):
    return lambda pairs: finish(
        written(pairs), [[cls, *[0] * len(a), first_sep, *[1] * len(b), last_sep] for a, b in pairs]
    )


def made_of(left, right):
    """left(a), right(b): the pieces of segment 0 and of segment 1."""
    return lambda pairs: finish(
        [[*left(a), *right(b)] for a, b in pairs], [[0] * len(left(a)) + [1] * len(right(b)) for a, b in pairs]
    )


def changed(change):
    """change(ids, segments, real) of the right answer."""
    return lambda pairs: change(*finish(written(pairs), kinds(pairs)))


def ones_to_the_end(pairs):
    ids = filled(written(pairs), PAD)
    return ids, filled(kinds(pairs), 1), ids != PAD


def columns(pairs):
    firsts, seconds = filled([[CLS, *a] for a, _ in pairs], PAD), filled([b for _, b in pairs], PAD)
    seps = torch.full((len(pairs), 1), SEP)
    left, right = torch.cat([firsts, seps], 1), torch.cat([seconds, seps], 1)
    ids = torch.cat([left, right], 1)
    return ids, torch.cat([torch.zeros_like(left), torch.ones_like(right)], 1), ids != PAD


def right_aligned(pairs):
    ids = filled([row[::-1] for row in written(pairs)], PAD).flip(1)
    return ids, filled([row[::-1] for row in kinds(pairs)], 0).flip(1), ids != PAD


def ragged(pairs):
    rows = written(pairs)
    return rows, kinds(pairs), [[True] * len(row) for row in rows]


WRONG = [
    (segments_like(0, 0, 0), "the second [SEP] is in segment 0"),
    (segments_like(0, 1, 1), "the first [SEP] is in segment 1"),
    (segments_like(1, 0, 1), "[CLS] is in segment 1"),
    (changed(lambda ids, segments, real: (ids, torch.zeros_like(ids), real)), "all in segment 0"),
    (changed(lambda ids, segments, real: (ids, segments + real, real)), "segments are counted from 1"),
    (ones_to_the_end, "padding goes on with segment 1"),
    (changed(lambda ids, segments, real: (ids, segments, torch.ones_like(real))), "padding is attended"),
    (changed(lambda ids, segments, real: (ids, segments, real & (ids > SEP))), "special pieces are masked"),
    (changed(lambda ids, segments, real: (ids, segments, ids == PAD)), "the mask is turned round"),
    (made_of(lambda a: [CLS, *a], lambda b: [*b, SEP]), "no [SEP] between the sentences"),
    (made_of(lambda a: [CLS, *a, SEP], lambda b: b), "no [SEP] at the end"),
    (made_of(lambda a: [CLS, *a, SEP], lambda b: [CLS, *b, SEP]), "a [CLS] for each sentence"),
    (columns, "each sentence is filled up by itself"),
    (right_aligned, "padding in front"),
    (changed(lambda ids, segments, real: (ids, segments, real.long())), "1 and 0 instead of True and False"),
    (
        changed(lambda ids, segments, real: (ids.tolist(), segments.tolist(), real.long().tolist())),
        "1 and 0 instead of True and False",
    ),
    (ragged, "no padding"),
]
