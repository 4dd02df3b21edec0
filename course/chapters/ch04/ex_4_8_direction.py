"""Exercise 4.8: one direction of ELMo, LSTMs with a projection and a residual connection. Source: Peters et al. 2018,
arXiv:1802.05365, section 3.4; the projection: Sak et al. 2014, arXiv:1402.1128, section 2.2."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def direction(x: torch.Tensor, layers: list[tuple]) -> torch.Tensor:
    """The states of all layers, [layer, position, dim]. x [position, dim]: the words' vectors, in the order of reading;
    layers: for each (w_input [4 * cells, dim], w_state [4 * cells, dim], bias [4 * cells], projection [dim, cells]);
    the rows of the first three belong to i, f, g and o, in this order.
    direction(torch.ones(2, 1), 2 * [(torch.zeros(4, 1), torch.zeros(4, 1), torch.ones(4), torch.ones(1, 1))])
    -> tensor([[[0.369606], [0.545346]], [[0.739213], [1.090692]]])"""
    states = []
    for w_input, w_state, bias, projection in layers:
        h, c, read = x.new_zeros(projection.shape[0]), x.new_zeros(projection.shape[1]), []
        for row in x:
            i, f, g, o = (w_input @ row + w_state @ h + bias).chunk(4)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = projection @ (o.sigmoid() * c.tanh())
            read.append(h)
        x = torch.stack(read) + (x if states else 0)
        states.append(x)
    return torch.stack(states)


def _probe(shows, position, dim, cells, n_layers, step):
    shapes = (4 * cells, dim), (4 * cells, dim), (4 * cells,), (dim, cells)

    def numbers(shape, step):
        return ((torch.arange(torch.Size(shape).numel()) * step % 13 - 5.5) / 6).reshape(shape)

    layers = [tuple(numbers(shape, step + 4 * n + k) for k, shape in enumerate(shapes)) for n in range(n_layers)]
    return Probe(shows, numbers((position, dim), 3), layers)


_WORDS, _NOTHING_ADDED = "states = [] => states, words = [], x", " + (x if states else 0) => "


PROBES = [
    _probe("one layer, one word", 1, 2, 3, 1, 5),
    _probe("one layer, four words", 4, 2, 2, 1, 3),
    _probe("two layers, as in ELMo", 5, 2, 3, 2, 2),
    _probe("three layers", 3, 3, 3, 3, 4),
]
MISTAKES = [
    ("no residual connection", _NOTHING_ADDED),
    ("a residual connection around the first layer, too", "(x if states else 0) => x"),
    ("the words are what is added", (_WORDS, "(x if => (words if")),
    ("only the words are added, in every layer", (_WORDS, "(x if states else 0) => words")),
    (
        "what is added comes into the next step",
        (_NOTHING_ADDED, "read.append => h = h + (row if states else 0)\n            read.append"),
    ),
    (
        "the sum is read, but not returned",
        ("x = torch.stack(read) => new = torch.stack(read)\n        x = new", "append(x) => append(new)"),
    ),
    (
        "the sum is returned, but not read",
        (
            "x = torch.stack(read) + (x if states else 0) => below, x = x, torch.stack(read)",
            "append(x) => append(x + (below if states else 0))",
        ),
    ),
    (
        "all layers read the words",
        (_WORDS, _NOTHING_ADDED, "in x => in words"),
        (_WORDS, "(x if => (words if", "in x => in words"),
    ),
    ("the state before is not read", " + w_state @ h => "),
    ("the cell state begins anew at each word", "f.sigmoid() * c + => "),
    ("no bias", " + bias => "),
    (
        "a layer goes on from the end of the one below",
        (
            "h, c, read = x.new_zeros(projection.shape[0]), x.new_zeros(projection.shape[1]), => read =",
            "states = [] => states = []\n    h, c = (x.new_zeros(n) for n in layers[0][3].shape)",
        ),
    ),
    ("the state is shown without tanh", "c.tanh() => c"),
    (
        "the gates are taken in another order",
        *(f"i, f, g, o => {', '.join(order)}" for order in ("figo", "ifog", "igfo")),
    ),
    ("the layers are in the opposite order", "stack(states) => stack(states).flip(0)"),
    ("read from the end", lambda x, layers: direction(x.flip(0), layers).flip(1)),
    ("the top layer only", Seen(lambda got, expected, *_: list(got.shape) == list(expected.shape[1:]))),
]
EXERCISE = Exercise("4.8", direction, PROBES, MISTAKES, 4, 5, 20, without=("LSTM", "LSTMCell"), learns=False)
