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


def _probe(shows, real, dim, hidden, step):
    batch = len(real)
    shapes = (batch, dim), (batch, hidden), (batch, hidden), (4 * hidden, dim), (4 * hidden, hidden), (4 * hidden,)
    x, h, c, *weights = (fixed_numbers(*shape, step=step + n) / 2 for n, shape in enumerate(shapes))
    return Probe(shows, x, h, c, torch.tensor(real), *weights)


_NO_STATE_KEPT = "torch.where(real[:, None], state, h) => state"
_NO_CELL_KEPT = "torch.where(real[:, None], cell, c) => cell"


PROBES = [
    _probe("one sentence", [True], 2, 3, 5),
    _probe("three sentences, no padding", [True, True, True], 3, 2, 3),
    _probe("one of three sentences has ended", [True, False, True], 2, 2, 7),
    _probe("two of four have ended", [False, True, True, False], 3, 4, 4),
]
MISTAKES = [
    ("padding is read like a word", (_NO_STATE_KEPT, _NO_CELL_KEPT)),
    ("the states of a sentence that has ended become 0", (", h) => , 0 * h)", ", c) => , 0 * c)")),
    ("one row at padding holds up all", "real[:, None] => real.all()"),
    ("the mask is turned round", "real[:, None] => ~real[:, None]"),
    (
        "only one of the two states is kept",
        _NO_CELL_KEPT,
        _NO_STATE_KEPT,
        (_NO_STATE_KEPT, "state = => cell = torch.where(real[:, None], cell, c)\n    state ="),
    ),
    ("padding is read as zeros", ("(x @ => (x * real[:, None] @", _NO_STATE_KEPT, _NO_CELL_KEPT)),
    (
        "the gates are taken in another order",
        *(f"i, f, g, o => {', '.join(o)}" for o in ("figo", "ifog", "igfo", "fiog", "iogf", "fgio", "oifg", "iofg")),
    ),
    ("a gate without its sigmoid", ".sigmoid() => ", "sigmoid => tanh"),
    ("no tanh of the new content", "g.tanh() => g", "g.tanh => g.sigmoid"),
    ("the state is shown without tanh", "cell.tanh() => cell"),
    ("the state is made from the old cell", "cell.tanh => c.tanh"),
    ("nothing is forgotten", "f.sigmoid() * c => c"),
    ("the forget gate is turned round", "f.sigmoid() => (1 - f.sigmoid())"),
    ("the input gate alone decides", "f.sigmoid() => (1 - i.sigmoid())", "f.sigmoid => i.sigmoid"),
    ("the new content has no gate", "i.sigmoid() * => "),
    ("the state before is not read", "+ h @ w_state.T => "),
    ("the word is not read", "x @ w_input.T + => "),
    ("no bias", " + bias => "),
    ("state and cell state are exchanged", lambda *a: lstm_step(*a)[::-1]),
]
EXERCISE = Exercise("3.7", lstm_step, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
