"""Wrong answers to exercise 5.4 as readers write them, each with the mistake that must be named."""

import torch


def of_real(view):
    """view(rows of real words), text by text."""
    return lambda states, mask: torch.stack([view(row[kept]) for row, kept in zip(states, mask, strict=True)])


last = of_real(lambda rows: rows[-1])
largest = of_real(lambda rows: rows.max(dim=0).values)
mean = of_real(lambda rows: rows.mean(dim=0))


def joined(*views):
    return lambda states, mask: torch.cat([view(states, mask) for view in views], dim=1)


def last_column(states, mask):
    return states[:, -1]


def padding_wins(states, mask):
    return states.max(dim=1).values


def padding_is_zero(states, mask):
    return states.masked_fill(~mask.unsqueeze(2), 0).max(dim=1).values


def divided_by_the_row(states, mask):
    return torch.stack([(row * kept[:, None]).mean(dim=0) for row, kept in zip(states, mask, strict=True)])


def padding_in_the_mean(states, mask):
    return states.mean(dim=1)


def off_by_one(states, mask):
    place = [min(int(kept.sum()), len(kept) - 1) for kept in mask]
    return torch.stack([row[at] for row, at in zip(states, place, strict=True)])


WRONG = [
    (joined(last_column, padding_wins, padding_in_the_mean), "padding counts everywhere"),
    (joined(last_column, largest, mean), "the last column instead of the last word"),
    (joined(last, padding_wins, mean), "padding wins the maximum"),
    (joined(last, padding_is_zero, mean), "padding is 0 in the maximum"),
    (joined(last, largest, divided_by_the_row), "the mean is over the whole row"),
    (joined(last, largest, padding_in_the_mean), "padding is part of the mean"),
    (joined(off_by_one, largest, mean), "one word too far"),
    (joined(last, mean, largest), "another order"),
    (last, "only one view"),
    (lambda *inputs: torch.stack([view(*inputs) for view in (last, largest, mean)], dim=1), "wrong"),
]
