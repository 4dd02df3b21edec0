"""Wrong answers to exercise 6.4 as readers write them, each with the mistake that must be named."""

import torch


def over_visible(may):
    """Row by row over what may(earlier or the same, real keys, real queries) be seen; the rest stays 0."""

    def answer(scores, real):
        weights, visible = torch.zeros_like(scores), may(~later(scores), keys(real), keys(real).transpose(1, 2))
        for place in torch.cartesian_prod(*(torch.arange(size) for size in scores.shape[:2])).tolist():
            row, seen = tuple(place), visible[tuple(place)]
            if seen.any():
                weights[row][seen] = scores[row][seen].softmax(0)
        return weights

    return answer


def at_once(weights):
    """weights(scores, what may be seen)."""
    return lambda scores, real: weights(scores, ~later(scores) & keys(real))


def later(scores):
    """True where the key comes after the query."""
    return torch.triu(torch.ones(scores.shape[1:]), diagonal=1).bool().expand_as(scores)


def keys(real):
    return real.unsqueeze(1).expand(-1, real.shape[1], -1)


WRONG = [
    (over_visible(lambda causal, keys, queries: causal), "padding is seen"),
    (over_visible(lambda causal, keys, queries: keys), "later words are seen"),
    (over_visible(lambda causal, keys, queries: causal.transpose(1, 2) & keys), "earlier words are hidden"),
    (over_visible(lambda causal, keys, queries: causal & ~causal.transpose(1, 2) & keys), "a word does not see itself"),
    (over_visible(lambda causal, keys, queries: causal & queries), "rows instead of columns"),
    (over_visible(lambda causal, keys, queries: causal & keys & queries), "rows and columns"),
    (over_visible(lambda causal, keys, queries: causal | keys), "one of the two is enough"),
    (at_once(lambda scores, seen: torch.softmax(scores + seen.float(), dim=-1)), "zeros and ones are added"),
    (at_once(lambda scores, seen: torch.softmax(scores * seen.float(), dim=-1)), "zeros and ones are multiplied"),
    (at_once(lambda scores, seen: torch.softmax(scores, dim=-1).masked_fill(~seen, 0)), "hidden after the softmax"),
    (
        at_once(lambda scores, seen: torch.softmax(scores.masked_fill(~seen, -1e10), dim=-1)),
        "equal weights where nothing may be seen",
    ),
    (
        at_once(lambda scores, seen: torch.softmax(scores.masked_fill(~seen, -torch.inf), dim=-1)),
        "NaN where nothing may be seen",
    ),
]
