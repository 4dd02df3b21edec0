"""Exercise 7.5: the loss of masked language modelling. Source: Devlin et al. 2018, arXiv:1810.04805, section 3.1, task
1; one table for input and output: Press & Wolf 2017, arXiv:1608.05859."""

import torch

from course.check.exercise import Exercise, Probe


def masked_loss(states: torch.Tensor, labels: torch.Tensor, table: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Nats for each place that is asked, one number. states [batch, piece, d_model]; labels [batch, piece]: the right
    piece, or -100 where nothing is asked; table [vocab, d_model]: the token table; bias [vocab].
    masked_loss(torch.zeros(1, 2, 3), torch.tensor([[5, -100]]), torch.zeros(7, 3), torch.zeros(7)) -> 1.9459"""
    asked = labels != -100
    logits = states[asked] @ table.T + bias
    log_probabilities = logits.log_softmax(dim=-1)
    return -log_probabilities.gather(1, labels[asked][:, None]).mean()


def _probe(shows, labels, d_model, vocab, step, scale=1):
    labels = torch.tensor(labels)
    sizes = [labels.numel() * d_model, vocab * d_model, vocab]
    states, table, bias = ((torch.arange(sum(sizes)) * step % 31 - 14.0) / 12).split(sizes)
    return Probe(shows, states.reshape(*labels.shape, d_model) * scale, labels, table.reshape(vocab, d_model), bias)


_NATS = "-log_probabilities.gather(1, labels[asked][:, None])"
_OF_ROWS = f"{_NATS}.mean() => torch.stack([row.mean() for row in ({_NATS}).split(asked.sum(1).tolist())])"
_NONE_ELSEWHERE = f"{_NATS}.mean() => torch.zeros(labels.shape).masked_scatter(asked, {_NATS})"
_AT_ALL_PLACES = "states[asked] => states"


PROBES = [
    _probe("one place is asked", [[-100, 4, -100]], 3, 7, 5),
    _probe("two rows, unequally many", [[-100, 6, 2, -100, 9], [1, -100, -100, -100, -100]], 5, 11, 7),
    _probe("three rows, one of them without a question", [[3, -100], [-100, -100], [0, 4]], 2, 5, 3),
    _probe("the right piece has next to no probability", [[2, -100]], 2, 5, 3, scale=1_000),
]
MISTAKES = [
    ("divided by all places", "mean() => sum() / labels.numel()"),
    ("the sum instead of the mean", "mean() => sum()"),
    ("each row counts the same", f"{_OF_ROWS}.nanmean()", f"{_OF_ROWS}.mean()", f"{_OF_ROWS}.nan_to_num(0.0).mean()"),
    ("-100 is asked, too", "asked = labels != -100 => asked, labels = labels == labels, labels.clamp(min=0)"),
    ("piece 0 is left out", "labels != -100 => labels > 0"),
    ("softmax over places", "dim=-1 => dim=0", (_AT_ALL_PLACES, "softmax(dim=-1) => softmax(dim=0)[asked]")),
    ("softmax over the places of a row", (_AT_ALL_PLACES, "softmax(dim=-1) => softmax(dim=1)[asked]")),
    ("two softmaxes", "logits.log => logits.softmax(dim=-1).log"),
    ("no bias", " + bias => "),
    ("the bias comes after the softmax", (" + bias => ", "dim=-1) => dim=-1) + bias")),
    ("the sign", "return - => return "),
    ("no logarithm", "return -log_probabilities => return log_probabilities.exp()"),
    ("the logarithm of the mean", ("-log_probabilities => -log_probabilities.exp()", "mean() => mean().log()")),
    ("bits instead of nats", "mean() => mean() / torch.tensor(2.0).log()"),
    ("the logarithm of 0", "log_softmax(dim=-1) => softmax(dim=-1).log()"),
    ("a number for each place", ".mean() => [:, 0]", _NONE_ELSEWHERE, f"{_NONE_ELSEWHERE}.flatten()"),
]
EXERCISE = Exercise("7.5", masked_loss, PROBES, MISTAKES, difficulty=2, importance=5, minutes=12)
