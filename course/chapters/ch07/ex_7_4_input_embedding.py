"""Exercise 7.4: what goes into BERT. Source: Devlin et al. 2018, arXiv:1810.04805, section 3 and figure 2; layer norm:
Ba et al. 2016, arXiv:1607.06450."""

import torch

from course.check.exercise import Exercise, Probe


def input_embedding(
    ids: torch.Tensor, segments: torch.Tensor, pieces: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor
) -> torch.Tensor:
    """[batch, piece, d_model]. ids, segments [batch, piece]; three tables: pieces [vocab, d_model], places
    [longest, d_model], kinds [2, d_model]. In the layer norm eps is 1e-12; it has no learned scale and shift here.
    input_embedding(*torch.tensor([[[0]], [[1]]]), torch.tensor([[3.0, 1.0]]), *torch.zeros(2, 2, 2)) -> [[[1, -1]]]"""
    added = pieces[ids] + places[: ids.shape[1]] + kinds[segments]
    centred = added - added.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-12).sqrt()


def _norm(x, dim=-1, correction=0, eps=1e-12, after=0.0):
    """after: an eps that is added to the root."""
    variance, mean = torch.var_mean(x, dim=dim, keepdim=True, correction=correction)
    return (x - mean) / ((variance + eps).sqrt() + after)


def _in_row(ids, segments):
    return torch.arange(ids.shape[1]).expand_as(ids)


def _in_segment(ids, segments):
    """The second sentence begins at 0 again."""
    firsts = (segments == 0).sum(1, keepdim=True)
    return _in_row(ids, segments) - firsts * segments


def _embed(place=_in_row, join=lambda token, place, kind: token + place + kind, norm=_norm):
    def model(ids, segments, pieces, places, kinds):
        return norm(join(pieces[ids], places[place(ids, segments)], kinds[segments]))

    return model


def _same(x):
    return x


def _probe(shows, ids, first, d_model, step, scale=1.0, tables=(1, 1, 1)):
    """first: how many pieces of each row are in segment 0; tables: 0 for one of zeros."""
    ids = torch.tensor(ids)
    segments = (torch.arange(ids.shape[1]) >= torch.tensor(first)[:, None]).long()
    sizes = [rows * d_model for rows in (13, 11, 2)]
    numbers = ((torch.arange(sum(sizes)) * step % 29 - 12.0) / 5 * scale).split(sizes)
    return Probe(shows, ids, segments, *(n.reshape(-1, d_model) * on for n, on in zip(numbers, tables, strict=True)))


PROBES = [
    _probe("only the pieces: the other tables hold zeros", [[2, 7], [9, 3]], [1, 1], 3, 7, tables=(1, 0, 0)),
    _probe("only the places: the other tables hold zeros", [[2, 7], [9, 3]], [1, 1], 3, 7, tables=(0, 1, 0)),
    _probe("only the segments: the other tables hold zeros", [[2, 7], [9, 3]], [1, 2], 3, 7, tables=(0, 0, 1)),
    _probe("one row, two segments", [[2, 7, 9, 3, 8, 3]], [4], 5, 7),
    _probe("a batch of three rows", [[2, 5, 3], [2, 12, 3], [6, 6, 7]], [3, 2, 1], 3, 11),
    _probe("two rows, a piece that repeats", [[2, 4, 4, 3, 4], [2, 10, 3, 4, 3]], [4, 3], 7, 5),
    _probe("numbers so small that eps matters", [[2, 7, 9, 3, 8, 3]], [4], 3, 11, scale=1e-6),
    _probe("numbers so small that eps decides", [[2, 7, 9, 3, 8, 3]], [4], 3, 11, scale=1e-11),
]
MISTAKES = [
    ("the tables lie side by side", _embed(join=lambda *parts: torch.cat(parts, dim=-1))),
    ("places are counted over the batch", _embed(lambda ids, kinds: torch.arange(ids.numel()).reshape(ids.shape))),
    ("the number of the row is the place", _embed(lambda ids, kinds: torch.arange(len(ids))[:, None])),
    ("places begin again in the second sentence", _embed(_in_segment)),
    ("places are counted from 1", _embed(lambda *a: _in_row(*a) + 1)),
    ("norm before the sum", _embed(join=lambda *parts: sum(map(_norm, parts)), norm=_same)),
    ("only the piece is normed", _embed(join=lambda token, place, kind: _norm(token) + place + kind, norm=_same)),
    ("no norm", _embed(norm=_same)),
    ("norm over the row", _embed(norm=lambda x: _norm(x, dim=(1, 2)))),
    ("norm over the wrong axis", _embed(norm=lambda x: _norm(x, dim=1)), _embed(norm=lambda x: _norm(x, dim=(0, 1)))),
    (
        "the mean is not subtracted",
        _embed(norm=lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-12).sqrt()),
        _embed(norm=lambda x: x / (x.var(-1, False, keepdim=True) + 1e-12).sqrt()),
    ),
    ("divided by the variance", _embed(norm=lambda x: _norm(x) / (x.var(-1, False, keepdim=True) + 1e-12).sqrt())),
    (
        "the variance divides by d - 1",
        _embed(norm=lambda x: _norm(x, correction=1)),
        *(_embed(norm=lambda x, after=after: _norm(x, correction=1, eps=0, after=after)) for after in (1e-12, 0)),
    ),
    ("eps is added to the root", _embed(norm=lambda x: _norm(x, eps=0, after=1e-12))),
    ("no eps", _embed(norm=lambda x: _norm(x, eps=0))),
    ("another eps", *(_embed(norm=lambda x, eps=eps: _norm(x, eps=eps)) for eps in (1e-5, 1e-6, 1e-8))),
    ("no places", _embed(join=lambda token, place, kind: token + kind)),
    ("no segments", _embed(join=lambda token, place, kind: token + place)),
    ("the piece is scaled", _embed(join=lambda token, place, kind: token * token.shape[-1] ** 0.5 + place + kind)),
]
EXERCISE = Exercise("7.4", input_embedding, PROBES, MISTAKES, difficulty=2, importance=5, minutes=10)
