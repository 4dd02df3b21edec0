"""Wrong answers to exercise 5.4 as readers write them, each with the mistake that must be named."""

import torch


def last_real(states, mask):
    return torch.stack([row[kept][-1] for row, kept in zip(states, mask, strict=True)])


def largest_real(states, mask):
    return torch.stack([row[kept].max(dim=0).values for row, kept in zip(states, mask, strict=True)])


def mean_real(states, mask):
    return torch.stack([row[kept].mean(dim=0) for row, kept in zip(states, mask, strict=True)])


def no_mask(states, mask):
    return torch.cat([states[:, -1], states.max(dim=1).values, states.mean(dim=1)], dim=1)


def last_column(states, mask):
    return torch.cat([states[:, -1], largest_real(states, mask), mean_real(states, mask)], dim=1)


def padding_wins(states, mask):
    return torch.cat([last_real(states, mask), states.max(dim=1).values, mean_real(states, mask)], dim=1)


def padding_is_zero(states, mask):
    largest = states.masked_fill(~mask.unsqueeze(2), 0).max(dim=1).values
    return torch.cat([last_real(states, mask), largest, mean_real(states, mask)], dim=1)


def divided_by_the_row(states, mask):
    mean = torch.stack([(row * kept[:, None]).mean(dim=0) for row, kept in zip(states, mask, strict=True)])
    return torch.cat([last_real(states, mask), largest_real(states, mask), mean], dim=1)


def padding_in_the_mean(states, mask):
    return torch.cat([last_real(states, mask), largest_real(states, mask), states.mean(dim=1)], dim=1)


def off_by_one(states, mask):
    place = [min(int(kept.sum()), len(kept) - 1) for kept in mask]
    last = torch.stack([row[at] for row, at in zip(states, place, strict=True)])
    return torch.cat([last, largest_real(states, mask), mean_real(states, mask)], dim=1)


def mean_before_maximum(states, mask):
    return torch.cat([last_real(states, mask), mean_real(states, mask), largest_real(states, mask)], dim=1)


def last_only(states, mask):
    return last_real(states, mask)


def stacked(states, mask):
    return torch.stack([last_real(states, mask), largest_real(states, mask), mean_real(states, mask)], dim=1)


WRONG = [
    (no_mask, "padding counts everywhere"),
    (last_column, "the last column instead of the last word"),
    (padding_wins, "padding wins the maximum"),
    (padding_is_zero, "padding is 0 in the maximum"),
    (divided_by_the_row, "the mean is over the whole row"),
    (padding_in_the_mean, "padding is part of the mean"),
    (off_by_one, "one word too far"),
    (mean_before_maximum, "another order"),
    (last_only, "only one view"),
    (stacked, "wrong"),
]
