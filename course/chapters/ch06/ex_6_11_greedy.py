"""Exercise 6.11: greedy decoding of a batch. Source: Sutskever, Vinyals and Le 2014, arXiv:1409.3215, section 3.2, with
one hypothesis."""

from dataclasses import dataclass

import torch

from course.check.exercise import Exercise, Probe
from course_lib.language import t


def greedy(source: torch.Tensor, network, most: int) -> list[list[int]]:
    """For each row of source [batch, position] the ids of its translation, at most `most`; neither the 1 that begins it
    nor the 2 that ends it is part of it, or counts towards `most`. network(source, written) -> logits [batch, position,
    vocab] of the word that follows each written one; written: ids [batch, position].
    words = torch.eye(5)[torch.tensor([[3, 4, 2]])]
    greedy(torch.tensor([[4]]), lambda source, written: words[:, : written.shape[1]], 9) -> [[3, 4]]"""
    written = torch.ones(len(source), 1, dtype=torch.long)
    while written.shape[1] <= most and not (written == 2).any(dim=1).all():
        word = network(source, written)[:, -1].argmax(dim=-1)
        written = torch.cat([written, word[:, None]], dim=1)
    return [row[1 : row.index(2) if 2 in row else None] for row in written.tolist()]


@dataclass(frozen=True)
class _Network:
    """The next word follows from the source and from all that has been written; after the end a row goes on, until all
    have ended."""

    name: str
    vocab: int

    def __call__(self, source, written):
        source, written = torch.as_tensor(source), torch.as_tensor(written)
        if written.is_floating_point():
            raise TypeError(f"ids are whole numbers, not {written.dtype}")
        place = torch.arange(1, written.shape[1] + 1)
        if len(source) != len(written):
            raise ValueError(f"{len(source)} sources and {len(written)} rows of written words")
        if (written[:, 1:] == 2).any(1).all():
            raise RuntimeError(t("every row has met its 2, and the network is asked for one more word"))
        number = (source.sum(1, keepdim=True) + 3 * place + written.cumsum(1)) % (self.vocab - 2) + 2
        return -((torch.arange(self.vocab) - number[..., None]) ** 2.0)


NETWORK = _Network("network", 11)
_CUT = "row[1 : row.index(2) if 2 in row else None]"


PROBES = [
    Probe("one sentence", torch.tensor([[6, 2]]), NETWORK, 20),
    Probe("sentences that end at different steps", torch.tensor([[5, 3, 2], [5, 2, 0], [4, 5, 2]]), NETWORK, 20),
    Probe("one that ends at once, and one without an end", torch.tensor([[3, 2], [4, 2]]), NETWORK, 9),
]
MISTAKES = [
    ("the end is part of the translation", "row.index(2) if => row.index(2) + 1 if"),
    ("the beginning is part of the translation", "row[1 : => row[:"),
    ("words after the end stay", f"{_CUT} => row[1:]", f"{_CUT} => [i for i in row[1:] if i != 2]"),
    ("cut at the last end", "row.index(2) if => len(row) - 1 - row[::-1].index(2) if"),
    ("all stop with the first", "dim=1).all() => dim=1).any()"),
    ("the logits of the first position", "[:, -1].argmax => [:, 0].argmax"),
    ("only the last word is read", "written)[:, => written[:, -1:])[:,"),
    ("a word too few", "<= most => < most"),
    ("a word too many", "<= most => <= most + 1"),
    (
        "it begins with another mark",
        (
            "torch.ones( => 2 * torch.ones(",
            "(written == 2) => (written[:, 1:] == 2)",
            f"{_CUT} => row[1 : row.index(2, 1) if 2 in row[1:] else None]",
        ),
        "torch.ones => torch.zeros",
    ),
]
EXERCISE = Exercise("6.11", greedy, PROBES, MISTAKES, difficulty=3, importance=4, minutes=20)
