"""Exercise 7.4: what goes into BERT. Source: Devlin et al. 2018, arXiv:1810.04805, section 3 and figure 2; layer norm:
Ba et al. 2016, arXiv:1607.06450."""

import torch

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def input_embedding(
    ids: torch.Tensor, segments: torch.Tensor, pieces: torch.Tensor, places: torch.Tensor, kinds: torch.Tensor
) -> torch.Tensor:
    """[batch, piece, d_model]. ids, segments [batch, piece]; three tables: pieces [vocab, d_model], places
    [longest, d_model], kinds [2, d_model]. In the layer norm eps is 1e-12; it has no learned scale and shift here"""
    added = pieces[ids] + places[: ids.shape[1]] + kinds[segments]
    centred = added - added.mean(dim=-1, keepdim=True)
    return centred / (centred.square().mean(dim=-1, keepdim=True) + 1e-12).sqrt()


def _norm(x, dim=-1, correction=0, eps=1e-12, after=0.0):
    """after: an eps that is added to the root."""
    variance, mean = torch.var_mean(x, dim=dim, keepdim=True, correction=correction)
    return (x - mean) / ((variance + eps).sqrt() + after)


def _in_row(ids, segments):
    return torch.arange(ids.shape[1]).expand_as(ids)


def _in_batch(ids, segments):
    return torch.arange(ids.numel()).reshape(ids.shape)


def _of_the_row(ids, segments):
    return torch.arange(len(ids))[:, None].expand_as(ids)


def _from_1(ids, segments):
    return _in_row(ids, segments) + 1


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


def _probe(shows, ids, first, d_model, step, scale=1.0):
    """`first`: how many pieces of each row are in segment 0."""
    ids = torch.tensor(ids)
    segments = (torch.arange(ids.shape[1]) >= torch.tensor(first)[:, None]).long()
    sizes = [rows * d_model for rows in (13, 11, 2)]
    tables = ((torch.arange(sum(sizes)) * step % 29 - 12.0) / 5 * scale).split(sizes)
    return Probe(shows, (ids, segments, *(table.reshape(-1, d_model) for table in tables)))


EXERCISE = Exercise(
    id="7.4",
    title="Three tables, added",
    difficulty=2,
    importance=5,
    minutes=10,
    question="""
        Each place of a row has a piece, a place and a segment. Each of the three picks a vector of the same width from
        its own learned table. **Add the three**, then take the layer norm: over the numbers of one vector, subtract
        the mean and divide by the root of variance plus `eps`. Places count from 0 in each row, over both sentences.
        Before you run it: all three tables are multiplied by 10. What happens to the result?
    """,
    solution=input_embedding,
    why="Nothing: the layer norm takes a common factor away. What counts is how large the three are beside each other. "
    "A sum of three loses less than it seems, since training can put them into different directions. Side by side "
    "they would need three times the width in all layers.",
    hints=(
        "Which shape do the three parts have before they are added? One of them lacks the axis of the batch.",
        "A table with a tensor of ids in brackets gives a vector for each id. For places a slice is enough. Mean and "
        "variance are taken over the last axis, and keepdim=True keeps the shapes together.",
        "Sum; minus its mean; divided by the root of the mean of the squares plus eps. torch.nn.functional.layer_norm "
        "does the second half in one call.",
    ),
    probes=(
        _probe("one row, two segments", [[2, 7, 9, 3, 8, 3]], [4], 5, 7),
        _probe("a batch of three rows", [[2, 5, 3], [2, 12, 3], [6, 6, 7]], [3, 2, 1], 3, 11),
        _probe("two rows, a piece that repeats", [[2, 4, 4, 3, 4], [2, 10, 3, 4, 3]], [4, 3], 7, 5),
        _probe("numbers so small that eps matters", [[2, 7, 9, 3, 8, 3]], [4], 3, 11, scale=1e-6),
    ),
    mistakes=(
        Mistake(
            "the tables lie side by side",
            "The three vectors are concatenated, so each is three times as wide. They are added.",
            model=_embed(join=lambda *parts: torch.cat(parts, dim=-1)),
        ),
        Mistake(
            "places are counted over the batch",
            "The second row goes on where the first ended. Places begin at 0 in each row.",
            model=_embed(place=_in_batch),
        ),
        Mistake(
            "the number of the row is the place",
            "All pieces of a row have the same place vector. The place is the column, not the row.",
            model=_embed(place=_of_the_row),
        ),
        Mistake(
            "places begin again in the second sentence",
            "The second sentence begins at place 0. Places go on over both: the segment tells the sentences apart.",
            model=_embed(place=_in_segment),
        ),
        Mistake(
            "places are counted from 1",
            "The first row of the table of places is never used.",
            model=_embed(place=_from_1),
        ),
        Mistake(
            "norm before the sum",
            "Each table is normed by itself. Add first: one norm, over the sum.",
            model=_embed(join=lambda *parts: sum(map(_norm, parts)), norm=_same),
        ),
        Mistake(
            "only the piece is normed",
            "Place and segment are added after the norm. All three belong under it.",
            model=_embed(join=lambda token, place, kind: _norm(token) + place + kind, norm=_same),
        ),
        Mistake(
            "no norm",
            "The plain sum is returned.",
            model=_embed(norm=_same),
        ),
        Mistake(
            "norm over the row",
            "Mean and variance run over all places of a row. Each vector is normed by itself.",
            model=_embed(norm=lambda x: _norm(x, dim=(1, 2))),
        ),
        Mistake(
            "norm over the wrong axis",
            "Mean and variance run over places. They should run over the numbers of one vector.",
            model=_embed(norm=lambda x: _norm(x, dim=1)),
        ),
        Mistake(
            "the mean is not subtracted",
            "Vectors are scaled but not centred.",
            model=_embed(norm=lambda x: x / (x.square().mean(-1, keepdim=True) + 1e-12).sqrt()),
        ),
        Mistake(
            "divided by the variance",
            "The root is missing.",
            model=_embed(norm=lambda x: _norm(x) / (x.var(-1, keepdim=True, correction=0) + 1e-12).sqrt()),
        ),
        Mistake(
            "the variance divides by d - 1",
            "torch's var and std divide by one less. A layer norm takes the plain mean of the squares.",
            model=_embed(norm=lambda x: _norm(x, correction=1)),
        ),
        Mistake(
            "the variance divides by d - 1",
            "torch's std divides by one less. A layer norm takes the plain mean of the squares; and eps belongs under "
            "the root.",
            model=_embed(norm=lambda x: _norm(x, correction=1, eps=0, after=1e-12)),
        ),
        Mistake(
            "eps is added to the root",
            "The root of the variance is taken first. Add eps to the variance, under the root.",
            model=_embed(norm=lambda x: _norm(x, eps=0, after=1e-12)),
        ),
        Mistake(
            "another eps",
            "torch's layer_norm has an eps of 1e-5 of its own. Give it the one of the docstring.",
            model=_embed(norm=lambda x: _norm(x, eps=1e-5)),
        ),
        Mistake(
            "no places",
            "The place has no influence: a network of attention could not tell the order.",
            model=_embed(join=lambda token, place, kind: token + kind),
        ),
        Mistake(
            "no segments",
            "The segment has no influence.",
            model=_embed(join=lambda token, place, kind: token + place),
        ),
        Mistake(
            "the piece is scaled",
            "The piece is multiplied by the root of the width. The Transformer of 2017 does that, BERT does not.",
            model=_embed(join=lambda token, place, kind: token * token.shape[-1] ** 0.5 + place + kind),
        ),
    ),
)
