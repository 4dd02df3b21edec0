"""Exercise 8.9: one training step of the span head, its gradient by hand. Source: the loss is that of Devlin et al.
2019, arXiv:1810.04805, section 4.2; halved, as in their run_squad.py."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe, Seen


def span_step(
    states: torch.Tensor,
    logits: torch.Tensor,
    spans: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor,
    rate: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """(weight, bias) after one step of gradient descent. states [row, place, d_model]: frozen; logits [2, row, place]:
    what the head says of them, start and end, minus infinity where no answer may be; spans [row, 2]: the places where
    the answer starts and ends; weight [2, d_model], bias [2]: the head's numbers before the step; rate: of learning.
    span_step(torch.tensor([[[1.0], [3.0]]]), torch.zeros(2, 1, 2), torch.tensor([[1, 1]]), torch.zeros(2, 1),
    torch.zeros(2), 1.0) -> ([[0.5], [0.5]], [0.0, 0.0])"""
    n = len(states)
    error = logits.softmax(dim=-1)
    error[0, range(n), spans[:, 0]] -= 1
    error[1, range(n), spans[:, 1]] -= 1
    error = error / (2 * n)  # the mean of rows, and of start and end
    gradient = torch.einsum("krp,rpd->kd", error, states)
    return weight - rate * gradient, bias - rate * error.sum(dim=(1, 2))


def _all_logits(states, weight, bias):
    return (states @ weight.T + bias).movedim(-1, 0)


def _made_anew(states, logits, spans, weight, bias, rate):
    return span_step(states, _all_logits(states, weight, bias), spans, weight, bias, rate)


def _probe(shows, n_rows, n_places, d_model, spans, hidden, rate, step, far=0.0):
    """hidden: (row, place) where no answer may be; far: added to the bias."""
    sizes = [n_rows * n_places * d_model, 2 * d_model, 2]
    numbers = ((torch.arange(sum(sizes)) * step % 29 - 13.0) / 9).split(sizes)
    states, weight = numbers[0].reshape(n_rows, n_places, d_model), numbers[1].reshape(2, d_model)
    bias = numbers[2] + far
    logits = _all_logits(states, weight, bias).clone()
    for row, place in hidden:
        logits[:, row, place] = -torch.inf
    return Probe(shows, states, logits, torch.tensor(spans), weight, bias, rate)


PROBES = [
    _probe("one row, of which every place is allowed", 1, 4, 2, [[1, 2]], [], 1.0, 5),
    _probe("three rows, of which every place is allowed", 3, 5, 4, [[0, 0], [2, 4], [1, 1]], [], 0.5, 7),
    _probe(
        "places where no answer may be", 2, 6, 3, [[2, 4], [0, 0]], [(0, 1), (0, 5), (1, 1), (1, 2), (1, 5)], 2.0, 11
    ),
    _probe("scores too large for exp", 2, 3, 2, [[0, 2], [1, 1]], [], 0.5, 5, far=torch.tensor([200.0, -200.0])),
]
MISTAKES = [
    ("the step goes uphill", "- rate => + rate"),
    ("the gradient instead of the new numbers", ("weight - rate * => ", "bias - rate * => ")),
    ("the change instead of the new numbers", ("weight - => -", "bias - => -")),
    ("the rate is not used", "rate * => "),
    ("the sum over rows", "(2 * n) => 2"),
    ("start and end are added", "(2 * n) => n"),
    ("the sum over rows, start and end", " / (2 * n) => "),
    ("the mean over places, too", "(2 * n) => error.numel()", "(2 * n) => error[0].numel()"),
    ("the right place is not taken off", "-= 1 => -= 0"),
    (
        "only the right place",
        "logits.softmax(dim=-1) => torch.zeros_like(logits)",
        "= error / => = error.clamp(max=0) /",
    ),
    ("the end learns the start's place", "spans[:, 1] => spans[:, 0]"),
    ("the start learns the end's place", "spans[:, 0] => spans[:, 1]"),
    ("start and end are exchanged", "n = => spans = spans.flip(1)\n    n ="),
    ("one gradient for both", ("->kd => ->d", "error, states) => error, states).expand(2, -1)")),
    ("softmax over the rows", "dim=-1 => dim=1"),
    ("softmax over start and end", "dim=-1 => dim=0"),
    ("softmax over rows and places", "softmax(dim=-1) => flatten(1).softmax(dim=1).view_as(logits)"),
    ("hidden places take part", "logits.softmax => logits.masked_fill(logits.isinf(), 0.0).softmax", _made_anew),
    ("a sigmoid instead of a softmax", "softmax(dim=-1) => sigmoid()"),
    ("log-probabilities", "softmax => log_softmax"),
    ("logits instead of probabilities", "softmax(dim=-1) => clone()"),
    (
        "the gradient of squared probabilities",
        (
            "error = logits.softmax(dim=-1) => p = logits.softmax(dim=-1)\n    error = p.clone()",
            "= error / => = 2 * p * (error - (error * p).sum(-1, keepdim=True)) /",
        ),
    ),
    ("the bias has another gradient", "error.sum => error.abs().sum", "error.sum => error.clamp(max=0).sum"),
    ("the first row alone", "error = error => error[:, 1:] = 0\n    error = error"),
    ("the exponential overflows", Seen(lambda got, *_: not torch.as_tensor(got[0]).isfinite().all())),
]


EXERCISE = Exercise("8.9", span_step, PROBES, MISTAKES, 4, 5, 25, without=AUTOGRAD, learns=False)
