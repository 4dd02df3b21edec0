"""The network that cannot be a language model: a stacked bidirectional LSTM trained to predict its neighbours.

Its second layer reads both directions of the first. So its forward state at word k knows word k + 1, the word that it
has to predict, and the loss falls although nothing about language is learned. ELMo keeps its directions apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.data.batch import Batch
from course_lib.device import seed_everything
from course_lib.models.baselines import RandomEncoder
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit


class LeakyRNN(nn.Module):
    """Top forward states predict the next word, top backward states the one before, as if they had not seen it.

    encoder  the stacked bidirectional LSTM; RandomEncoder(dim, seed=seed) is the same network untrained
    """

    def __init__(self, vocabulary: Vocabulary, dim: int = 64, seed: int = 0):
        super().__init__()
        self.vocabulary, self.encoder = vocabulary, RandomEncoder(dim, seed=seed)
        self.softmax = nn.Linear(dim // 2, len(vocabulary))

    def batch(self, sentences: Sequence[Sequence[str]]) -> Batch:
        """Raises CourseError for a word that the vocabulary lacks (if it has no unknown word)."""
        batch = self.encoder.batch(sentences)
        targets = [torch.tensor(self.vocabulary.encode(words)) for words in sentences]
        batch.labels["words"] = nn.utils.rnn.pad_sequence(targets, batch_first=True)
        return batch

    def forward(self, batch: Batch) -> tuple[Float[Tensor, "target vocab"], Float[Tensor, "target vocab"]]:
        """Logits of each word that has one before it, and of each that has one after it."""
        forward, backward = self.encoder.states(batch).layers[-1].chunk(2, dim=-1)
        has_left = batch.mask[:, 1:]
        return self.softmax(forward[:, :-1][has_left]), self.softmax(backward[:, 1:][has_left])

    def loss(self, batch: Batch) -> dict[str, Any]:
        """Mean -log p in nats over the predictions of both directions."""
        words, has_left = batch.labels["words"], batch.mask[:, 1:]
        targets = torch.cat([words[:, 1:][has_left], words[:, :-1][has_left]])
        return {"loss": F.cross_entropy(torch.cat(self(batch)), targets), "count": len(targets)}

    @torch.no_grad()
    def perplexity(self, sentences: Sequence[Sequence[str]]) -> float:
        """exp(mean -log p) per prediction."""
        return float(self.loss(self.batch(sentences))["loss"].exp())


def train_leaky_rnn(
    sentences: Sequence[Sequence[str]], *, steps: int = 150, dim: int = 64, batch_size: int = 32, seed: int = 0
) -> LeakyRNN:
    """Trained on sentences of at least two words. In eval mode."""
    seed_everything(seed)
    model = LeakyRNN(Vocabulary.from_sentences(sentences, min_count=1), dim, seed)
    batches = [model.batch(sentences[at : at + batch_size]) for at in range(0, len(sentences), batch_size)]
    fit(model, batches, steps=steps, learning_rate=2e-2, seed=seed, show=False)
    return model.eval()
