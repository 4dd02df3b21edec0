"""Claim C4.1: the two directions of ELMo's language model are apart; and a network that cannot be a language model.

That is a stacked bidirectional LSTM trained to predict its neighbours. Its second layer reads both directions of the
first. So its forward state at word k knows word k + 1, which it has to predict, and the loss falls although nothing
about language is learned.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from random import Random
from statistics import fmean
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course.lab.probes import SenseSplit, top_score
from course.lab.world_models import train_bilm, world_bilm
from course.ledger import Exact, claim
from course_lib.data.batch import Batch
from course_lib.data.world import World
from course_lib.device import seed_everything
from course_lib.models.baselines import RandomEncoder
from course_lib.models.lstm_lm import BiLM
from course_lib.models.shipped import load
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit


@claim("C4.1", full={"shipped": "bilm-en", "n_changes": 200, "leaky_steps": 400})
def directions_are_blind(*, n_changes: int = 40, leaky_steps: int = 100, shipped: str = "", seed: int = 0) -> Exact:
    """Words on one side are changed, states of the other side compared; then the network for which this fails."""
    sentences = [list(s.words) for s in islice(World(seed, split="test").sentences("en"), n_changes)]
    trained = load(shipped) if shipped else world_bilm(seed, n_words=20_000, steps=60)
    untrained = BiLM(trained.config, trained.vocabulary, trained.characters)
    found = [largest_changes(model, sentences, seed) for model in (untrained, trained)]
    (error, moved), (trained_error, trained_moved) = found
    return Exact(
        error,
        "largest change",
        holds=moved > 0,
        detail=f"{n_changes} sentences; the state of the changed word itself moved by at least {moved:.2g}",
        parts={
            f"trained biLM{f' ({shipped})' if shipped else ''}: largest change on the blind side": trained_error,
            "trained biLM: smallest change of the changed word's own state": trained_moved,
            **leak(leaky_steps, seed),
        },
        data="sentences of the world",
    )


def largest_changes(model: BiLM, sentences: list[list[str]], seed: int = 0) -> tuple[float, float]:
    """(largest change of a state that must not move, smallest of one that must), over sentences and both directions.

    In each sentence all words from a random place on are replaced for the forward states, and all up to it for the
    backward states; the states on the other side must stay, and the state at the place itself must move.
    """
    draw, words = Random(seed), model.vocabulary.words
    half, still, moved = model.dim // 2, [0.0], []
    for sentence in sentences:
        place = draw.randrange(1, len(sentence) - 1)
        other = [draw.choice([w for w in words if w != old]) for old in sentence]
        late, early = sentence[:place] + other[place:], other[: place + 1] + sentence[place + 1 :]
        before, after_late, after_early = (layers[1:] for layers in model.encode([sentence, late, early]))
        for change, blind in (
            (np.abs(after_late - before)[..., :half], slice(0, place)),
            (np.abs(after_early - before)[..., half:], slice(place + 1, None)),
        ):
            still.append(float(change[:, blind].max()))
            moved.append(float(change[:, place].max(-1).min()))
    return max(still), min(moved)


def leak(steps: int, seed: int = 0) -> dict[str, float]:
    """A stacked bidirectional network on a small part of the world: its perplexity, its senses, and those untrained."""
    split = _leak_split(seed)
    text = [list(example.sentence.words) for example in split.train]
    model = train_leaky_rnn(Random(seed).sample(text, len(text)), steps=steps, seed=seed)
    held_out = [e.sentence.words for e in split.test if all(w in model.vocabulary for w in e.sentence.words)]
    untrained = RandomEncoder(model.encoder.dim, seed=seed)
    senses = {
        name: top_score(encoder, split) for name, encoder in (("trained", model.encoder), ("untrained", untrained))
    }
    return {
        "stacked bidirectional network: perplexity": model.perplexity(held_out),
        "stacked bidirectional network: balanced sense accuracy, in %": senses["trained"],
        "the same network untrained: balanced sense accuracy, in %": senses["untrained"],
    }


def honest(steps: int, seed: int = 0) -> dict[str, float]:
    """The same three numbers for a biLM, whose directions are apart, on the same text."""
    split = _leak_split(seed)
    text = [list(example.sentence.words) for example in split.train]
    trained, untrained = (train_bilm(text, seed, steps=n) for n in (steps, 0))
    senses = [top_score(model, split) for model in (trained, untrained)]
    held_out = trained.document([example.sentence.words for example in split.test])
    return {
        "biLM, directions apart: perplexity, mean of the two": fmean(trained.perplexity([held_out]).values()),
        "biLM, directions apart: balanced sense accuracy, in %": senses[0],
        "the same biLM untrained: balanced sense accuracy, in %": senses[1],
    }


def _leak_split(seed: int) -> SenseSplit:
    """Four ambiguous words of the world: few enough word types for the network to learn to copy them in seconds."""
    parts = []
    for split_seed, n in ((seed + 3, 100), (seed + 4, 30)):
        world = World(split_seed)
        words = list(world.ambiguous_words("en"))[:4]
        streams = [world.senses("en", word=word, side=side) for word in words for side in ("left", "right")]
        parts.append([example for stream in streams for example in islice(stream, n)])
    return SenseSplit(*parts, "senses of the world")


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
