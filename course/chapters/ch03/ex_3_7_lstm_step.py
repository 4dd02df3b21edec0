"""Exercise 3.7: one step of an LSTM over a padded batch. Source: Hochreiter & Schmidhuber 1997; with the forget gate of
Gers, Schmidhuber & Cummins 2000, as in `nn.LSTM`."""

import torch

from course.chapters.ch03.ex_3_3_path_score import fixed_numbers
from course.check.exercise import Exercise, Probe


def lstm_step(
    x: torch.Tensor,
    h: torch.Tensor,
    c: torch.Tensor,
    real: torch.Tensor,
    w_input: torch.Tensor,
    w_state: torch.Tensor,
    bias: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(h, c) after one position. x [batch, dim]: its vectors; h, c [batch, hidden]: state and cell state before it;
    real [batch]: False where it is padding; w_input [4 * hidden, dim], w_state [4 * hidden, hidden], bias
    [4 * hidden]: in them the rows of i stand first, then those of f, g and o.
    lstm_step(*torch.ones(3, 1, 1), torch.tensor([True]), *torch.zeros(2, 4, 1), torch.zeros(4))
    -> (tensor([[0.23106]]), tensor([[0.5]]))"""
    i, f, g, o = (x @ w_input.T + h @ w_state.T + bias).chunk(4, dim=-1)
    cell = f.sigmoid() * c + i.sigmoid() * g.tanh()
    state = o.sigmoid() * cell.tanh()
    return torch.where(real[:, None], state, h), torch.where(real[:, None], cell, c)


def _keep(real, new, old):
    return torch.where(real[:, None], new, old)


def _step(
    order="ifgo",
    gate=torch.sigmoid,
    forget=lambda i, f: f,
    content=torch.tanh,
    cell=lambda i, f, g, c: f * c + i * g,
    shown=lambda new, old: new.tanh(),
    h_kept=_keep,
    c_kept=_keep,
    parts=(1, 1, 1),
):
    """order of the rows; gate: what makes one of its rows; cell(i, f, g, c); shown(new cell, old cell), before the
    output gate; h_kept, c_kept (real, new, old); parts: of input, state and bias that count."""

    def model(x, h, c, real, w_input, w_state, bias):
        one, two, three = parts
        rows = one * x @ w_input.T + two * h @ w_state.T + three * bias
        found = dict(zip(order, rows.chunk(4, -1), strict=True))
        i, f, o = (gate(found[name]) for name in "ifo")
        new = cell(i, forget(i, f), content(found["g"]), c)
        return h_kept(real, o * shown(new, c), h), c_kept(real, new, c)

    return model


def _at_padding(kept):
    return _step(h_kept=kept, c_kept=kept)


def _of_kept_cell(x, h, c, real, w_input, w_state, bias):
    """The cell state is kept at padding, and a state is made of it."""
    cell = lstm_step(x, h, c, real, w_input, w_state, bias)[1]
    return (x @ w_input.T + h @ w_state.T + bias).chunk(4, dim=-1)[3].sigmoid() * cell.tanh(), cell


def _zero(real, new, old):
    return new * real[:, None]


def _always(real, new, old):
    return new


def _probe(shows, real, dim, hidden, step):
    batch = len(real)
    shapes = (batch, dim), (batch, hidden), (batch, hidden), (4 * hidden, dim), (4 * hidden, hidden), (4 * hidden,)
    x, h, c, *weights = (fixed_numbers(*shape, step=step + n) / 2 for n, shape in enumerate(shapes))
    return Probe(shows, x, h, c, torch.tensor(real), *weights)


PROBES = [
    _probe("one sentence", [True], 2, 3, 5),
    _probe("three sentences, no padding", [True, True, True], 3, 2, 3),
    _probe("one of three sentences has ended", [True, False, True], 2, 2, 7),
    _probe("two of four have ended", [False, True, True, False], 3, 4, 4),
]
MISTAKES = [
    ("padding is read like a word", _at_padding(_always)),
    ("the states of a sentence that has ended become 0", _at_padding(_zero)),
    ("one row at padding holds up all", _at_padding(lambda real, new, old: new if real.all() else old)),
    ("the mask is turned round", _at_padding(lambda real, new, old: torch.where(real[:, None], old, new))),
    ("only one of the two states is kept", _step(c_kept=_always), _step(h_kept=_always), _of_kept_cell),
    ("padding is read as zeros", lambda x, h, c, real, *w: _at_padding(_always)(x * real[:, None], h, c, real, *w)),
    (
        "the gates are taken in another order",
        *map(_step, ("figo", "ifog", "igfo", "fiog", "iogf", "fgio", "oifg", "iofg")),
    ),
    ("a gate without its sigmoid", _step(gate=lambda rows: rows), _step(gate=torch.tanh)),
    ("no tanh of the new content", _step(content=lambda g: g), _step(content=torch.sigmoid)),
    ("the state is shown without tanh", _step(shown=lambda new, old: new)),
    ("the state is made from the old cell", _step(shown=lambda new, old: old.tanh())),
    ("nothing is forgotten", _step(forget=lambda i, f: 1.0)),
    ("the forget gate is turned round", _step(forget=lambda i, f: 1 - f)),
    ("the input gate alone decides", _step(forget=lambda i, f: 1 - i), _step(forget=lambda i, f: i)),
    ("the new content has no gate", _step(cell=lambda i, f, g, c: f * c + g)),
    ("the state before is not read", _step(parts=(1, 0, 1))),
    ("the word is not read", _step(parts=(0, 1, 1))),
    ("no bias", _step(parts=(1, 1, 0))),
    ("state and cell state are exchanged", lambda *a: lstm_step(*a)[::-1]),
]
EXERCISE = Exercise("3.7", lstm_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
