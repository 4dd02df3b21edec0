"""Exercise 7.9: what one training step computes, from sentences to the loss. Source: Devlin et al. 2018,
arXiv:1810.04805, section 3.1, task 1, and appendix A.2."""

from dataclasses import dataclass, field

import torch
from torch.nn import functional as F

from course.check.exercise import Exercise, Probe


def step_loss(sentences: list[list[int]], mask, network, table: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Nats for each place that is asked, one number. sentences: ids of pieces, all above 4; mask(ids) -> (what is
    read, labels), -100 where nothing is asked; network(read, real) -> states [batch, place, d_model], real False at
    padding; ids, read, labels, real are [batch, place]; table [vocab, d_model]: the token table; bias [vocab].
    step_loss([[5]], lambda i: (i, i), lambda *_: torch.zeros(1, 3, 2), torch.zeros(7, 2), torch.zeros(7)) -> 1.9459"""
    longest = max(map(len, sentences))
    rows = [[2, *sentence, 3] + [0] * (longest - len(sentence)) for sentence in sentences]
    ids = torch.tensor(rows)
    read, labels = mask(ids)
    states = network(read, ids != 0)
    asked = labels != -100
    scores = states[asked] @ table.T + bias
    return F.cross_entropy(scores, labels[asked])


@dataclass(frozen=True)
class _Masking:
    """Chooses by id and place, so that rows may be of any form, and at each call anew. Some of the chosen places show
    another piece, some the same."""

    name: str
    calls: list = field(default_factory=list, compare=False)

    def __call__(self, ids):
        ids = _whole(ids)
        place = torch.arange(ids.shape[1]) + len(self.calls)
        self.calls.append(ids.shape)
        chosen = (ids > 4) & ((2 * ids + place) % 3 == 0)
        fate = (ids + 2 * place) % 5
        read = torch.where(chosen & (fate < 3), 4, torch.where(chosen & (fate == 3), 5 + ids % 4, ids))
        return read, torch.where(chosen, ids, -100)


@dataclass(frozen=True)
class _Network:
    """A state tells its own piece and place, and what stands at the real places."""

    name: str
    d_model: int

    def __call__(self, read, real):
        read, real = _whole(read), torch.as_tensor(real)
        if real.shape != read.shape:
            raise ValueError(f"what is read has shape {list(read.shape)}, and real has {list(real.shape)}")
        numbers, place = torch.arange(self.d_model) + 2, torch.arange(1, read.shape[1] + 1)[:, None]
        vectors = ((read[..., None] * numbers + place * 3) % 11 - 5.0) / 4
        around = (vectors * place * (real != 0)[..., None]).sum(1, keepdim=True) / 8
        return vectors + around.sin()


def _whole(ids):
    ids = torch.as_tensor(ids)
    if ids.dim() != 2 or ids.is_floating_point():
        raise TypeError(f"ids are whole numbers, [batch, place], not {ids.dtype} of shape {list(ids.shape)}")
    return ids


def _filled(rows, front=False):
    n = max(map(len, rows))
    return torch.tensor([[0] * (n - len(r)) + r if front else r + [0] * (n - len(r)) for r in rows])


def _closed(sentences):
    return _filled([[2, *sentence, 3] for sentence in sentences])


def _closed_last(sentences):
    rows = _filled([[2, *sentence] for sentence in sentences])
    return torch.cat([rows, torch.full((len(rows), 1), 3)], dim=1)


def _real(ids, *_):
    return ids != 0


def _nats(scores, labels, **mean):
    """scores [batch, place, vocab]"""
    return F.cross_entropy(scores.mT, labels, **mean)


def _of_rows(scores, labels):
    return torch.stack([F.cross_entropy(row, own) for row, own in zip(scores, labels, strict=True)])


def _step(
    rows=_closed,
    seen=lambda ids, read: read,
    real=_real,
    asked=lambda ids, read, labels: labels,
    shift=0,
    scores=lambda states, table, bias: states @ table.T + bias,
    loss=_nats,
):
    """seen(ids, read), real(ids, read, labels): what the network is given; asked(ids, read, labels): the labels; shift:
    how far a state stands before its label; loss(scores, labels)."""

    def model(sentences, mask, network, table, bias):
        ids = rows(sentences)
        read, labels = mask(ids)
        states, labels = network(seen(ids, read), real(ids, read, labels)), asked(ids, read, labels)
        if shift:
            ahead, behind = slice(abs(shift), None), slice(None, -abs(shift))
            states, labels = states[:, behind if shift > 0 else ahead], labels[:, ahead if shift > 0 else behind]
        return loss(scores(states, table, bias), labels)

    return model


def _drawn_twice(read, labels):
    """Of which of two draws the one is and the other."""

    def model(sentences, mask, *rest):
        draws = [mask(_closed(sentences)) for _ in range(2)]
        return step_loss(sentences, lambda ids: (draws[read][0], draws[labels][1]), *rest)

    return model


def _only(where):
    """The labels at some places, given by where(ids, read)."""
    return _step(asked=lambda ids, read, labels: ids.where(where(ids, read), -100))


def _probe(shows, sentences, d_model, vocab, step):
    numbers = ((torch.arange(vocab * (d_model + 1)) * step % 31 - 14.0) / 12).split([vocab * d_model, vocab])
    table, bias = numbers[0].reshape(vocab, d_model), numbers[1]
    return Probe(shows, sentences, _Masking("masking"), _Network("network", d_model), table, bias)


PROBES = [
    _probe("one sentence", [[7, 9, 5, 8]], 3, 11, 5),
    _probe("three sentences of one length", [[9, 6, 10], [8, 5, 7], [6, 12, 11]], 4, 13, 7),
    _probe("sentences of several lengths", [[6, 9], [11, 7, 5, 8, 10, 6], [5, 8, 9, 12]], 5, 13, 3),
]
MISTAKES = [
    ("the network reads the answers", _step(seen=lambda ids, read: ids)),
    ("the mask is drawn twice", _drawn_twice(0, 1), _drawn_twice(1, 0)),
    ("the mask is turned round", _step(real=lambda ids, *_: ids == 0)),
    ("padding may be read", _step(real=lambda ids, *_: torch.ones_like(ids))),
    (
        "real is made of the labels",
        *(_step(real=lambda i, r, own, s=s: (own == -100) == s) for s in (True, False)),
    ),
    ("special pieces may not be read", _step(real=lambda ids, *_: ids > 4)),
    (
        "blanks may not be read",
        _step(real=lambda ids, read, labels: read > 4),
        _step(real=lambda ids, read, labels: (read != 0) & (read != 4)),
    ),
    ("a loss at every piece", _only(_real), _only(lambda ids, read: ids > 4)),
    ("padding in the loss", _only(lambda ids, read: ids >= 0)),
    ("-100 is asked, too", _step(asked=lambda ids, read, labels: labels.clamp(min=0))),
    ("a loss at [MASK] only", _only(lambda ids, read: read == 4)),
    ("a loss where the piece has changed", _only(lambda ids, read: read != ids)),
    ("the labels are what is read", _step(asked=lambda ids, read, labels: read.where(labels != -100, -100))),
    ("labels shifted by one", _step(shift=1), _step(shift=-1)),
    ("no [CLS]", _step(rows=lambda sentences: _filled([[*s, 3] for s in sentences]))),
    ("no [SEP]", _step(rows=lambda sentences: _filled([[2, *s] for s in sentences]))),
    ("neither [CLS] nor [SEP]", _step(rows=_filled)),
    ("[SEP] comes after the padding", _step(rows=_closed_last)),
    ("padding in front", _step(rows=lambda sentences: _filled([[2, *s, 3] for s in sentences], front=True))),
    ("two softmaxes", _step(scores=lambda *a: (a[0] @ a[1].T + a[2]).softmax(-1))),
    ("no bias", _step(scores=lambda states, table, bias: states @ table.T)),
    ("the sum instead of the mean", _step(loss=lambda *a: _nats(*a, reduction="sum"))),
    ("divided by all places", _step(loss=lambda *a: _nats(*a, reduction="sum") / a[1].numel())),
    (
        "each row counts the same",
        _step(loss=lambda *a: _of_rows(*a).mean()),
        _step(loss=lambda *a: _of_rows(*a).nanmean()),
    ),
    (
        "a number for each place",
        _step(loss=lambda *a: _nats(*a, reduction="none")[a[1] != -100]),
        _step(loss=lambda *a: _nats(*a, reduction="none")),
    ),
]
EXERCISE = Exercise("7.9", step_loss, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
