"""Exercise 6.8: cross-attention. Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.2.2 and 3.2.3."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def cross_attention(
    x: torch.Tensor,
    states: torch.Tensor,
    real: torch.Tensor,
    n_heads: int,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(what the written words take [batch, written, d_model], the weights [batch, head, written, source]).
    x [batch, written, d_model]: who asks; states [batch, source, d_model]: who is asked; real [batch, source]: False at
    padding; query, key, value, output [d_model, d_model]: matrices to multiply by from the right. Head 0 owns the first
    d_model / n_heads columns of the first three, and so on.
    cross_attention(torch.ones(1, 1, 1), torch.tensor([[[2.0], [4.0]]]), torch.tensor([[True, True]]), 1,
                    *torch.zeros(2, 1, 1), *torch.ones(2, 1, 1)) -> ([[[3.0]]], [[[[0.5, 0.5]]]])"""

    def heads(rows, matrix):
        return (rows @ matrix).unflatten(-1, (n_heads, -1)).transpose(1, 2)

    scores = heads(x, query) @ heads(states, key).mT / (x.shape[-1] / n_heads) ** 0.5
    weights = scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    return (weights @ heads(states, value)).transpose(1, 2).flatten(2) @ output, weights


def _probe(shows, real, n_written, n_heads, d_model, step, size=1):
    """size: x is multiplied by it."""
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(len(real), n_written, d_model), (*real.shape, d_model), *[(d_model, d_model)] * 4]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * step % 37 - 17.0) / 16).split(sizes)
    x, states, *matrices = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x * size, states, real, n_heads, *matrices)


_SOURCE_ASKS = (
    "heads(x, query) @ heads(states, key) => heads(states, query) @ heads(x, key)",
    "states, value => x, value",
)
_UNMASKED = ".masked_fill(~real[:, None, None], -torch.inf) => "
_BY_VIEW = "unflatten(-1, (n_heads, -1)).transpose(1, 2) => reshape(len(rows), n_heads, rows.shape[1], -1)"
_STACKED = "value)).transpose(1, 2).flatten(2) => value)).reshape(x.shape)"
_IN_TURN = "(n_heads, -1)).transpose(1, 2) => (-1, n_heads)).movedim(-1, 1)"
_IN_TURN_AGAIN = "value)).transpose(1, 2) => value)).movedim(1, -1)"


def _masked(edit):
    """Two ways to hide, which differ where a query may read nothing."""
    return edit, ("-torch.inf => -1e9", edit)


PROBES = [
    _probe("one head, no padding", [[1, 1, 1]], 2, 1, 3, 5),
    _probe("two heads, more words written than read", [[1, 1, 1]], 5, 2, 4, 7),
    _probe("two heads, a padded source", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 3, 2, 4, 11),
    _probe("three heads, sources of three lengths", [[1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]], 2, 3, 6, 13),
    _probe("as many words written as read", [[1, 1, 1], [1, 1, 0]], 3, 2, 4, 7),
    _probe("scores too large for exp", [[1, 1, 1]], 2, 2, 4, 7, size=128),
]
MISTAKES = [
    ("the source asks", (*_SOURCE_ASKS, _UNMASKED), (*_SOURCE_ASKS, "None, None], -torch.inf => None, :, None], -1e9")),
    ("the written words ask themselves", ("states => x", _UNMASKED)),
    ("the source asks itself", "heads(x => heads(states", ("heads(x => heads(states", _UNMASKED)),
    ("keys instead of values", "states, value => states, key"),
    ("the value matrix is missing", "states, value => states, torch.eye(len(value))"),
    ("the key matrix is missing", "states, key => states, torch.eye(len(key))"),
    ("the matrices are transposed", ("@ matrix => @ matrix.T", "@ output => @ output.T")),
    ("x is added", "return (weights => return x + (weights"),
    ("queries and keys are exchanged", ("x, query => x, key", "states, key => states, query")),
    ("padding is read", _UNMASKED),
    ("the mask is turned round", *_masked("~real => real")),
    (
        "later words of the source are hidden",
        *_masked("None, None], => None, None].expand_as(scores).tril(),"),
        # as in self-attention, which is only where both sides are of one length
        "None, None], => None, None].expand_as(scores).tril(0 if x.shape == states.shape else 99),",
    ),
    ("hidden after the softmax", (_UNMASKED, "dim=-1) => dim=-1) * real[:, None, None]")),
    ("softmax over the queries", *_masked("dim=-1 => dim=-2")),
    ("softmax over the heads", *_masked("dim=-1 => dim=1")),
    ("heads are mixed with words", _BY_VIEW, _STACKED, (_BY_VIEW, _STACKED)),
    ("the heads take turns in the columns", _IN_TURN, (_IN_TURN, _IN_TURN_AGAIN), _IN_TURN_AGAIN),
    ("one head for all", "scores = => n_heads = 1\n    scores ="),
    ("divided by the root of the whole width", " / n_heads) => )"),
    ("not divided", " / (x.shape[-1] / n_heads) ** 0.5 => "),
    ("divided without a root", " ** 0.5 => "),
    ("no output matrix", " @ output => "),
    ("the mean of the heads' weights", "output, weights => output, weights.mean(1)"),
    ("the weights are missing", "output, weights => output"),
    ("the exponential overflows", Seen(lambda got, *_: not torch.as_tensor(got[1]).sum(-1).isfinite().all())),
]
EXERCISE = Exercise("6.8", cross_attention, PROBES, MISTAKES, difficulty=4, importance=5, minutes=25, without=["loop"])
