"""Claim C6.6: two look-ups at once need two heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.lab.world_models import TRANSLATOR, translator, unseen_pairs, world_bleu
from course.ledger.measurement import Measurement, claim
from course_lib.device import seed_everything
from course_lib.models.attention import MultiHeadAttention
from course_lib.training import fit
from course_lib.training.schedules import cosine

# With 16, 8 and 6 every network has all answers right, with 64, 16 and 16 none gets beyond chance in these steps.
N_SYMBOLS, N_SLOTS, N_VALUES = 64, 16, 8
LookUpBatch = dict[str, Tensor]


@claim("C6.6", full={"steps": 600, "n_seeds": 8, "bleu_steps": 300})
def heads_look_up_together(
    *,
    heads: Sequence[int] = (1, 2, 4),
    width: int = 32,
    steps: int = 400,
    n_seeds: int = 5,
    learning_rate: float = 5e-3,
    bleu_steps: int = 0,
) -> Measurement:
    """Accuracy with the most heads minus that with the fewest, per seed; both look-ups must be right, and in order.

    bleu_steps  steps of a world translator for each number of heads, as a part; 0 leaves it out
    """
    few, many = min(heads), max(heads)
    found = {
        (n_heads, asked): np.array([accuracy(n_heads, asked, width, steps, learning_rate, s) for s in range(n_seeds)])
        for asked, some in ((2, heads), (1, (few, many)))
        for n_heads in some
    }
    parts: dict[str, float] = {
        f"{n_heads} head{'s' * (n_heads > 1)}, {asked} look-up{'s' * (asked > 1)}: accuracy in %": float(values.mean())
        for (n_heads, asked), values in found.items()
    }
    if bleu_steps:
        pairs = [pair.parallel() for pair in unseen_pairs(300, 1)]
        for n_heads in heads:
            config = replace(TRANSLATOR, n_heads=n_heads)
            score = world_bleu(translator(0, steps=bleu_steps, config=config), pairs)
            parts[f"translator of the world, {n_heads} head{'s' * (n_heads > 1)}: BLEU"] = score
    return Measurement(
        found[many, 2] - found[few, 2],
        "points",
        seeds=True,
        baselines={"chance, in %": 100 / N_VALUES**2, "best answer from one look-up, in %": 100 / N_VALUES},
        parts=parts,
        data=f"look-ups in a table, one attention layer of width {width}",
    )


class TwoLookUps(nn.Module):
    """One attention layer reads slots (a symbol and its value); the query asks for one symbol, or for two in order.

    The answer is the value, or the pair of values. Nothing but the attention's output reaches it.
    """

    def __init__(self, width: int, n_heads: int, n_asked: int):
        super().__init__()
        self.symbols, self.values = nn.Embedding(N_SYMBOLS, width), nn.Embedding(N_VALUES, width)
        self.asked = nn.ModuleList(nn.Embedding(N_SYMBOLS, width) for _ in range(n_asked))
        self.attention = MultiHeadAttention(width, n_heads)
        self.answer = nn.Linear(width, N_VALUES**n_asked)

    def forward(self, batch: LookUpBatch) -> Float[Tensor, "batch answer"]:
        """Logits of all answers."""
        slots = self.symbols(batch["symbols"]) + self.values(batch["values"])
        query = sum(table(batch["symbols"][:, i]) for i, table in enumerate(self.asked))
        return self.answer(self.attention(query[:, None], slots)[0][:, 0])

    def gold(self, batch: LookUpBatch) -> Int[Tensor, " batch"]:
        """The number of the right answer: value of the first slot asked for * N_VALUES + that of the second."""
        number = torch.zeros(len(batch["values"]), dtype=torch.long)
        for i in range(len(self.asked)):
            number = number * N_VALUES + batch["values"][:, i].cpu()
        return number.to(batch["values"].device)

    def loss(self, batch: LookUpBatch) -> dict[str, Any]:
        """Cross-entropy per question, in nats."""
        return {"loss": F.cross_entropy(self(batch), self.gold(batch)), "count": len(batch["values"])}


def questions(n: int, seed: int) -> LookUpBatch:
    """Slots in random order, so the first ones may be those that are asked for."""
    generator = torch.Generator().manual_seed(seed)
    symbols = torch.rand(n, N_SYMBOLS, generator=generator).argsort(-1)[:, :N_SLOTS]
    return {"symbols": symbols, "values": torch.randint(N_VALUES, (n, N_SLOTS), generator=generator)}


def accuracy(n_heads: int, n_asked: int, width: int, steps: int, learning_rate: float, seed: int) -> float:
    """Right answers to new questions after training, in %."""
    seed_everything(seed)
    model = TwoLookUps(width, n_heads, n_asked)

    def new(epoch: int):
        return (questions(128, seed=1_000_003 * (seed + 1) + step) for step in range(steps))

    fit(model, new, steps=steps, learning_rate=learning_rate, schedule=cosine, seed=seed, show=False)
    test = questions(2_000, seed=-1 - seed)
    with torch.no_grad():
        return 100 * float((model(test).argmax(-1) == model.gold(test)).float().mean())
