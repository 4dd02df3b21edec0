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


def mask(ids):
    return ids != PAD


def finish(rows, segments):
    ids = filled(rows, PAD)
    return ids, filled(segments, 0), mask(ids)


def words_of_b_only(pairs):
    return finish(written(pairs), [[0, *[0] * len(a), 0, *[1] * len(b), 0] for a, b in pairs])


def first_sep_belongs_to_b(pairs):
    return finish(written(pairs), [[0, *[0] * len(a), 1, *[1] * len(b), 1] for a, b in pairs])


def cls_is_other(pairs):
    return finish(written(pairs), [[1, *[0] * len(a), 0, *[1] * len(b), 1] for a, b in pairs])


def zeros(pairs):
    ids = filled(written(pairs), PAD)
    return ids, torch.zeros_like(ids), mask(ids)


def one_and_two(pairs):
    return finish(written(pairs), [[kind + 1 for kind in row] for row in kinds(pairs)])


def ones_to_the_end(pairs):
    ids = filled(written(pairs), PAD)
    return ids, filled(kinds(pairs), 1), mask(ids)


def all_real(pairs):
    ids, segments, real = finish(written(pairs), kinds(pairs))
    return ids, segments, torch.ones_like(real)


def words_are_real(pairs):
    ids, segments, real = finish(written(pairs), kinds(pairs))
    return ids, segments, real & (ids != CLS) & (ids != SEP)


def true_at_padding(pairs):
    ids, segments, _ = finish(written(pairs), kinds(pairs))
    return ids, segments, ids == PAD


def no_border(pairs):
    rows = [[CLS, *a, *b, SEP] for a, b in pairs]
    return finish(rows, [[0] + [0] * len(a) + [1] * len(b) + [1] for a, b in pairs])


def open_end(pairs):
    rows = [[CLS, *a, SEP, *b] for a, b in pairs]
    return finish(rows, [[0] + [0] * len(a) + [0] + [1] * len(b) for a, b in pairs])


def two_rows_in_one(pairs):
    rows = [[CLS, *a, SEP, CLS, *b, SEP] for a, b in pairs]
    return finish(rows, [[0] * (2 + len(a)) + [1] * (2 + len(b)) for a, b in pairs])


def columns(pairs):
    firsts = filled([[CLS, *a] for a, _ in pairs], PAD)
    seconds = filled([b for _, b in pairs], PAD)
    seps = torch.full((len(pairs), 1), SEP)
    left, right = torch.cat([firsts, seps], 1), torch.cat([seconds, seps], 1)
    ids = torch.cat([left, right], 1)
    return ids, torch.cat([torch.zeros_like(left), torch.ones_like(right)], 1), mask(ids)


def right_aligned(pairs):
    ids = filled([row[::-1] for row in written(pairs)], PAD).flip(1)
    return ids, filled([row[::-1] for row in kinds(pairs)], 0).flip(1), mask(ids)


def as_numbers(pairs):
    ids, segments, real = finish(written(pairs), kinds(pairs))
    return ids, segments, real.long()


def number_rows(pairs):
    return tuple(part.tolist() for part in as_numbers(pairs))


def ragged(pairs):
    rows = written(pairs)
    return rows, kinds(pairs), [[True] * len(row) for row in rows]


WRONG = [
    (words_of_b_only, "the second [SEP] is in segment 0"),
    (first_sep_belongs_to_b, "the first [SEP] is in segment 1"),
    (cls_is_other, "[CLS] is in segment 1"),
    (zeros, "all in segment 0"),
    (one_and_two, "segments are counted from 1"),
    (ones_to_the_end, "padding goes on with segment 1"),
    (all_real, "padding is attended"),
    (words_are_real, "special pieces are masked"),
    (true_at_padding, "the mask is turned round"),
    (no_border, "no [SEP] between the sentences"),
    (open_end, "no [SEP] at the end"),
    (two_rows_in_one, "a [CLS] for each sentence"),
    (columns, "each sentence is filled up by itself"),
    (right_aligned, "padding in front"),
    (as_numbers, "1 and 0 instead of True and False"),
    (number_rows, "1 and 0 instead of True and False"),
    (ragged, "no padding"),
]
