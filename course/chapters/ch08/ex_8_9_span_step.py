"""Exercise 8.9: one training step of the span head, its gradient by hand. Source: the loss is that of Devlin et al.
2019, arXiv:1810.04805, section 4.2; halved, as in their run_squad.py."""

import torch

from course.check.exercise import AUTOGRAD, Exercise, Probe


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


def _hot(logits, spans):
    return torch.zeros_like(logits).scatter(-1, spans.T[..., None], 1.0)


def _softmax(logits):
    return logits.softmax(-1)


def _step(
    probabilities=_softmax,
    error=lambda p, hot: p - hot,
    seen=lambda spans: spans,
    size=lambda error: 2 * error.shape[1],
    summed=lambda error, states: torch.einsum("krp,rpd->kd", error, states),
    of_bias=lambda error: error.sum((1, 2)),
    moved=lambda number, gradient, rate: number - rate * gradient,
):
    """error(p, hot): both [2, row, place]; size(error): what it is divided by; moved(number, gradient, rate)."""

    def model(states, logits, spans, weight, bias, rate):
        e = error(probabilities(logits), _hot(logits, seen(spans)))
        e = e / size(e)
        return moved(weight, summed(e, states), rate), moved(bias, of_bias(e), rate)

    return model


def _everywhere(logits):
    return logits.masked_fill(logits.isinf(), 0.0).softmax(-1)


def _all_logits(states, weight, bias):
    return (states @ weight.T + bias).movedim(-1, 0)


def _made_anew(states, logits, spans, weight, bias, rate):
    return span_step(states, _all_logits(states, weight, bias), spans, weight, bias, rate)


def _sizes(size):
    return _step(size=size)


def _probe(shows, n_rows, n_places, d_model, spans, hidden, rate, step):
    """hidden: (row, place) where no answer may be."""
    sizes = [n_rows * n_places * d_model, 2 * d_model, 2]
    numbers = ((torch.arange(sum(sizes)) * step % 29 - 13.0) / 9).split(sizes)
    states, weight = numbers[0].reshape(n_rows, n_places, d_model), numbers[1].reshape(2, d_model)
    logits = _all_logits(states, weight, numbers[2]).clone()
    for row, place in hidden:
        logits[:, row, place] = -torch.inf
    return Probe(shows, states, logits, torch.tensor(spans), weight, numbers[2], rate)


PROBES = [
    _probe("one row, of which every place is allowed", 1, 4, 2, [[1, 2]], [], 1.0, 5),
    _probe("three rows, of which every place is allowed", 3, 5, 4, [[0, 0], [2, 4], [1, 1]], [], 0.5, 7),
    _probe(
        "places where no answer may be", 2, 6, 3, [[2, 4], [0, 0]], [(0, 1), (0, 5), (1, 1), (1, 2), (1, 5)], 2.0, 11
    ),
]
MISTAKES = [
    ("the step goes uphill", _step(moved=lambda number, gradient, rate: number + rate * gradient)),
    ("the gradient instead of the new numbers", _step(moved=lambda number, gradient, rate: gradient)),
    ("the change instead of the new numbers", _step(moved=lambda number, gradient, rate: -rate * gradient)),
    ("the rate is not used", _step(moved=lambda number, gradient, rate: number - gradient)),
    ("the sum over rows", _sizes(lambda e: 2)),
    ("start and end are added", _sizes(lambda e: e.shape[1])),
    ("the sum over rows, start and end", _sizes(lambda e: 1)),
    ("the mean over places, too", _sizes(lambda e: e.numel()), _sizes(lambda e: e[0].numel())),
    ("the right place is not taken off", _step(error=lambda p, hot: p)),
    ("only the right place", _step(error=lambda p, hot: -hot), _step(error=lambda p, hot: (p - hot) * hot)),
    ("the end learns the start's place", _step(seen=lambda spans: spans[:, [0, 0]])),
    ("the start learns the end's place", _step(seen=lambda spans: spans[:, [1, 1]])),
    ("start and end are exchanged", _step(seen=lambda spans: spans.flip(1))),
    ("one gradient for both", _step(summed=lambda e, states: torch.einsum("krp,rpd->d", e, states).expand(2, -1))),
    ("softmax over the rows", _step(lambda logits: logits.softmax(1))),
    ("softmax over start and end", _step(lambda logits: logits.softmax(0))),
    ("softmax over rows and places", _step(lambda logits: logits.flatten(1).softmax(1).view_as(logits))),
    ("hidden places take part", _step(_everywhere), _made_anew),
    ("a sigmoid instead of a softmax", _step(torch.sigmoid)),
    ("log-probabilities", _step(lambda logits: logits.log_softmax(-1))),
    ("logits instead of probabilities", _step(lambda logits: logits)),
    ("the gradient of squared probabilities", _step(error=lambda p, hot: _squared(p, hot))),
    (
        "the bias has another gradient",
        _step(of_bias=lambda e: e.abs().sum((1, 2))),
        _step(of_bias=lambda e: e.clamp(max=0).sum((1, 2))),
    ),
    ("the first row alone", _step(error=lambda p, hot: (p - hot) * (torch.arange(p.shape[1]) == 0)[:, None])),
]


def _squared(p, hot):
    """Of the squared error of probabilities."""
    return 2 * p * ((p - hot) - ((p - hot) * p).sum(-1, keepdim=True))


EXERCISE = Exercise("8.9", span_step, PROBES, MISTAKES, 4, 5, 25, without=AUTOGRAD, learns=False)
