"""Wrong answers to exercise 6.3 as readers write them, each with the mistake that must be named."""

import torch


def slices(values, n_heads):
    """[batch, head, key, dim]"""
    return torch.stack(values.chunk(n_heads, dim=-1), dim=1)


def view(values, n_heads):
    return values.view(len(values), n_heads, values.shape[1], -1)


def cards(values, n_heads):
    return torch.stack([values[..., head::n_heads] for head in range(n_heads)], dim=1)


def side_by_side(heads):
    return torch.cat(heads.unbind(dim=1), dim=-1)


def flat_view(heads):
    return heads.contiguous().view(len(heads), heads.shape[2], -1)


def dealt(heads):
    return torch.stack(heads.unbind(dim=1), dim=-1).flatten(2)


def read(split, join):
    return lambda values, weights: join(weights @ split(values, weights.shape[1]))


WRONG = [
    (read(view, side_by_side), "view without transpose, in the split"),
    (read(slices, flat_view), "view without transpose, in the join"),
    (read(view, flat_view), "view without transpose, both ways"),
    (read(cards, dealt), "the pieces are dealt out like cards"),
    (read(cards, side_by_side), "split like cards, joined side by side"),
    (read(slices, dealt), "split side by side, joined like cards"),
    (read(lambda values, n_heads: values[:, None], lambda heads: heads.mean(dim=1)), "the mean of the heads"),
    (
        lambda values, weights: read(slices, side_by_side)(values, weights[:, :1].expand_as(weights)),
        "the first head's weights for all",
    ),
    (read(lambda values, n_heads: values[:, None], side_by_side), "every head reads everything"),
    (read(slices, lambda heads: heads), "not joined"),
    (read(slices, lambda heads: 2 * side_by_side(heads)), "wrong"),
]
