"""ULMFiT's classifier: a fine-tuned language model, concat pooling over its states, and two new blocks.

Source: Howard & Ruder 2018, arXiv:1801.06146, section 3.3 (pooling, blocks, BPT3C).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch
from course_lib.models.awd_lstm import AWDLSTM
from course_lib.models.head_base import seeded
from course_lib.models.heads import SequenceClassifier


def concat_pool(
    states: Float[Tensor, "batch seq dim"], mask: Bool[Tensor, "batch seq"]
) -> Float[Tensor, "batch 3*dim"]:
    """[last, maximum, mean] of the states where `mask` is True; each row needs one at least."""
    positions = torch.arange(states.shape[1], device=states.device)
    last = torch.where(mask, positions, -1).amax(1)
    largest = states.masked_fill(~mask[..., None], -torch.inf).amax(1)
    mean = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
    return torch.cat([states[torch.arange(len(states), device=states.device), last], largest, mean], dim=1)


class BatchNorm(nn.BatchNorm1d):
    """Batch normalisation for short fine-tuning, and for a batch of one row.

    The running averages are the plain mean of the first batches, 1 / momentum of them, and move by `momentum` then.
    PyTorch's (and fastai's) move from variance 1, which after a few dozen steps would still outweigh a language model's
    small states: nearly the same output for every text. In training the averages serve for one row, unchanged.
    """

    share = 1.0

    def forward(self, rows: Float[Tensor, "batch dim"]) -> Float[Tensor, "batch dim"]:
        learns = self.training and len(rows) > 1
        if learns:
            self.num_batches_tracked.add_(1)
            if self.share != self.momentum:  # in the first batches only: to read the number back is to wait for a GPU
                self.share = max(self.momentum, 1 / int(self.num_batches_tracked))
        averages = self.running_mean, self.running_var
        return F.batch_norm(rows, *averages, self.weight, self.bias, learns, self.share, self.eps)

    def train(self, mode: bool = True) -> BatchNorm:
        self.share = 1.0  # of a batch in the averages; other weights may have been loaded
        return super().train(mode)


class ULMFiTClassifier(SequenceClassifier):
    """One label per text, on a copy of an AWD-LSTM (the language model itself stays as it is).

    hidden        width between the two blocks (batch norm, dropout, linear; ReLU after the first)
    dropout       before the first block's linear layer, block_dropout before the second's
    bptt          a text is read in chunks of so many words, each from the detached state after the one before
    max_len       the last words read that are pooled; chunks before them are read without gradient, for their state
    layer_groups  the language model's without its softmax, which has no part here and stays frozen; then "head"
    """

    kind = "ulmfit-classifier"

    def __init__(
        self,
        encoder: AWDLSTM,
        labels: Sequence[str],
        *,
        hidden: int = 50,
        dropout: float | int = 0.4,
        block_dropout: float | int = 0.1,
        bptt: int = 70,
        max_len: int = 1400,
        seed: int | None = None,
    ):
        assert isinstance(encoder, AWDLSTM), "for other encoders there is SequenceClassifier"
        super().__init__(copy.deepcopy(encoder), labels, dropout=dropout)
        self.encoder.unfreeze()
        self.encoder.freeze(["softmax"])
        pooled = 3 * encoder.sentence_dim
        with seeded(seed):
            self.output = nn.Sequential(
                BatchNorm(pooled), nn.Dropout(dropout), nn.Linear(pooled, hidden), nn.ReLU(),
                BatchNorm(hidden), nn.Dropout(block_dropout), nn.Linear(hidden, len(self.labels)),
            )  # fmt: skip
        self.bptt, self.max_len = bptt, max_len
        drops = {"dropout": dropout, "block_dropout": block_dropout}
        self._settings = {"labels": list(self.labels), "hidden": hidden, **drops, "bptt": bptt, "max_len": max_len}
        self.to(encoder.device)

    def pooled(self, batch: Batch) -> Float[Tensor, "batch three_dim"]:
        """[last, maximum, mean] of the top layer over the last `max_len` words of each text."""
        ids = self.encoder.reading_order(batch)  # column 0 is the begin mark, column k the k-th word read
        lengths = batch.mask.sum(1, keepdim=True)
        column = torch.arange(ids.shape[1], device=ids.device)
        counted = (column > 0) & (column > lengths - self.max_len) & (column <= lengths)
        first = 1 + max(0, int(batch.lengths.min()) - self.max_len)  # no text needs a state before it
        carry, tops, start = None, [], 0
        for at in range(0, ids.shape[1], self.bptt):
            chunk = ids[:, at : at + self.bptt]
            needed = at + chunk.shape[1] > first
            with torch.set_grad_enabled(needed and torch.is_grad_enabled()):
                outputs, states = self.encoder(chunk, carry)
            carry = [(output.detach(), cell.detach()) for output, cell in states]
            if needed:
                start = start if tops else at
                tops.append(outputs[-1])
        return concat_pool(torch.cat(tops, dim=1), counted[:, start:])

    def _groups(self) -> list[tuple[str, list[nn.Module]]]:
        return [(name, modules) for name, modules in super()._groups() if name != "softmax"]
