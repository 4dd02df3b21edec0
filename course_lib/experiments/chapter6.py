"""The claims of chapter 6: the Transformer. C6.3 and C6.4 are here; the others have files of their own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from course_lib.experiments.measurement import Exact, claim

CHUNK = 1_000  # draws held in memory together


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
