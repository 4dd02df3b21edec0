"""Exercise 4.5: how large a character CNN is. Sizes: Peters et al. 2018, arXiv:1802.05365, section 3.4."""

from course_lib.exercises.exercise import Exercise, Mistake, Probe


def parameter_counts(
    n_characters: int, char_dim: int, filters: list[tuple[int, int]], n_highway: int, out_dim: int, n_words: int
) -> tuple[int, int]:
    """Parameters of (a character CNN, a lookup table of the same width for `n_words` words).
    filters: pairs (width in characters, how many filters of that width)."""
    n_filters = sum(count for _, count in filters)
    table = n_characters * char_dim
    convolutions = sum(count * (width * char_dim + 1) for width, count in filters)
    highways = n_highway * 2 * (n_filters + 1) * n_filters
    projection = (n_filters + 1) * out_dim
    return table + convolutions + highways + projection, n_words * out_dim


def _count(characters, dim, filters, n_highway, out, words, *, bias=1, width=None, linears=2, project=True, table=True):
    n = sum(count for _, count in filters)
    convolutions = sum(count * ((w if width is None else width) * dim + bias) for w, count in filters)
    total = table * characters * dim + convolutions + n_highway * linears * (n + bias) * n
    return total + project * (n + bias) * out, words * out


EXERCISE = Exercise(
    id="4.5",
    title="A character CNN against a lookup table",
    difficulty=3,
    importance=3,
    minutes=12,
    question="""
        Count the parameters of ELMo's token layer: a vector per character; convolutions of several widths, each filter
        with one bias; highway layers (exercise 4.3: two square linear layers each); a linear layer to `out_dim`. All
        linear layers have biases. The highway layers are as wide as there are filters in all. Beside it: a lookup table
        with a row of `out_dim` numbers per word.
        Before you run it: which of the two numbers changes when the vocabulary doubles?
    """,
    solution=parameter_counts,
    why="With ELMo's sizes: 18 million against 406 million for the 793,471 words of its corpus. Most of the 18 million "
    "are in the two highway layers. A new word adds nothing to the first number.",
    hints=(
        "Go part by part, and write the shape of each weight. A count is the product of a shape.",
        "A filter of width 3 sees three characters at once, each a vector. How many weights is that, for one filter?",
        "A linear layer from n to m has n times m weights and m biases. A highway layer has two, from n to n.",
    ),
    probes=(
        Probe("a small network", (11, 3, [(1, 2), (2, 5)], 1, 13, 100)),
        Probe("two highway layers", (17, 5, [(2, 3), (3, 4), (5, 7)], 2, 11, 300)),
        Probe(
            "ELMo's sizes",
            (262, 16, [(1, 32), (2, 32), (3, 64), (4, 128), (5, 256), (6, 512), (7, 1024)], 2, 512, 793_471),
        ),
    ),
    mistakes=(
        Mistake(
            "the biases are missing",
            "Each filter has one number more, and so has each output of a linear layer.",
            model=lambda *a: _count(*a, bias=0),
        ),
        Mistake(
            "a filter is taken as one character wide",
            "A filter of width 3 has weights for three characters.",
            model=lambda *a: _count(*a, width=1),
        ),
        Mistake(
            "a highway layer is taken as one linear layer",
            "It has two: one for the gate, one for the new value.",
            model=lambda *a: _count(*a, linears=1),
        ),
        Mistake(
            "the highway layers are forgotten",
            "The number of highway layers changes nothing. They hold most of ELMo's parameters.",
            model=lambda *a: _count(*a, linears=0),
        ),
        Mistake(
            "only one highway layer is counted",
            "Two highway layers give what one gives. Each has weights of its own.",
            model=lambda characters, dim, filters, n, *a: _count(characters, dim, filters, 1, *a),
        ),
        Mistake(
            "the projection is missing",
            "The last linear layer, from the filters to `out_dim`, is not counted.",
            model=lambda *a: _count(*a, project=False),
        ),
        Mistake(
            "the characters' vectors are missing",
            "The characters have a small lookup table of their own.",
            model=lambda *a: _count(*a, table=False),
        ),
        Mistake(
            "the lookup table is as wide as there are filters",
            "The first number is right. The table should take the CNN's place: as wide as the CNN's output.",
            model=lambda *a: (_count(*a)[0], a[5] * sum(count for _, count in a[2])),
        ),
        Mistake(
            "a filter sees one number per character",
            "A character is a vector. A filter has a weight for each of its numbers, at each place.",
            model=lambda c, dim, filters, *a: (
                parameter_counts(c, dim, filters, *a)[0] - sum(n * w * (dim - 1) for w, n in filters),
                parameter_counts(c, dim, filters, *a)[1],
            ),
        ),
        Mistake(
            "width and number of filters are exchanged",
            "A pair is (width in characters, how many filters of that width).",
            model=lambda c, dim, filters, *a: parameter_counts(c, dim, [pair[::-1] for pair in filters], *a),
        ),
        Mistake(
            "the two numbers are exchanged",
            "The character CNN comes first.",
            model=lambda *a: parameter_counts(*a)[::-1],
        ),
    ),
)
