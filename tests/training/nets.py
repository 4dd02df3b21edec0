"""Small nets with a loss, and ways to start and to stop a training, for the tests of `fit`."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

QUIET = {"show": False, "device": "cpu"}


class Stop(Exception):
    """Ends a training from outside, as a crash would."""


def crash(at):
    """A watcher that ends the training after step `at`."""

    def watch(step):
        if step == at:
            raise Stop

    return watch


def build(make):
    """A model with the same weights each time."""
    torch.manual_seed(7)
    return make()


def weights(model):
    return {name: tensor.detach().clone() for name, tensor in model.state_dict().items()}


class Classifier(nn.Module):
    """Rows [batch, 5] to one of 3 classes, with dropout between two layers."""

    def __init__(self, dropout=0.0):
        super().__init__()
        self.lower, self.dropout, self.upper = nn.Linear(5, 7), nn.Dropout(dropout), nn.Linear(7, 3)

    def loss(self, batch):
        rows, labels = batch
        logits = self.upper(self.dropout(self.lower(rows).tanh()))
        loss = nn.functional.cross_entropy(logits, labels)
        return {"loss": loss, "count": len(labels), "double": 2 * loss.detach(), "size": float(len(labels))}


def rows():
    """A list of batches that can be learned: the label is the largest of the first three columns."""
    generator = torch.Generator().manual_seed(1)
    drawn = [torch.randn(size, 5, generator=generator) for size in (11, 13, 11)]
    return [(batch, batch[:, :3].argmax(1)) for batch in drawn]


@dataclass
class Text:
    ids: Tensor  # [batch, seq + 1]
    carry: Any = None

    def to(self, device):
        return self


class LanguageModel(nn.Module):
    """A GRU that reads on where the last batch ended."""

    def __init__(self):
        super().__init__()
        self.table, self.gru, self.dropout = nn.Embedding(17, 7), nn.GRU(7, 7, batch_first=True), nn.Dropout(0.2)
        self.carries = []  # what it was given, per call

    def loss(self, batch):
        state = None if batch.carry is None else batch.carry[0]
        self.carries.append(batch.carry)
        states, last = self.gru(self.dropout(self.table(batch.ids[:, :-1])), state)
        logits = states @ self.table.weight.T
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), batch.ids[:, 1:].flatten())
        return {"loss": loss, "count": logits[..., 0].numel(), "carry": (last, {"seen": 1})}


def texts(number=5):
    generator = torch.Generator().manual_seed(2)
    return [Text(torch.randint(17, (3, 12), generator=generator)) for _ in range(number)]


def shuffled(batches):
    """Another order in each epoch, from PyTorch's global generator."""
    return lambda epoch: [batches[i] for i in torch.randperm(len(batches))]
