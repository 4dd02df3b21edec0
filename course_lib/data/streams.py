"""Running text for a language model: parallel streams, cut into steps, each carrying on where the last one ended.

Source: Merity et al. 2018, arXiv:1708.02182, section 5: the text is laid into `batch_size` long rows; a step is
`length` columns of them, and the state after one step is where the next begins (truncated back-propagation).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib.device import Movable


@dataclass
class StreamBatch(Movable):
    """One step. ids: read; targets: the next id of the same stream; carry: the state after the step before."""

    ids: Int[Tensor, "stream step"]
    targets: Int[Tensor, "stream step"]
    carry: Any = None


class TextStreams:
    """Documents as streams: `TextStreams(documents, 16, 64)`; give it to `fit` as `batches`.

    documents   lists of ids. They are shuffled anew in each epoch and laid end to end, so a document lies whole in one
                stream, save where a row ends
    reverse     every document backwards, for the backward language model
    Called with an epoch it gives the steps of that epoch, the same for the same seed.
    """

    def __init__(
        self, documents: Sequence[Sequence[int]], batch_size: int, length: int, *, seed: int = 0, reverse: bool = False
    ):
        self.documents = [torch.as_tensor(document, dtype=torch.long) for document in documents if len(document)]
        total = sum(map(len, self.documents))
        assert total >= 2 * batch_size, f"{total} ids do not give {batch_size} streams of at least 2"
        if reverse:
            self.documents = [document.flip(0) for document in self.documents]
        self.batch_size, self.length, self.seed = batch_size, length, seed
        self.width = total // batch_size  # ids per stream; the few left over change with every shuffle

    def __len__(self) -> int:
        """Steps in an epoch."""
        return -(-(self.width - 1) // self.length)

    def __call__(self, epoch: int = 0) -> Iterator[StreamBatch]:
        generator = torch.Generator().manual_seed(self.seed * 1_000_003 + epoch)
        order = torch.randperm(len(self.documents), generator=generator).tolist()
        row = torch.cat([self.documents[i] for i in order])
        ids = row[: self.batch_size * self.width].view(self.batch_size, self.width)
        for at in range(0, self.width - 1, self.length):
            end = min(at + self.length, self.width - 1)
            yield StreamBatch(ids[:, at:end], ids[:, at + 1 : end + 1])


@dataclass
class TwoWayBatch(Movable):
    """One step of both directions: the same documents, read from their beginnings and from their ends."""

    forward: StreamBatch
    backward: StreamBatch
    carry: Any = None


class TwoWayStreams:
    """TextStreams forwards and backwards side by side, for a bidirectional language model; same arguments, same order.

    Both lay the documents in the same order, so most words of a step are read by both directions.
    """

    def __init__(self, documents: Sequence[Sequence[int]], batch_size: int, length: int, *, seed: int = 0):
        self.forward, self.backward = (
            TextStreams(documents, batch_size, length, seed=seed, reverse=reverse) for reverse in (False, True)
        )

    def __len__(self) -> int:
        """Steps in an epoch."""
        return len(self.forward)

    def __call__(self, epoch: int = 0) -> Iterator[TwoWayBatch]:
        for forward, backward in zip(self.forward(epoch), self.backward(epoch), strict=True):
            yield TwoWayBatch(forward, backward)
