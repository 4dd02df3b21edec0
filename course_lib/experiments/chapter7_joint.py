"""Cues that must be read jointly (XOR): networks fine-tuned on them, one that looks both ways and two one-way ones.

The order of two activities on the left and the word former or latter on the right tell the sense; neither does alone. A
linear head on the states of two one-way networks adds what each side says, and no sum is an XOR.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.data.batch import Batch
from course_lib.data.bucketing import Buckets
from course_lib.data.records import SenseExample
from course_lib.device import seed_everything
from course_lib.experiments.bert_probe import SideBySide
from course_lib.models.bert import Bert
from course_lib.training import fit
from course_lib.training.schedules import linear_decay


class SenseReader(nn.Module):
    """Top states of a word, of one network or of several side by side, and a linear head over its senses."""

    def __init__(self, encoders: Sequence[Bert], senses: Sequence[str]):
        super().__init__()
        self.encoders, self.senses = nn.ModuleList(encoders), {sense: i for i, sense in enumerate(senses)}
        self.head = nn.Linear(sum(encoder.dim for encoder in encoders), len(senses))

    def batch(self, examples: Sequence[SenseExample]) -> Batch:
        batch = self.encoders[0].batch([example.sentence for example in examples])
        batch.labels["place"] = torch.tensor([example.position for example in examples])
        batch.labels["sense"] = torch.tensor([self.senses[example.sense] for example in examples])
        return batch

    def forward(self, batch: Batch) -> Float[Tensor, "batch sense"]:
        rows, places = torch.arange(len(batch)), batch.labels["place"]
        states = [encoder.states(batch).layers[-1, rows, places] for encoder in self.encoders]
        return self.head(torch.cat(states, -1))

    def loss(self, batch: Batch) -> dict[str, Any]:
        return {"loss": F.cross_entropy(self(batch), batch.labels["sense"]), "count": len(batch)}


def joint_accuracy(
    encoder: Bert | SideBySide,
    train: Sequence[SenseExample],
    test: Sequence[SenseExample],
    *,
    steps: int,
    rate: float = 1e-3,
    seed: int = 0,
) -> float:
    """In %, of a copy fine-tuned on `train`; of the senses of the test word the likelier one is taken (chance: 50)."""
    seed_everything(seed)
    encoders = deepcopy(encoder.encoders if isinstance(encoder, SideBySide) else [encoder])
    senses = sorted({example.sense for example in (*train, *test)})
    model = SenseReader(encoders, senses)
    buckets = Buckets([len(example.sentence) for example in train], size=32, seed=seed)

    def batches(epoch: int) -> Iterator[Batch]:
        return (model.batch([train[i] for i in rows]) for rows in buckets(epoch))

    fit(model, batches, steps=steps, learning_rate=rate, schedule=linear_decay, betas=(0.9, 0.98), show=False)
    of_word = {example.word: {e.sense for e in (*train, *test) if e.word == example.word} for example in test}
    may = torch.tensor([[sense in of_word[example.word] for sense in senses] for example in test])
    with torch.no_grad():
        batch = model.eval().batch(test)
        guesses = model(batch).masked_fill(~may, -torch.inf).argmax(-1)
    return 100 * float(np.mean((guesses == batch.labels["sense"]).numpy()))
