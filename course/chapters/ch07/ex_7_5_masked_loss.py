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


def _logits(states, table, bias):
    return states @ table.T + bias


def _nats(logits, labels, log_softmax=lambda logits: logits.log_softmax(-1)):
    """-log p of each label, in the shape of labels; an answer of -100 counts as piece 0."""
    return -log_softmax(logits).gather(-1, labels.clamp(min=0)[..., None])[..., 0]


def _underflowing(logits, labels):
    """The logarithm of a softmax, of which 0 is left."""
    return _nats(logits, labels, lambda logits: logits.softmax(-1).log())


def _none_elsewhere(nats, asked):
    return nats.where(asked, torch.tensor(0.0))


def _loss(logits=_logits, mean=lambda nats, asked: nats[asked].mean(), nats=_nats):
    """logits(states, table, bias); nats(logits, labels); mean(nats, asked), both [batch, piece]."""

    def model(states, labels, table, bias):
        return mean(nats(logits(states, table, bias), labels), labels != -100)

    return model


def _probability(logits, labels):
    return (-_nats(logits, labels)).exp()


def _mean_of_rows(nats, asked):
    return torch.stack([row[own].mean() for row, own in zip(nats, asked, strict=True)])


def _over_places(logits, labels):
    """The softmax runs over all places of all rows that are asked."""
    asked = labels != -100
    spread = torch.zeros_like(logits)
    spread[asked] = logits[asked].log_softmax(0)
    return _nats(spread, labels, lambda logits: logits)


def _bias_last(states, labels, table, bias):
    asked = labels != -100
    return (_nats(states @ table.T, labels)[asked] - bias[labels[asked]]).mean()


def _probe(shows, labels, d_model, vocab, step, scale=1):
    labels = torch.tensor(labels)
    sizes = [labels.numel() * d_model, vocab * d_model, vocab]
    states, table, bias = ((torch.arange(sum(sizes)) * step % 31 - 14.0) / 12).split(sizes)
    return Probe(shows, states.reshape(*labels.shape, d_model) * scale, labels, table.reshape(vocab, d_model), bias)


PROBES = [
    _probe("one place is asked", [[-100, 4, -100]], 3, 7, 5),
    _probe("two rows, unequally many", [[-100, 6, 2, -100, 9], [1, -100, -100, -100, -100]], 5, 11, 7),
    _probe("three rows, one of them without a question", [[3, -100], [-100, -100], [0, 4]], 2, 5, 3),
    _probe("the right piece has next to no probability", [[2, -100]], 2, 5, 3, scale=1_000),
]
MISTAKES = [
    ("divided by all places", _loss(mean=lambda nats, asked: nats[asked].sum() / asked.numel())),
    ("the sum instead of the mean", _loss(mean=lambda nats, asked: nats[asked].sum())),
    (
        "each row counts the same",
        _loss(mean=lambda *a: _mean_of_rows(*a).nanmean()),
        _loss(mean=lambda *a: _mean_of_rows(*a).mean()),
        _loss(mean=lambda *a: _mean_of_rows(*a).nan_to_num(0.0).mean()),
    ),
    ("-100 is asked, too", _loss(mean=lambda nats, asked: nats.mean())),
    ("piece 0 is left out", lambda states, labels, *a: masked_loss(states, labels.where(labels != 0, -100), *a)),
    ("softmax over places", _loss(nats=_over_places), _loss(nats=lambda *a: _nats(*a, lambda z: z.log_softmax(0)))),
    ("softmax over the places of a row", _loss(nats=lambda *a: _nats(*a, lambda logits: logits.log_softmax(1)))),
    ("two softmaxes", _loss(logits=lambda *a: _logits(*a).softmax(-1))),
    ("no bias", _loss(logits=lambda states, table, bias: states @ table.T)),
    ("the bias comes after the softmax", _bias_last),
    ("the sign", _loss(mean=lambda nats, asked: -nats[asked].mean())),
    ("no logarithm", _loss(nats=_probability)),
    ("the logarithm of the mean", _loss(nats=_probability, mean=lambda p, asked: -p[asked].mean().log())),
    ("bits instead of nats", _loss(mean=lambda nats, asked: nats[asked].mean() / torch.tensor(2.0).log())),
    ("the logarithm of 0", _loss(nats=_underflowing)),
    (
        "a number for each place",
        _loss(mean=lambda nats, asked: nats[asked]),
        _loss(mean=_none_elsewhere),
        _loss(mean=lambda *a: _none_elsewhere(*a).flatten()),
    ),
]
EXERCISE = Exercise("7.5", masked_loss, PROBES, MISTAKES, difficulty=2, importance=5, minutes=12)
