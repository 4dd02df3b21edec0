"""Claim C6.2: words that belong together, farther and farther apart, for attention and for an LSTM."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.ledger import Measurement, claim
from course_lib.data.batch import length_mask, pad
from course_lib.data.bucketing import Buckets
from course_lib.data.world import World
from course_lib.data.world.distances import LONGEST
from course_lib.device import seed_everything
from course_lib.models.transformer import PositionedEmbedding, TransformerConfig, TransformerEncoder
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import fit
from course_lib.training.schedules import warmup_linear

WORLD_SEED = 31  # of the training sentences; dev and test have the next two
NEAR, FAR = tuple(range(4)), tuple(range(16, LONGEST + 1))
TASKS = ("agreement", "copying")
NETS = ("attention", "LSTM")


@dataclass(frozen=True)
class Asked:
    """What stands before a word, that word, and the word that must not be likelier ("" where all others compete)."""

    task: str
    distance: int
    before: tuple[str, ...]
    word: str
    wrong: str = ""


@claim("C6.2", full={"n_train": 300, "steps": 600, "n_seeds": 8, "longer": 3})
def attention_reaches_far(
    *,
    n_train: int = 150,
    n_test: int = 40,
    steps: int = 200,
    rates: Sequence[float] = (2e-3, 6e-3, 2e-2),
    width: int = 64,
    n_seeds: int = 5,
    longer: int = 0,
) -> Measurement:
    """Accuracy at distances 16-20, mean of the two tasks, attention minus LSTM, per seed; the control: at 0-3.

    A network that has not learned to copy at all fails near and far alike, which says nothing about distance.

    n_train, n_test  sentences per task and distance
    rates            learning rates; each network has the one that is better on dev, with a seed of its own
    longer           the LSTM once more with so many times the steps, among the parts; 0: not
    """
    train, dev, test = splits(n_train, n_test)
    words = Vocabulary.from_sentences(
        [(*item.before, item.word, item.wrong or item.word) for item in train], min_count=1
    )
    train, dev, test = ([one for one in part if known(one, words)] for part in (train, dev, test))
    right: dict[str, np.ndarray] = {}
    untrained, n_parameters, rate_of = {}, {}, {}
    for net in NETS:
        rate_of[net] = max(
            rates, key=lambda rate: far(dev, learned(net, words, train, width, steps, rate, -1).right(dev))
        )
        models = [learned(net, words, train, width, steps, rate_of[net], seed) for seed in range(n_seeds)]
        right[net] = np.stack([model.right(test) for model in models])
        fresh = learned(net, words, train, width, 0, 1.0, 0)
        untrained[net] = far(test, fresh.right(test))
        n_parameters[net] = sum(p.numel() for p in fresh.parameters())
    if longer:
        models = [learned("LSTM", words, train, width, longer * steps, rate_of["LSTM"], s) for s in range(n_seeds)]
        right[f"LSTM, {longer} times the steps"] = np.stack([model.right(test) for model in models])
    majority = Counter((item.task, item.word) for item in train)
    best = {task: max((w for t, w in majority if t == task), key=lambda w: majority[task, w]) for task in TASKS}

    def gap(distances: Sequence[int]) -> Measurement:
        both = zip(right["attention"], right["LSTM"], strict=True)
        return Measurement(
            [far(test, ours, distances) - far(test, theirs, distances) for ours, theirs in both], "points", seeds=True
        )

    return replace(
        gap(FAR),
        control=gap(NEAR),
        baselines={
            "commonest word of the task, in %": far(test, np.array([one.word == best[one.task] for one in test]))
        }
        | {f"{net} untrained, in %": score for net, score in untrained.items()},
        parts={
            f"{net}, {task}, distance {low}-{high}: accuracy in %": 100
            * float(right[net][:, [one.task == task and low <= one.distance <= high for one in test]].mean())
            for task in TASKS
            for net in right
            for low, high in ((0, 3), (4, 9), (10, 15), (FAR[0], FAR[-1]))
        }
        | {f"{net}: parameters": n for net, n in n_parameters.items()}
        | {f"{net}: learning rate": rate for net, rate in rate_of.items()},
        data="sentences of the world, distances 0-20",
    )


def splits(n_train: int, n_test: int) -> list[list[Asked]]:
    """Train, dev, test: no beginning of a sentence is in two of them. Short sentences run out of new ones: fewer."""
    seen: set[tuple[str, ...]] = set()
    parts = []
    for number, n in enumerate((n_train, n_test, n_test)):
        new = [one for one in items(World(WORLD_SEED + number), n) if (*one.before, one.word) not in seen]
        seen |= {(*one.before, one.word) for one in new}
        parts.append(new)
    return parts


def items(world: World, n: int) -> Iterator[Asked]:
    """`n` of each task and distance."""
    for distance in range(LONGEST + 1):
        for found in islice(world.agreement(distance), n):
            yield Asked("agreement", distance, found.sentence.words[: found.verb], found.right, found.wrong)
        for found in islice(world.copying(distance), n):
            words = found.sentence.words
            yield Asked("copying", distance, words[: found.second], words[found.second])


def known(item: Asked, words: Vocabulary) -> bool:
    return all(word in words for word in (*item.before, item.word))


def far(asked: Sequence[Asked], right: np.ndarray, distances: Sequence[int] = FAR) -> float:
    """Accuracy in % at these distances: the mean of the tasks' accuracies."""
    shares = [right[[one.task == task and one.distance in distances for one in asked]].mean() for task in TASKS]
    return 100 * float(np.mean(shares))


class NextWord(nn.Module):
    """Reads the beginning of a sentence, predicts its next word; `net` is "attention" or "LSTM".

    Two layers of `width`: with a feed-forward layer twice as wide as the rest, both have 16 width^2 weights.
    """

    def __init__(self, net: str, words: Vocabulary, width: int):
        super().__init__()
        self.words, self.net = words, net
        config = TransformerConfig(
            d_model=width,
            n_heads=4,
            n_layers=2,
            d_ff=2 * width,
            dropout=0.0,
            norm="pre",
            positions="sinusoidal" if net == "attention" else "none",  # an LSTM counts by itself
        )
        self.embedding = PositionedEmbedding(len(words), config)
        self.body = TransformerEncoder(config) if net == "attention" else nn.LSTM(width, width, 2, batch_first=True)

    def forward(self, ids: Int[Tensor, "batch seq"], lengths: Int[Tensor, " batch"]) -> Float[Tensor, "batch vocab"]:
        """Logits after the last word of each row. Padding stands on the right, where neither network looks."""
        states = self.embedding(ids)
        states = self.body(states, causal=True) if self.net == "attention" else self.body(states)[0]
        last = states[torch.arange(len(ids), device=ids.device), lengths - 1]
        return last @ self.embedding.tokens.weight.T

    def batch(self, asked: Sequence[Asked]) -> dict[str, Tensor]:
        rows = [self.words.encode(one.before) for one in asked]
        return {
            "ids": pad(rows),
            "lengths": length_mask([len(row) for row in rows]).sum(1),
            "word": torch.tensor(self.words.encode([one.word for one in asked])),
        }

    def loss(self, batch: dict[str, Tensor]) -> dict[str, Any]:
        """Cross-entropy of the next word, in nats."""
        return {
            "loss": F.cross_entropy(self(batch["ids"], batch["lengths"]), batch["word"]),
            "count": len(batch["word"]),
        }

    @torch.no_grad()
    def right(self, asked: Sequence[Asked]) -> np.ndarray:
        """bool [item]: the word is likelier than the wrong one; where there is none, than all other words."""
        batch = self.batch(asked)
        logits = self(batch["ids"], batch["lengths"])
        wrong = torch.tensor(self.words.encode([one.wrong or one.word for one in asked]))
        rows = torch.arange(len(asked))
        against = torch.tensor([bool(one.wrong) for one in asked])
        word = logits[rows, batch["word"]]
        return torch.where(against, word > logits[rows, wrong], logits.argmax(-1) == batch["word"]).numpy()


def learned(
    net: str, words: Vocabulary, train: Sequence[Asked], width: int, steps: int, rate: float, seed: int
) -> NextWord:
    """Trained on batches of like lengths, the same ones in the same order for both networks."""
    seed_everything(seed + 1_000)
    model = NextWord(net, words, width)
    buckets = Buckets([len(one.before) for one in train], tokens=1024, seed=seed)

    def batches(epoch: int) -> Iterator[dict[str, Tensor]]:
        return (model.batch([train[i] for i in rows]) for rows in buckets(epoch))

    if steps:
        fit(
            model,
            batches,
            steps=steps,
            learning_rate=rate,
            schedule=lambda step, total: warmup_linear(step, total, warmup=total // 10),
            betas=(0.9, 0.98),
            show=False,
        )
    return model.eval()
