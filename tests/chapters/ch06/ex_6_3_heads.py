"""Wrong answers to exercise 6.3 as readers write them, each with the mistake that must be named."""

import torch


def pieces(values, n_heads):
    """[batch, head, key, dim], cut by slices."""
    return torch.stack(values.chunk(n_heads, dim=-1), dim=1)


def side_by_side(heads):
    return torch.cat(heads.unbind(dim=1), dim=-1)


def split_by_view(values, weights):
    batch, key = values.shape[:2]
    heads = values.view(batch, weights.shape[1], key, -1)
    return side_by_side(weights @ heads)


def join_by_view(values, weights):
    heads = weights @ pieces(values, weights.shape[1])
    return heads.contiguous().view(values.shape[0], weights.shape[2], values.shape[2])


def both_by_view(values, weights):
    batch, key, width = values.shape
    heads = weights @ values.view(batch, weights.shape[1], key, -1)
    return heads.contiguous().view(batch, weights.shape[2], width)


def cards(values, weights):
    result = torch.empty(values.shape[0], weights.shape[2], values.shape[2])
    n_heads = weights.shape[1]
    for head in range(n_heads):
        result[:, :, head::n_heads] = weights[:, head] @ values[:, :, head::n_heads]
    return result


def split_like_cards(values, weights):
    n_heads = weights.shape[1]
    return torch.cat([weights[:, head] @ values[:, :, head::n_heads] for head in range(n_heads)], dim=-1)


def joined_like_cards(values, weights):
    heads = weights @ pieces(values, weights.shape[1])
    return torch.stack(heads.unbind(dim=1), dim=-1).flatten(2)


def averaged(values, weights):
    return torch.stack([own @ values for own in weights.unbind(dim=1)]).mean(dim=0)


def first_head(values, weights):
    heads = pieces(values, weights.shape[1])
    return side_by_side(weights[:, :1] @ heads)


def whole_width(values, weights):
    return side_by_side(weights @ values[:, None])


def left_apart(values, weights):
    return weights @ pieces(values, weights.shape[1])


def doubled(values, weights):
    return 2 * side_by_side(weights @ pieces(values, weights.shape[1]))


WRONG = [
    (split_by_view, "view without transpose, in the split"),
    (join_by_view, "view without transpose, in the join"),
    (both_by_view, "view without transpose, both ways"),
    (cards, "the pieces are dealt out like cards"),
    (split_like_cards, "split like cards, joined side by side"),
    (joined_like_cards, "split side by side, joined like cards"),
    (averaged, "the mean of the heads"),
    (first_head, "the first head's weights for all"),
    (whole_width, "every head reads everything"),
    (left_apart, "not joined"),
    (doubled, "wrong"),
]
