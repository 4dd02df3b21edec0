"""Wrong answers to exercise 4.5 as readers write them, each with the mistake that must be named."""

import torch
from torch import nn


def modules(n_characters, char_dim, filters, n_highway, out_dim, *, bias=True):
    n = sum(count for _, count in filters)
    with torch.device("meta"):  # counts need no memory
        return {
            "table": nn.Embedding(n_characters, char_dim),
            "convolutions": nn.ModuleList(nn.Conv1d(char_dim, count, width, bias=bias) for width, count in filters),
            "gates": nn.ModuleList(nn.Linear(n, n, bias=bias) for _ in range(n_highway)),
            "transforms": nn.ModuleList(nn.Linear(n, n, bias=bias) for _ in range(n_highway)),
            "projection": nn.Linear(n, out_dim, bias=bias),
        }


def count(parts, *names):
    return sum(parameter.numel() for name in names for parameter in parts[name].parameters())


def no_biases(*sizes):
    return count(modules(*sizes[:5], bias=False), *modules(*sizes[:5])), sizes[5] * sizes[4]


def width_one(n_characters, char_dim, filters, n_highway, out_dim, n_words):
    parts = modules(n_characters, char_dim, [(1, n) for _, n in filters], n_highway, out_dim)
    return count(parts, *parts), n_words * out_dim


def without(*names):
    """Parts that are forgotten."""
    return lambda *sizes: (count(modules(*sizes[:5]), *modules(*sizes[:5]).keys() - names), sizes[5] * sizes[4])


def wide_table(*sizes):
    parts = modules(*sizes[:5])
    return count(parts, *parts), sizes[5] * sum(n for _, n in sizes[2])


def pairs_read_backwards(n_characters, char_dim, filters, n_highway, out_dim, n_words):
    parts = modules(n_characters, char_dim, [(n, width) for width, n in filters], n_highway, out_dim)
    return count(parts, *parts), n_words * out_dim


WRONG = [
    (no_biases, "the biases are missing"),
    (width_one, "a filter is taken as one character wide"),
    (without("gates"), "a highway layer is taken as one linear layer"),
    (without("gates", "transforms"), "the highway layers are forgotten"),
    (without("projection"), "the projection is missing"),
    (without("table"), "the characters' vectors are missing"),
    (wide_table, "the lookup table is as wide as there are filters"),
    (pairs_read_backwards, "width and number of filters are exchanged"),
]
