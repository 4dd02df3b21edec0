"""Exercise 7.9: what one training step computes, from sentences to the loss. Source: Devlin et al. 2018,
arXiv:1810.04805, section 3.1, task 1, and appendix A.2."""

from dataclasses import dataclass, field

import torch
from torch.nn import functional as F

from course.chapters.ch05.ex_5_8_classifier_loss import whole
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
        ids = whole(ids, "[batch, place]")
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
        read, real = whole(read, "[batch, place]"), torch.as_tensor(real)
        if real.shape != read.shape:
            raise ValueError(f"what is read has shape {list(read.shape)}, and real has {list(real.shape)}")
        numbers, place = torch.arange(self.d_model) + 2, torch.arange(1, read.shape[1] + 1)[:, None]
        vectors = ((read[..., None] * numbers + place * 3) % 11 - 5.0) / 4
        around = (vectors * place * (real != 0)[..., None]).sum(1, keepdim=True) / 8
        return vectors + around.sin()


def _probe(shows, sentences, d_model, vocab, step):
    numbers = ((torch.arange(vocab * (d_model + 1)) * step % 31 - 14.0) / 12).split([vocab * d_model, vocab])
    table, bias = numbers[0].reshape(vocab, d_model), numbers[1]
    return Probe(shows, sentences, _Masking("masking"), _Network("network", d_model), table, bias)


_ROW = "[2, *sentence, 3] + [0] * (longest - len(sentence))"
_NATS = "F.cross_entropy(scores, labels[asked])"
_OF_ROWS = f"{_NATS} => torch.stack([F.cross_entropy(row @ table.T + bias, own) for row, own in zip(states, labels)])"


def _asked(where, labels="ids"):
    return f"asked = labels != -100 => asked, labels = {where}, {labels}"


PROBES = [
    _probe("one sentence", [[7, 9, 5, 8]], 3, 11, 5),
    _probe("three sentences of one length", [[9, 6, 10], [8, 5, 7], [6, 12, 11]], 4, 13, 7),
    _probe("sentences of several lengths", [[6, 9], [11, 7, 5, 8, 10, 6], [5, 8, 9, 12]], 5, 13, 3),
]
MISTAKES = [
    ("the network reads the answers", "network(read => network(ids"),
    (
        "the mask is drawn twice",
        "= mask(ids) => = mask(ids)[0], mask(ids)[1]",
        "read, labels = mask(ids) => labels, read = mask(ids)[1], mask(ids)[0]",
    ),
    ("the mask is turned round", "ids != 0 => ids == 0"),
    ("padding may be read", "ids != 0 => torch.ones_like(ids)"),
    ("real is made of the labels", "ids != 0 => labels == -100", "ids != 0 => labels != -100"),
    ("special pieces may not be read", "ids != 0 => ids > 4"),
    ("blanks may not be read", "ids != 0 => read > 4", "ids != 0 => (read != 0) & (read != 4)"),
    ("a loss at every piece", _asked("ids != 0"), _asked("ids > 4")),
    ("padding in the loss", _asked("ids >= 0")),
    ("-100 is asked, too", _asked("ids >= 0", "labels.clamp(min=0)")),
    ("a loss at [MASK] only", _asked("read == 4")),
    ("a loss where the piece has changed", _asked("read != ids")),
    ("the labels are what is read", "labels[asked] => read[asked]"),
    (
        "labels shifted by one",
        ("asked = => labels = labels[:, 1:]\n    asked =", "states[asked] => states[:, :-1][asked]"),
        ("asked = => labels = labels[:, :-1]\n    asked =", "states[asked] => states[:, 1:][asked]"),
    ),
    ("no [CLS]", "[2, *sentence => [*sentence"),
    ("no [SEP]", "*sentence, 3] => *sentence]"),
    ("neither [CLS] nor [SEP]", "[2, *sentence, 3] => sentence"),
    ("[SEP] comes after the padding", f"{_ROW} => [2, *sentence] + [0] * (longest - len(sentence)) + [3]"),
    ("padding in front", f"{_ROW} => [0] * (longest - len(sentence)) + [2, *sentence, 3]"),
    ("two softmaxes", "cross_entropy(scores => cross_entropy(scores.softmax(-1)"),
    ("no bias", " + bias => "),
    ("the sum instead of the mean", "labels[asked]) => labels[asked], reduction='sum')"),
    ("divided by all places", "labels[asked]) => labels[asked], reduction='sum') / labels.numel()"),
    ("each row counts the same", f"{_OF_ROWS}.mean()", f"{_OF_ROWS}.nanmean()"),
    (
        "a number for each place",
        "labels[asked]) => labels[asked], reduction='none')",
        f"{_NATS} => F.cross_entropy((states @ table.T + bias).mT, labels, reduction='none')",
    ),
]
EXERCISE = Exercise("7.9", step_loss, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
