"""Wrong answers to exercise 6.4 as readers write them, each with the mistake that must be named."""

import torch


def over_visible(scores, may):
    """Row by row over what may be seen; the rest stays 0."""
    weights = torch.zeros_like(scores)
    for place in torch.cartesian_prod(*(torch.arange(size) for size in scores.shape[:2])).tolist():
        row, seen = tuple(place), may[tuple(place)]
        if seen.any():
            weights[row][seen] = scores[row][seen].softmax(0)
    return weights


def later(scores):
    """True where the key comes after the query."""
    return torch.triu(torch.ones(scores.shape[1:]), diagonal=1).bool().expand_as(scores)


def keys(real):
    return real.unsqueeze(1).expand(-1, real.shape[1], -1)


def queries(real):
    return keys(real).transpose(1, 2)


def only_causal(scores, real):
    return over_visible(scores, ~later(scores))


def only_padding(scores, real):
    return over_visible(scores, keys(real))


def turned_round(scores, real):
    return over_visible(scores, ~later(scores).transpose(1, 2) & keys(real))


def strict(scores, real):
    return over_visible(scores, later(scores).transpose(1, 2) & keys(real))


def rows(scores, real):
    return over_visible(scores, ~later(scores) & queries(real))


def rows_and_columns(scores, real):
    return over_visible(scores, ~later(scores) & keys(real) & queries(real))


def either(scores, real):
    return over_visible(scores, ~later(scores) | keys(real))


def added(scores, real):
    mask = (~later(scores) & keys(real)).float()
    return torch.softmax(scores + mask, dim=-1)


def multiplied(scores, real):
    mask = (~later(scores) & keys(real)).float()
    return torch.softmax(scores * mask, dim=-1)


def too_late(scores, real):
    return torch.softmax(scores, dim=-1).masked_fill(later(scores) | ~keys(real), 0)


def very_low(scores, real):
    return torch.softmax(scores.masked_fill(later(scores) | ~keys(real), -1e10), dim=-1)


def minus_infinity(scores, real):
    return torch.softmax(scores.masked_fill(later(scores) | ~keys(real), -torch.inf), dim=-1)


WRONG = [
    (only_causal, "padding is seen"),
    (only_padding, "later words are seen"),
    (turned_round, "earlier words are hidden"),
    (strict, "a word does not see itself"),
    (rows, "rows instead of columns"),
    (rows_and_columns, "rows and columns"),
    (either, "one of the two is enough"),
    (added, "zeros and ones are added"),
    (multiplied, "zeros and ones are multiplied"),
    (too_late, "hidden after the softmax"),
    (very_low, "equal weights where nothing may be seen"),
    (minus_infinity, "NaN where nothing may be seen"),
]
