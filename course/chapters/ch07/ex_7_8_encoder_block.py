"""Exercise 7.8: one block of BERT's encoder. Source: Vaswani et al. 2017, arXiv:1706.03762, sections 3.1 to 3.3; GELU:
Devlin et al. 2018, arXiv:1810.04805, appendix A.2."""

import torch
from torch.nn import functional as F

from course.check.exercise import Exercise, Probe, Seen


def encoder_block(
    x: torch.Tensor,
    real: torch.Tensor,
    n_heads: int,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    inner: torch.Tensor,
    outer: torch.Tensor,
) -> torch.Tensor:
    """The states after the block, [batch, place, d_model]. x: those before it; real [batch, place]: False at padding;
    query, key, value, output [d_model, d_model], inner [d_model, d_ff], outer [d_ff, d_model]: matrices to multiply
    by from the right, without a bias. Head 0 owns the first d_model / n_heads columns of the first three, and so on.
    encoder_block(torch.tensor([[[3.0, 1.0]]]), torch.tensor([[True]]), 1, *torch.zeros(6, 2, 2)) -> [[[1.0, -1.0]]]"""

    def heads(matrix):
        return (x @ matrix).unflatten(-1, (n_heads, -1)).transpose(1, 2)

    def norm(states):
        return F.layer_norm(states, states.shape[-1:], eps=1e-12)

    scores = heads(query) @ heads(key).mT / (x.shape[-1] / n_heads) ** 0.5
    weights = scores.masked_fill(~real[:, None, None], -torch.inf).softmax(dim=-1)
    taken = (weights @ heads(value)).transpose(1, 2).flatten(2) @ output
    between = norm(x + taken)
    return norm(between + F.gelu(between @ inner) @ outer)


def _probe(shows, real, n_heads, d_model, d_ff, step, on=(1, 1, 1, 1, 1, 1), size=1.0):
    """on: what query, key, value, output, inner, outer are multiplied by, 0 for zeros; size: what x is."""
    real = torch.tensor(real, dtype=torch.bool)
    shapes = [(*real.shape, d_model), *[(d_model, d_model)] * 4, (d_model, d_ff), (d_ff, d_model)]
    sizes = [torch.Size(shape).numel() for shape in shapes]
    numbers = ((torch.arange(sum(sizes)) * step % 37 - 17.0) / 16).split(sizes)
    x, *matrices = (part.reshape(shape) for part, shape in zip(numbers, shapes, strict=True))
    return Probe(shows, x * size, real, n_heads, *(matrix * one for matrix, one in zip(matrices, on, strict=True)))


_NO_NORM = "norm(x + taken) => x + taken", "norm(between => (between"
_NORM = "F.layer_norm(states, states.shape[-1:], eps=1e-12)"
_UNMASKED = ".masked_fill(~real[:, None, None], -torch.inf) => "
_BY_VIEW = "unflatten(-1, (n_heads, -1)).transpose(1, 2) => reshape(len(x), n_heads, x.shape[1], -1)"
_STACKED = "value)).transpose(1, 2).flatten(2) => value)).reshape(x.shape)"


def _masked(edit):
    """Three ways to hide, which differ where a query may read nothing: the last is that of
    scaled_dot_product_attention."""
    return edit, ("-torch.inf => -1e9", edit), ("softmax(dim=-1) => softmax(dim=-1).nan_to_num(0.0)", edit)


PROBES = [
    _probe("all matrices hold zeros", [[1, 1]], 1, 3, 2, 5, on=(0, 0, 0, 0, 0, 0)),
    _probe("all matrices hold zeros, and x is small", [[1, 1]], 1, 3, 2, 5, on=(0, 0, 0, 0, 0, 0), size=1e-4),
    _probe("only the feed-forward network: the other matrices hold zeros", [[1, 1]], 1, 3, 4, 7, on=(0, 0, 0, 0, 1, 1)),
    _probe(
        "only attention, one head: the last two matrices hold zeros", [[1, 1, 1]], 1, 3, 2, 11, on=(1, 1, 1, 1, 0, 0)
    ),
    _probe("only attention, two heads, no padding", [[1, 1, 1]], 2, 4, 2, 13, on=(1, 1, 1, 1, 0, 0)),
    _probe("only attention, two heads, padding", [[1, 1, 1, 0], [1, 1, 0, 0]], 2, 4, 2, 5, on=(1, 1, 1, 1, 0, 0)),
    _probe("scores too large for exp", [[1, 1, 1]], 1, 3, 2, 11, on=(1024, 1, 1, 1, 0, 0)),
    _probe("both parts, three heads, padding", [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]], 3, 6, 8, 17),
]
MISTAKES = [
    ("norm before each part", ("(x @ => (norm(x) @", *_NO_NORM, "between @ => norm(between) @")),
    (
        "the way around takes the normed value",
        (
            "(x @ => (norm(x) @",
            "norm(x + taken) => norm(x) + taken",
            "norm(between + F.gelu(between => norm(between) + (F.gelu(norm(between)",
        ),
    ),
    ("only what is added is normed", ("norm(x + taken) => x + norm(taken)", "norm(between + F => between + norm(F")),
    ("no way around", ("x + taken => taken", "between + F => F"), "x + taken => taken", "between + F => F"),
    (
        "the second way around begins at the block's input",
        "between + F => x + F",
        ("between + F => x + F", "between @ => x @"),
    ),
    ("the feed-forward network reads the block's input", "between @ => x @"),
    ("no norm", _NO_NORM),
    ("one norm is missing", *_NO_NORM),
    (
        "norm over the wrong axis",
        f"{_NORM} => F.layer_norm(states.mT, states.mT.shape[-1:], eps=1e-12).mT",
        "shape[-1:], => shape[1:],",
    ),
    (
        "the variance divides by d - 1",
        f"{_NORM} => (states - states.mean(-1, keepdim=True)) / (states.var(-1, keepdim=True) + 1e-12).sqrt()",
    ),
    ("another eps", "1e-12 => 1e-5", "1e-12 => 1e-6"),
    ("the mask is turned round", *_masked("~real => real")),
    ("padding is read", _UNMASKED),
    ("rows instead of columns", *_masked("None, None], => None, :, None],")),
    ("padding may not ask", *_masked("~real[:, None, None] => ~(real[:, None, None] & real[:, None, :, None])")),
    ("later places are hidden", *_masked("None, None], => None, None].expand_as(scores).tril(),")),
    ("hidden after the softmax", (_UNMASKED, "dim=-1) => dim=-1) * real[:, None, None]")),
    ("softmax over the queries", *_masked("dim=-1 => dim=-2")),
    ("softmax over the heads", *_masked("dim=-1 => dim=1")),
    ("heads are mixed with places", _BY_VIEW, _STACKED, (_BY_VIEW, _STACKED)),
    ("one head for all", "scores = => n_heads = 1\n    scores =", "(n_heads, -1) => (1, -1)"),
    ("divided by the root of the whole width", " / n_heads) => )"),
    ("not divided", " / (x.shape[-1] / n_heads) ** 0.5 => "),
    ("divided without a root", " ** 0.5 => "),
    ("queries and keys are exchanged", "heads(query) @ heads(key) => heads(key) @ heads(query)"),
    ("the matrices are transposed", ("@ matrix => @ matrix.T", "@ output => @ output.T")),
    ("no output matrix", " @ output => "),
    ("no activation", "F.gelu => "),
    ("another activation", "gelu => relu", "F.gelu => torch.tanh", "@ inner) => @ inner, approximate='tanh')"),
    ("the exponential overflows", Seen(lambda got, *_: not torch.as_tensor(got).isfinite().all())),
]
EXERCISE = Exercise("7.8", encoder_block, PROBES, MISTAKES, difficulty=4, importance=5, minutes=30)
