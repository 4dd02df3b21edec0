"""Exercise 5.8: the loss of a batch in the third stage. Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3."""

from dataclasses import dataclass

import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course.check.exercise import Exercise, Probe, Seen


def classifier_loss(texts: list[list[int]], labels: list[int], encoder, pool, head) -> torch.Tensor:
    """Nats for each text, one number. texts: word ids, all above 0; encoder(ids) -> states [text, position, dim], ids
    [text, position]; pool(states, real) -> [text, 3 dim], real [text, position]: False at padding; head(pooled) ->
    logits [text, label]. Id 0 is both the mark before each text and padding.
    classifier_loss([[5]], [1], lambda ids: ids[..., None], lambda h, real: h[:, 0], lambda h: torch.zeros(1, 4))
        -> 1.3863"""
    ids = pad_sequence([torch.tensor([0, *text]) for text in texts], batch_first=True)
    real = torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts])
    return F.cross_entropy(head(pool(encoder(ids), real)), torch.tensor(labels))


def whole(ids, shape):
    """Ids, as a network of a probe takes them."""
    ids = torch.as_tensor(ids)
    if ids.dim() != 2 or ids.is_floating_point():
        raise TypeError(f"ids are whole numbers, {shape}, not {ids.dtype} of shape {list(ids.shape)}")
    return ids


@dataclass(frozen=True)
class _Encoder:
    """A state depends on all ids up to its position, as in a network that reads from left to right."""

    name: str

    def __call__(self, ids):
        ids = whole(ids, "[text, position]")
        read = ((ids + 2) * torch.arange(1, ids.shape[1] + 1)).cumsum(1)[..., None]
        return (read * torch.arange(2, 5) % 17 - 8.0) / 4


@dataclass(frozen=True)
class _Pool:
    name: str

    def __call__(self, states, real):
        real = torch.as_tensor(real) != 0
        if real.shape != states.shape[:2]:
            raise ValueError(f"states have shape {list(states.shape)}, and real has {list(real.shape)}")
        last = states[torch.arange(len(states)), real.sum(1) - 1]
        highest = states.masked_fill(~real[..., None], -99.0).amax(1)
        return torch.cat([last, highest, (states * real[..., None]).sum(1) / real.sum(1, keepdim=True)], dim=1)


@dataclass(frozen=True)
class _Head:
    name: str
    n_labels: int
    far: int = 0  # added to the logits of every second text, taken off the others

    def __call__(self, pooled):
        weights = ((torch.arange(9 * self.n_labels) * 7 % 11).reshape(9, self.n_labels) - 5.0) / 4
        return pooled @ weights + self.far * (2 * (torch.arange(len(pooled)) % 2) - 1)[:, None]


_REAL = "torch.arange(ids.shape[1]) <= torch.tensor([[len(text)] for text in texts])"


PROBES = [
    Probe("one text", [[4, 7, 3]], [1], _Encoder("encoder"), _Pool("pool"), _Head("head", 2)),
    Probe("two texts of one length", [[5, 2], [3, 8]], [0, 1], _Encoder("encoder"), _Pool("pool"), _Head("head", 2)),
    Probe(
        "texts of several lengths, three labels",
        [[6, 3, 9, 2, 5], [4], [8, 1, 7]],
        [2, 0, 1],
        _Encoder("encoder"),
        _Pool("pool"),
        _Head("head", 3),
    ),
    Probe(
        "scores too large for exp", [[5, 2], [3, 8]], [0, 1], _Encoder("encoder"), _Pool("pool"), _Head("head", 2, 200)
    ),
]
MISTAKES = [
    ("the mark is taken for padding", f"{_REAL} => ids != 0"),
    ("padding is pooled", f"{_REAL} => ids >= 0"),
    ("real is one word short", "<= torch => < torch"),
    ("real is turned round", "<= torch => > torch"),
    ("no mark", ("[0, *text] => text", "<= torch => < torch")),
    ("the mark is at the end", "[0, *text] => [*text, 0]"),
    ("padding in front", "batch_first=True => batch_first=True, padding_side='left'"),
    (
        "only the last state",
        "pool(encoder(ids), real) => encoder(ids)[range(len(ids)), real.sum(1) - 1].repeat(1, 3)",
    ),
    ("two softmaxes", "real)), => real)).softmax(-1),"),
    ("the sum instead of the mean", "(labels) => (labels), reduction='sum'"),
    ("a number for each text", "(labels) => (labels), reduction='none'"),
    ("the exponential overflows", Seen(lambda got, *_: not torch.as_tensor(got).isfinite().all())),
]
EXERCISE = Exercise("5.8", classifier_loss, PROBES, MISTAKES, difficulty=4, importance=4, minutes=15)
