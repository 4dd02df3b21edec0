"""Claim C6.5: attention whose scores are not divided by sqrt(d_k) learns more slowly the larger d_k is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course_lib.device import seed_everything
from course_lib.experiments.measurement import Measurement, claim

N_SYMBOLS, N_SLOTS, N_VALUES = 32, 8, 8
LEARNED, SMOOTHED = 0.9, 8  # accuracy to reach, as the mean over so many batches
RULES = ("divided", "undivided", "rescaled")


@dataclass(frozen=True)
class Runs:
    """steps to 90 % [d_k, seed] at the rate that was best for a seed of its own; rates: that rate, largest [d_k]."""

    steps: Float[np.ndarray, "width seed"]
    best_rates: list[float]
    largest_rates: list[float]  # nan where none learned
    n_cut: int  # runs that did not get there within the most steps


@claim("C6.5", full={"widths": (16, 64, 256, 1024), "max_steps": 1_500, "n_seeds": 8})
def division_keeps_learning(
    *,
    widths: Sequence[int] = (16, 128, 1024),
    rates: Sequence[float] = (3e-3, 1e-2, 3e-2, 1e-1, 3e-1),
    max_steps: int = 600,
    n_seeds: int = 5,
    batch_size: int = 64,
    seed: int = 0,
) -> Measurement:
    """Slope of log2(steps to 90 %) over log2(d_k), undivided minus divided scores, per seed.

    Each way has, for each d_k, the best of `rates` (chosen by one more seed). The control keeps the scores divided and
    multiplies the rates by sqrt(d_k): what the missing division does to the size of the gradient, without its
    saturation. A run that does not get there counts with the most steps, so a slope can only be underrated.
    """
    found = {
        rule: measure(rule, widths, rates, max_steps=max_steps, n_seeds=n_seeds, batch_size=batch_size, seed=seed)
        for rule in RULES
    }
    slopes = {rule: np.polyfit(np.log2(widths), np.log2(runs.steps), 1)[0] for rule, runs in found.items()}
    return Measurement(
        slopes["undivided"] - slopes["divided"],
        "doublings per doubling",
        seeds=True,
        control=Measurement(slopes["rescaled"] - slopes["divided"], "doublings per doubling", seeds=True),
        baselines={"divided scores: doublings per doubling": float(slopes["divided"].mean())},
        parts={
            f"{rule}, d_k {width}: steps to 90 %": float(np.median(runs.steps[i]))
            for rule, runs in found.items()
            for i, width in enumerate(widths)
        }
        | {
            f"{rule}, d_k {width}: largest rate of those tried at which it learns": runs.largest_rates[i]
            for rule, runs in found.items()
            for i, width in enumerate(widths)
            if not np.isnan(runs.largest_rates[i])
        }
        | {
            f"{rule}, d_k {w}: best rate": r
            for rule, runs in found.items()
            for w, r in zip(widths, runs.best_rates, strict=True)
        }
        | {f"{rule}: runs cut at {max_steps:,} steps": runs.n_cut for rule, runs in found.items()},
        data="look-ups in a table, one attention head",
    )


def measure(
    rule: str,
    widths: Sequence[int],
    rates: Sequence[float],
    *,
    max_steps: int,
    n_seeds: int,
    batch_size: int,
    seed: int,
) -> Runs:
    """All seeds of one width and rate train side by side; the last of them only chooses the rate."""
    steps, best_rates, largest_rates = [], [], []
    for width in widths:
        factor = width**0.5 if rule == "rescaled" else 1.0
        scale = 1.0 if rule == "undivided" else width**-0.5
        tried = np.stack(
            [steps_to_learn(width, scale, factor * rate, n_seeds + 1, max_steps, batch_size, seed) for rate in rates]
        )  # [rate, seed]
        best = int(tried[:, -1].argmin())
        steps.append(tried[best, :-1])
        best_rates.append(factor * rates[best])
        learns = (np.median(tried[:, :-1], axis=1) < max_steps).nonzero()[0]
        largest_rates.append(factor * rates[learns[-1]] if len(learns) else float("nan"))
    found = np.stack(steps)
    return Runs(found, best_rates, largest_rates, int((found == max_steps).sum()))


class LookUps(nn.Module):
    """`n` networks side by side, each with one head: find the slot whose symbol is asked for, and say its value.

    Queries and keys of symbols start with independent entries of variance 1, so that q.k has variance d_k.
    """

    def __init__(self, n: int, d_k: int, scale: float, d_value: int = 32):
        super().__init__()
        self.scale = scale
        self.query, self.key = (nn.Parameter(torch.randn(n, N_SYMBOLS, d_k)) for _ in range(2))
        self.value = nn.Parameter(torch.randn(n, N_VALUES, d_value))
        self.output = nn.Parameter(torch.randn(n, d_value, N_VALUES) / d_value**0.5)

    def forward(
        self,
        asked: Int[Tensor, "net batch"],
        symbols: Int[Tensor, "net batch slot"],
        values: Int[Tensor, "net batch slot"],
    ) -> Float[Tensor, "net batch value"]:
        """Logits. The scores of all symbols with all are computed once and looked up: it is the same, and faster."""
        nets = torch.arange(len(asked))[:, None]
        table = self.query @ self.key.transpose(1, 2) * self.scale  # [net, asked, symbol]
        weights = table[nets[..., None], asked[..., None], symbols].softmax(-1)
        attended = (weights[..., None] * self.value[nets[..., None], values]).sum(-2)
        return attended @ self.output


def steps_to_learn(
    d_k: int, scale: float, rate: float, n: int, max_steps: int, batch_size: int, seed: int
) -> Float[np.ndarray, " net"]:
    """Steps until the mean accuracy on the last SMOOTHED batches, all of them new, is 90 %; at most max_steps."""
    seed_everything(seed)
    nets = LookUps(n, d_k, scale)
    optimizer = torch.optim.Adam(nets.parameters(), lr=rate, betas=(0.9, 0.98))
    recent: list[Tensor] = []
    reached = np.full(n, float(max_steps))
    for step in range(1, max_steps + 1):
        symbols = torch.rand(n, batch_size, N_SYMBOLS).argsort(-1)[..., :N_SLOTS]
        values = torch.randint(N_VALUES, (n, batch_size, N_SLOTS))
        # the slots are in random order, so the first one may always be the one that is asked for
        asked, gold = symbols[..., 0], values[..., 0]
        logits = nets(asked, symbols, values)
        loss = F.cross_entropy(logits.flatten(0, 1), gold.flatten()) * n  # a net's gradient is that of its own mean
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        recent = [*recent[1 - SMOOTHED :], (logits.argmax(-1) == gold).float().mean(-1)]
        if len(recent) == SMOOTHED:
            learned = (torch.stack(recent).mean(0) >= LEARNED).numpy()
            reached[learned & (reached == max_steps)] = step
            if (reached < max_steps).all():
                break
    return reached
