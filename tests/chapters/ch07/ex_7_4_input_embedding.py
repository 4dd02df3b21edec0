"""Wrong answers to exercise 7.4 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import embedding, layer_norm

EPS = 1e-12


def normed(x):
    return layer_norm(x, x.shape[-1:], eps=EPS)


def row_places(ids, places):
    return places[torch.arange(ids.shape[1])]


def side_by_side(ids, segments, pieces, places, kinds):
    rows = row_places(ids, places).expand(len(ids), -1, -1)
    return normed(torch.cat([embedding(ids, pieces), rows, embedding(segments, kinds)], dim=2))


def through_the_batch(ids, segments, pieces, places, kinds):
    flat = embedding(ids.flatten(), pieces) + places[: ids.numel()] + embedding(segments.flatten(), kinds)
    return normed(flat).unflatten(0, ids.shape)


def row_number(ids, segments, pieces, places, kinds):
    return normed(pieces[ids] + places[: ids.shape[0]].unsqueeze(1) + kinds[segments])


def restart(ids, segments, pieces, places, kinds):
    rows = []
    for row, own in zip(ids, segments, strict=True):
        numbers, count = [], {0: 0, 1: 0}
        for kind in own.tolist():
            numbers.append(count[kind])
            count[kind] += 1
        rows.append(pieces[row] + places[numbers] + kinds[own])
    return normed(torch.stack(rows))


def one_further(ids, segments, pieces, places, kinds):
    return normed(pieces[ids] + places[1 : ids.shape[1] + 1] + kinds[segments])


def three_norms(ids, segments, pieces, places, kinds):
    return normed(pieces[ids]) + normed(row_places(ids, places)) + normed(kinds[segments])


def normed_tables(ids, segments, pieces, places, kinds):
    return normed(pieces)[ids] + row_places(ids, normed(places)) + normed(kinds)[segments]


def piece_first(ids, segments, pieces, places, kinds):
    return normed(pieces[ids]) + row_places(ids, places) + kinds[segments]


def plain_sum(ids, segments, pieces, places, kinds):
    return pieces[ids] + row_places(ids, places) + kinds[segments]


def whole_row(*inputs):
    added = plain_sum(*inputs)
    return layer_norm(added, added.shape[1:], eps=EPS)


def over_places(*inputs):
    return normed(plain_sum(*inputs).transpose(1, 2)).transpose(1, 2)


def root_mean_square(*inputs):
    added = plain_sum(*inputs)
    return added / torch.sqrt((added**2).mean(-1, keepdim=True) + EPS)


def no_root(*inputs):
    added = plain_sum(*inputs)
    centred = added - added.mean(-1, keepdim=True)
    return centred / (added.var(-1, unbiased=False, keepdim=True) + EPS)


def torch_s_var(*inputs):
    added = plain_sum(*inputs)
    return (added - added.mean(-1, keepdim=True)) * torch.rsqrt(added.var(-1, keepdim=True) + EPS)


def torch_s_std(*inputs):
    added = plain_sum(*inputs)
    return (added - added.mean(-1, keepdim=True)) / (added.std(-1, keepdim=True) + EPS)


def eps_after_the_root(*inputs):
    added = plain_sum(*inputs)
    return (added - added.mean(-1, keepdim=True)) / (added.std(-1, keepdim=True, unbiased=False) + EPS)


def torch_s_eps(*inputs):
    added = plain_sum(*inputs)
    return layer_norm(added, added.shape[-1:])


def no_places(ids, segments, pieces, places, kinds):
    return normed(pieces[ids] + kinds[segments])


def no_segments(ids, segments, pieces, places, kinds):
    return normed(pieces[ids] + row_places(ids, places))


def as_in_2017(ids, segments, pieces, places, kinds):
    return normed(pieces.shape[1] ** 0.5 * pieces[ids] + row_places(ids, places) + kinds[segments])


WRONG = [
    (side_by_side, "the tables lie side by side"),
    (through_the_batch, "places are counted over the batch"),
    (row_number, "the number of the row is the place"),
    (restart, "places begin again in the second sentence"),
    (one_further, "places are counted from 1"),
    (three_norms, "norm before the sum"),
    (normed_tables, "norm before the sum"),
    (piece_first, "only the piece is normed"),
    (plain_sum, "no norm"),
    (whole_row, "norm over the row"),
    (over_places, "norm over the wrong axis"),
    (root_mean_square, "the mean is not subtracted"),
    (no_root, "divided by the variance"),
    (torch_s_var, "the variance divides by d - 1"),
    (torch_s_std, "the variance divides by d - 1"),
    (eps_after_the_root, "eps is added to the root"),
    (torch_s_eps, "another eps"),
    (no_places, "no places"),
    (no_segments, "no segments"),
    (as_in_2017, "the piece is scaled"),
]
