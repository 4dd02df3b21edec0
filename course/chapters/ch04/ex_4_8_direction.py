"""Exercise 4.8: one direction of ELMo, LSTMs with a projection and a residual connection. Source: Peters et al. 2018,
arXiv:1802.05365, section 3.4; the projection: Sak et al. 2014, arXiv:1402.1128, section 2.2."""

from itertools import pairwise

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


def _lstm(x, weights, order="ifgo", start=None, add=None, shown=torch.tanh, kept=(1, 1)):
    """(states, last h and c). add(h, row): what goes on into the next step; kept: how much of h and c does."""
    w_input, w_state, bias, projection = weights
    h, c = start or (torch.zeros(projection.shape[0]), torch.zeros(projection.shape[1]))
    states = []
    for row in x:
        found = dict(zip(order, (w_input @ row + kept[0] * w_state @ h + bias).chunk(4), strict=True))
        c = kept[1] * found["f"].sigmoid() * c + found["i"].sigmoid() * found["g"].tanh()
        h = projection @ (found["o"].sigmoid() * shown(c))
        h = add(h, row) if add else h
        states.append(h)
    return torch.stack(states), (h, c)


def _layers(around=lambda n, new, read, words: new + (read if n else 0), reads=lambda read, words: read, **lstm):
    """around(layer, new states, what it read, the words' vectors); reads(states below, the words' vectors)."""

    def model(words, layers):
        x, states = words, []
        for n, weights in enumerate(layers):
            read = reads(x, words)
            x = around(n, _lstm(read, weights, **lstm)[0], read, words)
            states.append(x)
        return torch.stack(states)

    return model


def _states_read(words, layers):
    """The next layer reads the states, and what is added to it is the states below, too."""
    states = [words]
    for weights in layers:
        states.append(_lstm(states[-1], weights)[0])
    return torch.stack([*states[1:2], *(new + read for read, new in pairwise(states[1:]))])


def _fed_back(words, layers):
    """What is added comes into the next step, too."""
    x, states = words, []
    for n, weights in enumerate(layers):
        x, _ = _lstm(x, weights, add=(lambda h, row: h + row) if n else None)
        states.append(x)
    return torch.stack(states)


def _goes_on(words, layers):
    """A layer starts from the last states of the one below."""
    x, states, last = words, [], None
    for weights in layers:
        new, last = _lstm(x, weights, start=last)
        x = new + (x if states else 0)
        states.append(x)
    return torch.stack(states)


def _only_shown(words, layers):
    """The next layer reads the sum, but what is returned is without it."""
    x, states = words, []
    for n, weights in enumerate(layers):
        new, _ = _lstm(x, weights)
        states.append(new)
        x = new + (x if n else 0)
    return torch.stack(states)


def _probe(shows, position, dim, cells, n_layers, step):
    shapes = (4 * cells, dim), (4 * cells, dim), (4 * cells,), (dim, cells)

    def numbers(shape, step):
        return ((torch.arange(torch.Size(shape).numel()) * step % 13 - 5.5) / 6).reshape(shape)

    layers = [tuple(numbers(shape, step + 4 * n + k) for k, shape in enumerate(shapes)) for n in range(n_layers)]
    return Probe(shows, numbers((position, dim), 3), layers)


PROBES = [
    _probe("one layer, one word", 1, 2, 3, 1, 5),
    _probe("one layer, four words", 4, 2, 2, 1, 3),
    _probe("two layers, as in ELMo", 5, 2, 3, 2, 2),
    _probe("three layers", 3, 3, 3, 3, 4),
]
MISTAKES = [
    ("no residual connection", _layers(around=lambda n, new, read, words: new)),
    ("a residual connection around the first layer, too", _layers(around=lambda n, new, read, words: new + read)),
    ("the words are what is added", _layers(around=lambda n, new, read, words: new + (words if n else 0))),
    ("only the words are added, in every layer", _layers(around=lambda n, new, read, words: new + words)),
    ("what is added comes into the next step", _fed_back),
    ("the sum is read, but not returned", _only_shown),
    ("the sum is returned, but not read", _states_read),
    (
        "all layers read the words",
        _layers(reads=lambda read, words: words, around=lambda n, new, *_: new),
        _layers(reads=lambda read, words: words),
    ),
    ("the state before is not read", _layers(kept=(0, 1))),
    ("the cell state begins anew at each word", _layers(kept=(1, 0))),
    ("no bias", lambda x, layers: direction(x, [(i, s, 0 * bias, p) for i, s, bias, p in layers])),
    ("a layer goes on from the end of the one below", _goes_on),
    ("the state is shown without tanh", _layers(shown=lambda c: c)),
    ("the gates are taken in another order", *(_layers(order=order) for order in ("figo", "ifog", "igfo"))),
    ("the layers are in the opposite order", lambda *a: direction(*a).flip(0)),
    ("read from the end", lambda x, layers: direction(x.flip(0), layers).flip(1)),
    ("the top layer only", Seen(lambda got, expected, *_: list(got.shape) == list(expected.shape[1:]))),
]
EXERCISE = Exercise("4.8", direction, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
