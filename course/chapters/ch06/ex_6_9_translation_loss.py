"""Exercise 6.9: a translator's loss, with teacher forcing. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.1
("the output embeddings are offset by one position")."""

from dataclasses import dataclass

import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course.check.exercise import Exercise, Probe


def translation_loss(sources: list[list[int]], targets: list[list[int]], network) -> torch.Tensor:
    """Nats for each predicted word, one number. sources, targets: word ids, all above 2; 0 is padding, 1 begins a
    translation, 2 ends a sentence; network(source, written) -> logits [batch, position, vocab] of the word that follows
    each written one; source, written: ids [batch, position].
    translation_loss([[5]], [[3]], lambda source, written: torch.zeros(1, 2, 7)) -> 1.9459"""

    def rows(sentences):
        return pad_sequence([torch.tensor(row) for row in sentences], batch_first=True)

    source = rows([[*sentence, 2] for sentence in sources])
    written = rows([[1, *sentence] for sentence in targets])
    follows = rows([[*sentence, 2] for sentence in targets])
    return F.cross_entropy(network(source, written).mT, follows, ignore_index=0)


@dataclass(frozen=True)
class _Network:
    """The logits of a position depend on the real words of the source, each with its place, and on what has been
    written up to there."""

    name: str
    vocab: int

    def __call__(self, source, written):
        source, written = _whole(source), _whole(written)
        if len(source) != len(written):
            raise ValueError(f"{len(source)} sources and {len(written)} rows of written words")
        read = (source * torch.arange(1, source.shape[1] + 1)).sum(1)[:, None] % 11
        so_far = (written * torch.arange(1, written.shape[1] + 1)).cumsum(1) % 13
        numbers = torch.arange(self.vocab)
        return ((read + so_far)[..., None] * (numbers + 2) % 17 + 3 * numbers % 5 - 8.0) / 4


def _whole(ids):
    ids = torch.as_tensor(ids)
    if ids.dim() != 2 or ids.is_floating_point():
        raise TypeError(f"ids are whole numbers, [batch, position], not {ids.dtype} of shape {list(ids.shape)}")
    return ids


def _filled(rows, front=False):
    n = max(map(len, rows))
    return torch.tensor([[0] * (n - len(r)) + r if front else r + [0] * (n - len(r)) for r in rows])


def _nats(logits, follows, **how):
    return F.cross_entropy(logits.mT, follows, **{"ignore_index": 0} | how)


def _each_row(logits, follows):
    return torch.stack([_nats(*pair) for pair in zip(logits[:, None], follows[:, None], strict=True)]).mean()


def _loss(
    written=lambda t: [1, *t], follows=lambda t: [*t, 2], source=lambda s: [*s, 2], fill=_filled, loss=_nats, sides=1
):
    """written(target), follows(target), source(source): rows of ids; sides: -1 exchanges them."""

    def model(sources, targets, network):
        sources, targets = (sources, targets)[::sides]
        rows = (
            fill([row(one) for one in of]) for row, of in ((source, sources), (written, targets), (follows, targets))
        )
        source_ids, written_ids, follow_ids = rows
        return loss(network(source_ids, written_ids), follow_ids)

    return model


def _own_words(sources, targets, network):
    """The decoder reads what it has written itself."""
    source, follows = _filled([[*s, 2] for s in sources]), _filled([[*t, 2] for t in targets])
    written = torch.ones(len(follows), 1, dtype=torch.long)
    for _ in range(follows.shape[1] - 1):
        written = torch.cat([written, network(source, written)[:, -1:].argmax(-1)], dim=1)
    return _nats(network(source, written), follows)


def _probe(shows, sources, targets, vocab):
    return Probe(shows, sources, targets, _Network("network", vocab))


PROBES = [
    _probe("one pair", [[7, 5, 9]], [[4, 8]], 11),
    _probe("two pairs, all sentences of one length", [[6, 4, 8], [5, 9, 3]], [[7, 3, 6], [4, 9, 5]], 11),
    _probe("sentences of several lengths", [[5, 8], [9, 3, 7, 4, 6], [8, 10, 3]], [[6, 3, 9, 11], [4], [7, 5, 10]], 13),
]
MISTAKES = [
    ("the decoder reads the answer", _loss(written=lambda t: [*t, 2])),
    ("the answer is what is read", _loss(follows=lambda t: [1, *t])),
    ("shifted the wrong way", _loss(written=lambda t: [*t, 2], follows=lambda t: [1, *t])),
    ("the end is never predicted", _loss(follows=lambda t: [*t, 0])),
    ("the source is not closed", _loss(source=list)),
    ("the source begins with 1", _loss(source=lambda s: [1, *s]), _loss(source=lambda s: [1, *s, 2])),
    ("padding in the loss", _loss(loss=lambda *a: _nats(*a, ignore_index=-100))),
    ("padding in front", _loss(fill=lambda rows: _filled(rows, front=True))),
    ("source and target are exchanged", _loss(sides=-1)),
    ("it reads its own words", _own_words),
    ("two softmaxes", _loss(loss=lambda logits, follows: _nats(logits.softmax(-1), follows))),
    ("the sum instead of the mean", _loss(loss=lambda *a: _nats(*a, reduction="sum"))),
    ("each sentence counts the same", _loss(loss=_each_row)),
    ("bits instead of nats", _loss(loss=lambda *a: _nats(*a) / torch.tensor(2.0).log())),
    ("label smoothing", *(_loss(loss=lambda *a, e=e: _nats(*a, label_smoothing=e)) for e in (0.1, 0.05, 0.2))),
    ("a number for each word", _loss(loss=lambda *a: _nats(*a, reduction="none"))),
]
EXERCISE = Exercise("6.9", translation_loss, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
