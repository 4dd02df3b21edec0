"""Exercise 4.5: how large a character CNN is. Sizes: Peters et al. 2018, arXiv:1802.05365, section 3.4."""

from course.check.exercise import Exercise, Probe


def parameter_counts(
    n_characters: int, char_dim: int, filters: list[tuple[int, int]], n_highway: int, out_dim: int, n_words: int
) -> tuple[int, int]:
    """Parameters of (a character CNN, a lookup table of the same width for `n_words` words).
    filters: pairs (width in characters, how many filters of that width).
    parameter_counts(10, 2, [(1, 3)], 0, 4, 100) -> (45, 400)"""
    n_filters = sum(count for _, count in filters)
    table = n_characters * char_dim
    convolutions = sum(count * (width * char_dim + 1) for width, count in filters)
    highways = n_highway * 2 * (n_filters + 1) * n_filters
    projection = (n_filters + 1) * out_dim
    return table + convolutions + highways + projection, n_words * out_dim


def _count(
    n_characters,
    dim,
    filters,
    n_highway,
    out,
    words,
    *,
    bias="fhp",
    width=None,
    depth=None,
    linears=2,
    project=1,
    table=1,
):
    """bias: of filters, highway layers, projection."""
    n = sum(count for _, count in filters)
    f, h, p = (part in bias for part in "fhp")
    convolutions = sum(count * ((width or w) * (depth or dim) + f) for w, count in filters)
    total = table * n_characters * dim + convolutions + n_highway * linears * (n + h) * n
    return total + project * (n + p) * out, words * out


PROBES = [
    Probe("one width of filters, no highway layer", 11, 3, [(2, 5)], 0, 13, 100),
    Probe("one highway layer", 11, 3, [(2, 5)], 1, 13, 100),
    Probe("two widths of filters", 11, 3, [(1, 2), (2, 5)], 1, 13, 100),
    Probe("two highway layers", 17, 5, [(2, 3), (3, 4), (5, 7)], 2, 11, 300),
    Probe(
        "ELMo's sizes", 262, 16, [(1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)], 2, 512, 793_471
    ),
]
MISTAKES = [
    ("the biases are missing", lambda *a: _count(*a, bias="")),
    ("the filters have no bias", lambda *a: _count(*a, bias="hp")),
    ("the highway layers have no bias", lambda *a: _count(*a, bias="fp")),
    ("the last layer has no bias", lambda *a: _count(*a, bias="fh")),
    ("the linear layers have no bias", lambda *a: _count(*a, bias="f")),
    ("the lookup table is as wide as a character's vector", lambda *a: (parameter_counts(*a)[0], a[5] * a[1])),
    ("a filter is taken as one character wide", lambda *a: _count(*a, width=1)),
    ("a highway layer is taken as one linear layer", lambda *a: _count(*a, linears=1)),
    ("the highway layers are forgotten", lambda *a: _count(*a, linears=0)),
    ("only one highway layer is counted", lambda c, dim, filters, n, *a: _count(c, dim, filters, 1, *a)),
    ("the projection is missing", lambda *a: _count(*a, project=False)),
    ("the characters' vectors are missing", lambda *a: _count(*a, table=False)),
    ("the lookup table is as wide as there are filters", lambda *a: (_count(*a)[0], a[5] * sum(n for _, n in a[2]))),
    ("a filter sees one number per character", lambda *a: _count(*a, depth=1)),
    (
        "width and number of filters are exchanged",
        lambda c, dim, filters, *a: _count(c, dim, [pair[::-1] for pair in filters], *a),
    ),
    ("the two numbers are exchanged", lambda *a: parameter_counts(*a)[::-1]),
]
EXERCISE = Exercise("4.5", parameter_counts, PROBES, MISTAKES, difficulty=3, importance=3, minutes=12)
