"""Exercise 6.4: the causal mask and padding. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3."""

import torch

from course.check.exercise import Exercise, Probe, Seen


def masked_weights(scores: torch.Tensor, real: torch.Tensor) -> torch.Tensor:
    """Weights [batch, query, key]: no later word, no padding. scores [batch, query, key]; real [batch, key]: True where
    a word is real. A query that may look at nothing has weights of 0.
    masked_weights(torch.zeros(1, 2, 2), torch.tensor([[True, True]])) -> [[[1.0, 0.0], [0.5, 0.5]]]"""
    may = torch.ones_like(scores[0], dtype=torch.bool).tril() & real[:, None, :]
    hidden = scores.masked_fill(~may, torch.finfo(scores.dtype).min)
    return hidden.softmax(dim=-1).masked_fill(~may, 0.0)


def _probe(shows, real, step, more=0.0):
    mask = torch.tensor(real, dtype=torch.bool)
    batch, n = mask.shape
    return Probe(shows, ((torch.arange(batch * n * n) * step % 17 - 6.0) / 4).reshape(batch, n, n) + more, mask)


_CAUSAL = "torch.ones_like(scores[0], dtype=torch.bool).tril()"
_WEIGHTS = "hidden.softmax(dim=-1).masked_fill(~may, 0.0)"
_NANS, _EVEN = (
    (f"torch.finfo(scores.dtype).min => {low}", ".masked_fill(~may, 0.0) => ") for low in ("-torch.inf", "-1e9")
)


def _seen(edit):
    """Another mask, whatever becomes of a row without a key."""
    return edit, (*_NANS, edit), (*_EVEN, edit)


_FAR = torch.tensor([[[200.0]], [[-200.0]]])
PROBES = [
    _probe("no padding", [[1, 1, 1]], 11),
    _probe("two texts, one of them padded", [[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]], 5),
    _probe("padding in front", [[0, 0, 1, 1, 1], [0, 1, 1, 1, 1]], 7),
    _probe("scores too large for exp", [[1, 1, 1, 1]] * 2, 3, _FAR),
]
MISTAKES = [
    ("padding is seen", " & real[:, None, :] => "),
    ("later words are seen", *_seen(f"{_CAUSAL} & => ")),
    ("earlier words are hidden", *_seen("tril() => triu()")),
    ("a word does not see itself", *_seen("tril() => tril(-1)")),
    (
        "a word always sees itself",
        "real[:, None, :] => (real[:, None, :] | torch.eye(real.shape[1], dtype=torch.bool))",
    ),
    ("rows instead of columns", *_seen("None, :] => :, None]")),
    ("rows and columns", *_seen("None, :] => None, :] & real[:, :, None]")),
    ("one of the two is enough", *_seen("& real => | real")),
    ("zeros and ones are added", f"{_WEIGHTS} => (scores + may.float()).softmax(dim=-1)"),
    ("zeros and ones are multiplied", f"{_WEIGHTS} => (scores * may).softmax(dim=-1)"),
    ("hidden after the softmax", "hidden.softmax => scores.softmax"),
    ("softmax over the queries", *_seen("dim=-1 => dim=1")),
    ("equal weights where nothing may be seen", _EVEN),
    ("lowered scores where nothing may be seen", f"{_WEIGHTS} => (scores - 1e4 * ~may).softmax(dim=-1)"),
    ("NaN where nothing may be seen", _NANS),
    (
        "0 times minus infinity",
        *(
            f"{_WEIGHTS} => (scores + ~may * -torch.inf).softmax(dim=-1){end}"
            for end in ("", ".nan_to_num(0.0)", ".where(may, 0.0)")
        ),
    ),
    ("the next word is seen", *_seen("tril() => tril(1)")),
    ("the mask is turned round", *_seen(f"{_CAUSAL} & real[:, None, :] => ~({_CAUSAL} & real[:, None, :])")),
    ("the mask of padding is turned round", *_seen("& real => & ~real")),
    (
        "the exponential overflows",
        Seen(lambda got, _, scores, real: scores.max() > 90 and not torch.as_tensor(got).sum(-1).allclose(real + 0.0)),
    ),
]
EXERCISE = Exercise("6.4", masked_weights, PROBES, MISTAKES, difficulty=3, importance=5, minutes=15)
