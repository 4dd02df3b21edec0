"""Claims C6.3 to C6.5: why the scores of attention are divided by sqrt(d_k)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from course.ledger import Exact, Measurement, claim
from course_lib.device import seed_everything

CHUNK = 1_000  # draws held in memory together
N_SYMBOLS, N_SLOTS, N_VALUES = 32, 8, 8  # of the look-ups
LEARNED, SMOOTHED = 0.9, 8  # accuracy to reach, as the mean over so many batches
RULES = ("divided", "undivided", "rescaled")


@claim("C6.3")
def variance_of_scores(
    *,
    widths: Sequence[int] = (16, 64, 256, 1024),
    sigmas: Sequence[float] = (0.5, 1.0, 2.0),
    n_draws: int = 100_000,
    seed: int = 0,
) -> Exact:
    """Largest relative error of var(q.k) = d_k sigma^4; entries of mean 1 must break it.

    The draws of one width serve all sigmas, multiplied by each: the products are then measured, not their formula.
    """
    generator = torch.Generator().manual_seed(seed)
    errors, ratios, shifted = [], [], 0.0
    for width in widths:
        # Room for all products is made first: small results between large draws would keep the memory from being freed.
        cases = [*((0.0, sigma) for sigma in sigmas), (1.0, 1.0)]
        found = {case: torch.empty(n_draws, dtype=torch.float64) for case in cases}
        for start in range(0, n_draws, CHUNK):
            query, key = torch.randn(2, min(CHUNK, n_draws - start), width, generator=generator)
            for (mean, sigma), scores in found.items():
                products = (sigma * query + mean) * (sigma * key + mean)
                scores[start : start + CHUNK] = products.sum(-1)
        for sigma in sigmas:
            scores = found[0.0, sigma]
            errors.append(abs(float(scores.var()) / (width * sigma**4) - 1))
            ratios.append(float(scores.square().mean().sqrt()) / (width**0.5 * sigma**2))
        shifted = max(shifted, abs(float(found[1.0, 1.0].var()) / width - 1))
    return Exact(
        max(errors),
        "relative error",
        holds=shifted > 0.5,
        detail=f"{n_draws:,} draws for each d_k; with entries of mean 1 the formula is off by {shifted:.2f}",
        parts={
            "entries of mean 1: relative error of the formula": shifted,
            "root mean square of q.k over sqrt(d_k) sigma^2, largest": max(ratios),
        },
        data="normal draws",
    )


@claim("C6.4")
def differences_saturate(*, factors: Sequence[float] = (1, 3, 10, 30, 100)) -> Exact:
    """softmax([0.3, 0.4]) and of 100 times that, the Jacobian, and what 1000 added to all scores changes."""
    scores = torch.tensor([0.3, 0.4], dtype=torch.float64)
    stated = {1.0: [0.47502, 0.52498], 100.0: [0.00004540, 0.99995460]}
    errors = [
        float((torch.softmax(factor * scores, 0) - torch.tensor(values, dtype=torch.float64)).abs().max())
        for factor, values in stated.items()
    ]
    jacobians = [_jacobian(factor * scores) for factor in factors]
    weights = [torch.softmax(factor * scores, 0) for factor in factors]
    minus = [
        float((jacobian - softmax_jacobian(y)).abs().max()) for jacobian, y in zip(jacobians, weights, strict=True)
    ]
    plus = [  # the notes' sign: the same on the diagonal, turned off it
        float((jacobian - (2 * torch.diag(softmax_jacobian(y).diag()) - softmax_jacobian(y))).abs().max())
        for jacobian, y in zip(jacobians, weights, strict=True)
    ]
    moved = float((torch.softmax(scores + 1000, 0) - torch.softmax(scores, 0)).abs().max())
    norms = [float(jacobian.norm()) for jacobian in jacobians]
    return Exact(
        max(*errors, *minus, moved),
        "largest error",
        holds=bool(np.all(np.diff(norms) < 0)),
        detail="the norm of the Jacobian falls with every factor" if np.all(np.diff(norms) < 0) else "the norm rises",
        parts={
            **{f"norm of the Jacobian, scores times {factor:g}": n for factor, n in zip(factors, norms, strict=True)},
            "Jacobian with plus off the diagonal, as in the notes: largest error": max(plus),
        },
        data="the scores [0.3, 0.4] and multiples of them",
    )


def softmax_jacobian(weights: Float[Tensor, " token"]) -> Float[Tensor, "token token"]:
    """d y_i / d s_j = y_i (delta_ij - y_j)."""
    return torch.diag(weights) - torch.outer(weights, weights)


def _jacobian(scores: Float[Tensor, " token"]) -> Float[Tensor, "token token"]:
    return torch.autograd.functional.jacobian(lambda s: torch.softmax(s, 0), scores)


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

    def measure(rule: str) -> Runs:
        """All seeds of one width and rate train side by side; the last of them only chooses the rate."""
        steps, best_rates, largest_rates = [], [], []
        for width in widths:
            factor = width**0.5 if rule == "rescaled" else 1.0
            scale = 1.0 if rule == "undivided" else width**-0.5
            tried = [
                steps_to_learn(width, scale, factor * rate, n_seeds + 1, max_steps, batch_size, seed) for rate in rates
            ]
            tried = np.stack(tried)  # [rate, seed]
            best = int(tried[:, -1].argmin())
            steps.append(tried[best, :-1])
            best_rates.append(factor * rates[best])
            learns = (np.median(tried[:, :-1], axis=1) < max_steps).nonzero()[0]
            largest_rates.append(factor * rates[learns[-1]] if len(learns) else float("nan"))
        found = np.stack(steps)
        return Runs(found, best_rates, largest_rates, int((found == max_steps).sum()))

    found = {rule: measure(rule) for rule in RULES}
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
