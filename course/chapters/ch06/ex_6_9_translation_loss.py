"""Exercise 6.9: a translator's loss, with teacher forcing. Source: Vaswani et al. 2017, arXiv:1706.03762, section 3.1
("the output embeddings are offset by one position")."""

from dataclasses import dataclass

import torch
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence

from course.chapters.ch05.ex_5_8_classifier_loss import whole
from course.check.exercise import Exercise, Probe, Seen


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
    far: int = 0  # added to the logits of every second row, taken off the others

    def __call__(self, source, written):
        source, written = whole(source, "[batch, position]"), whole(written, "[batch, position]")
        if len(source) != len(written):
            raise ValueError(f"{len(source)} sources and {len(written)} rows of written words")
        read = (source * torch.arange(1, source.shape[1] + 1)).sum(1)[:, None] % 11
        so_far = (written * torch.arange(1, written.shape[1] + 1)).cumsum(1) % 13
        numbers = torch.arange(self.vocab)
        logits = ((read + so_far)[..., None] * (numbers + 2) % 17 + 3 * numbers % 5 - 8.0) / 4
        return logits + self.far * (2 * (torch.arange(len(source)) % 2) - 1)[:, None, None]


def _probe(shows, sources, targets, vocab, far=0):
    return Probe(shows, sources, targets, _Network("network", vocab, far))


_WRITTEN_ANSWER = "[1, *sentence] => [*sentence, 2]"
_NATS = "F.cross_entropy(network(source, written).mT, follows, ignore_index=0)"
_OWN_WORDS = """written = written[:, :1]
    while written.shape[1] < follows.shape[1]:
        written = torch.cat([written, network(source, written)[:, -1:].argmax(-1)], dim=1)"""


PROBES = [
    _probe("one pair", [[7, 5, 9]], [[4, 8]], 11),
    _probe("two pairs, all sentences of one length", [[6, 4, 8], [5, 9, 3]], [[7, 3, 6], [4, 9, 5]], 11),
    _probe("sentences of several lengths", [[5, 8], [9, 3, 7, 4, 6], [8, 10, 3]], [[6, 3, 9, 11], [4], [7, 5, 10]], 13),
    _probe("scores too large for exp", [[5, 8], [9, 3]], [[6, 3], [4, 7]], 11, far=200),
]
MISTAKES = [
    ("the decoder reads the answer", _WRITTEN_ANSWER),
    ("the answer is what is read", "follows = rows([[*sentence, 2] => follows = rows([[1, *sentence]"),
    ("shifted the wrong way", (_WRITTEN_ANSWER, "follows = rows([[*sentence, 2] => follows = rows([[1, *sentence]")),
    ("the end is never predicted", "follows = rows([[*sentence, 2] => follows = rows([[*sentence, 0]"),
    ("the source is not closed", "[*sentence, 2] for sentence in sources => sentence for sentence in sources"),
    (
        "the source begins with 1",
        "source = rows([[*sentence, 2] => source = rows([[1, *sentence]",
        "source = rows([[*sentence => source = rows([[1, *sentence",
    ),
    ("padding in the loss", ", ignore_index=0 => "),
    ("padding in front", "batch_first=True => batch_first=True, padding_side='left'"),
    ("source and target are exchanged", "source = => sources, targets = targets, sources\n    source ="),
    ("it reads its own words", f"return F => {_OWN_WORDS}\n    return F"),
    ("two softmaxes", ".mT => .softmax(-1).mT"),
    (
        "the sum instead of the mean",
        "ignore_index=0 => ignore_index=0, reduction='sum'",
        "ignore_index=0) => ignore_index=0, reduction='sum') / len(sources)",
    ),
    (
        "each sentence counts the same",
        f"{_NATS} => "
        "torch.stack([F.cross_entropy(*row, ignore_index=0) for row in zip(network(source, written), follows)]).mean()",
    ),
    ("bits instead of nats", "ignore_index=0) => ignore_index=0) / torch.tensor(2.0).log()"),
    ("label smoothing", *(f"ignore_index=0 => ignore_index=0, label_smoothing={share}" for share in (0.1, 0.05, 0.2))),
    ("the exponential overflows", Seen(lambda got, *_: not torch.as_tensor(got).isfinite().all())),
    ("a number for each word", "ignore_index=0 => ignore_index=0, reduction='none'"),
]
EXERCISE = Exercise("6.9", translation_loss, PROBES, MISTAKES, difficulty=4, importance=5, minutes=20)
