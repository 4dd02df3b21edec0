"""Wrong answers to exercise 7.4 as readers write them, each with the mistake that must be named."""

import torch
from torch.nn.functional import embedding, layer_norm

EPS = 1e-12


def normed(x):
    return layer_norm(x, x.shape[-1:], eps=EPS)


def row_places(ids, places):
    return places[torch.arange(ids.shape[1])]


def made_of(vectors):
    """vectors(piece, place, segment) of each place."""
    return lambda ids, segments, pieces, places, kinds: vectors(pieces[ids], row_places(ids, places), kinds[segments])


def plain_sum(*inputs):
    return made_of(lambda piece, place, segment: piece + place + segment)(*inputs)


def ended(norm):
    """norm(sum of the three)."""
    return lambda *inputs: norm(plain_sum(*inputs))


def centred(x):
    return x - x.mean(-1, keepdim=True)


def side_by_side(ids, segments, pieces, places, kinds):
    rows = row_places(ids, places).expand(len(ids), -1, -1)
    return normed(torch.cat([embedding(ids, pieces), rows, embedding(segments, kinds)], dim=2))


def placed(rows):
    """rows(places, number of rows, pieces in a row): the vectors of the places."""
    return lambda ids, segments, pieces, places, kinds: normed(
        embedding(ids, pieces) + rows(places, *ids.shape) + embedding(segments, kinds)
    )


def restart(ids, segments, pieces, places, kinds):
    rows = []
    for row, own in zip(ids, segments, strict=True):
        numbers, count = [], {0: 0, 1: 0}
        for kind in own.tolist():
            numbers.append(count[kind])
            count[kind] += 1
        rows.append(pieces[row] + places[numbers] + kinds[own])
    return normed(torch.stack(rows))


WRONG = [
    (side_by_side, "the tables lie side by side"),
    (placed(lambda places, n, size: places[: n * size].unflatten(0, (n, size))), "places are counted over the batch"),
    (placed(lambda places, n, size: places[:n].unsqueeze(1)), "the number of the row is the place"),
    (restart, "places begin again in the second sentence"),
    (placed(lambda places, n, size: places[1 : size + 1]), "places are counted from 1"),
    (made_of(lambda piece, place, segment: normed(piece) + normed(place) + normed(segment)), "norm before the sum"),
    (made_of(lambda piece, place, segment: normed(piece) + place + segment), "only the piece is normed"),
    (plain_sum, "no norm"),
    (ended(lambda x: layer_norm(x, x.shape[1:], eps=EPS)), "norm over the row"),
    (ended(lambda x: normed(x.transpose(1, 2)).transpose(1, 2)), "norm over the wrong axis"),
    (ended(lambda x: x / torch.sqrt((x**2).mean(-1, keepdim=True) + EPS)), "the mean is not subtracted"),
    (ended(lambda x: centred(x) / (x.var(-1, unbiased=False, keepdim=True) + EPS)), "divided by the variance"),
    (ended(lambda x: centred(x) * torch.rsqrt(x.var(-1, keepdim=True) + EPS)), "the variance divides by d - 1"),
    (ended(lambda x: centred(x) / (x.std(-1, keepdim=True) + EPS)), "the variance divides by d - 1"),
    (ended(lambda x: centred(x) / (x.std(-1, keepdim=True, unbiased=False) + EPS)), "eps is added to the root"),
    (ended(lambda x: layer_norm(x, x.shape[-1:])), "another eps"),
    (made_of(lambda piece, place, segment: normed(piece + segment)), "no places"),
    (made_of(lambda piece, place, segment: normed(piece + place)), "no segments"),
    (
        made_of(lambda piece, place, segment: normed(piece.shape[-1] ** 0.5 * piece + place + segment)),
        "the piece is scaled",
    ),
]
