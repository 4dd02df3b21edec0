"""Load, not distance: networks that read pairs of a key and a value, and are then asked for the value of one key.

Attention keeps every pair in a place of its own and looks there. An LSTM packs all of them into one state of fixed
size: what it loses grows with the number of pairs, not with how long ago the one was that is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import matplotlib.pyplot as plt
import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.device import seed_everything
from course_lib.language import key, t
from course_lib.models.attention import MultiHeadAttention
from course_lib.training import fit
from course_lib.training.schedules import linear_decay

LOADS = (2, 4, 8, 16, 32)  # pairs to keep apart
N_KEYS, N_VALUES = 32, 16
ASKED_OF = 16  # the load at which answers are split by distance: the LSTM is neither perfect nor lost there
Net = Literal["attention", "LSTM"]
COLORS = {key("attention"): "#0072B2", "LSTM": "#D55E00"}


def questions(n: int, load: int, generator: torch.Generator) -> dict[str, Tensor]:
    """keys, values: [question, load], no key twice; asked, answer: [question]; ago: pairs read since the right one."""
    keys = torch.rand(n, N_KEYS, generator=generator).argsort(-1)[:, :load]
    values = torch.randint(N_VALUES, (n, load), generator=generator)
    place = torch.randint(load, (n,), generator=generator)
    rows = torch.arange(n)
    return {
        "keys": keys,
        "values": values,
        "asked": keys[rows, place],
        "answer": values[rows, place],
        "ago": load - 1 - place,
    }


@torch.no_grad()
def answered(
    model: nn.Module, load: int, seed: int, n: int = 2_000
) -> tuple[Bool[np.ndarray, " n"], Int[np.ndarray, " n"]]:
    """New questions: answered rightly or not, and how many pairs ago the right one was read."""
    batch = questions(n, load, torch.Generator().manual_seed(seed))
    return (model(batch).argmax(-1) == batch["answer"]).numpy(), batch["ago"].numpy()


class Recall(nn.Module):
    """One layer between the same tables and output: attention without positions, or an LSTM, which is larger."""

    def __init__(self, net: Net, width: int = 64):
        super().__init__()
        self.keys, self.values = nn.Embedding(N_KEYS, width), nn.Embedding(N_VALUES, width)
        self.body = MultiHeadAttention(width, 1) if net == "attention" else nn.LSTM(width, width, batch_first=True)
        self.output = nn.Linear(width, N_VALUES)

    def forward(self, batch: dict[str, Tensor]) -> Float[Tensor, "question value"]:
        """Logits. A pair is one step: its key's vector plus its value's. The key asked for comes last."""
        pairs, asked = self.keys(batch["keys"]) + self.values(batch["values"]), self.keys(batch["asked"])[:, None]
        if isinstance(self.body, MultiHeadAttention):
            return self.output(self.body(asked, pairs)[:, 0])
        return self.output(self.body(torch.cat([pairs, asked], 1))[0][:, -1])

    def loss(self, batch: dict[str, Tensor]) -> dict[str, Any]:
        """Cross-entropy of the value, in nats."""
        return {"loss": F.cross_entropy(self(batch), batch["answer"]), "count": len(batch["answer"])}


def trained(net: Net, steps: int, rate: float, seed: int, *, width: int = 64) -> Recall:
    """All loads in turn, 64 questions a step. Both networks get the same questions."""
    seed_everything(seed)
    model, generator = Recall(net, width), torch.Generator().manual_seed(seed)

    def batches(epoch: int) -> Iterator[dict[str, Tensor]]:
        return (questions(64, LOADS[step % len(LOADS)], generator) for step in range(steps))

    fit(model, batches, steps=steps, learning_rate=rate, schedule=linear_decay, show=False)
    return model.eval()


def guessing(load: int) -> float:
    """Share that one of the values read, taken blindly, is right."""
    return 1 / load + (1 - 1 / load) / N_VALUES


def load_and_distance(models: dict[Net, nn.Module], seed: int = -1) -> plt.Figure:
    """Answers of trained networks in %: over the number of pairs, and at one number over how long ago the pair was."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 3), layout="constrained", sharey=True)
    quarters: Sequence[int] = range(0, ASKED_OF, ASKED_OF // 4)
    for name, model in models.items():
        shares = [100 * answered(model, load, seed)[0].mean() for load in LOADS]
        left.plot(LOADS, shares, "o-", color=COLORS[name], label=t(name))
        hits, ago = answered(model, ASKED_OF, seed, n=8_000)
        shares = [100 * hits[(ago >= first) & (ago < first + ASKED_OF // 4)].mean() for first in quarters]
        ticks = [t("{first} to {last}", first=first + 1, last=first + ASKED_OF // 4) for first in quarters]
        right.plot(ticks, shares, "o-", color=COLORS[name])
    blindly = [100 * guessing(load) for load in LOADS]
    left.plot(LOADS, blindly, ":", color="#8A8F98", label=t("one of the values, blindly"))
    left.set(xscale="log", xticks=LOADS, xticklabels=LOADS)
    left.set(xlabel=t("pairs to keep apart"), ylabel=t("right answers in %"))
    left.minorticks_off()
    left.set(title=t("load: how many"), ylim=(0, 105))
    left.legend(frameon=False, loc="upper right", bbox_to_anchor=(1, 0.95))
    right.set(title=t("distance: how long ago, of {n} pairs", n=ASKED_OF), xlabel=t("pairs ago"))
    plt.close(figure)  # shown by being returned; open, a notebook would show it twice
    return figure
