"""Learning rates over time: each function gives the factor by which the largest (or base) learning rate is multiplied.

`fit` calls a schedule as `schedule(step, total)` with step = 0 ... total - 1 and total the number of steps of the run.
Schedules with further arguments are wrapped: `lambda step, total: warmup_linear(step, total, warmup=100)`.
"""

from __future__ import annotations

import math


def constant(step: int, total: int) -> float:
    """1 at every step."""
    return 1.0


def linear_decay(step: int, total: int) -> float:
    """A straight line: 1 at step 0, 0 at step `total`."""
    return max(0.0, 1 - step / total)


def cosine(step: int, total: int, *, floor: float | int = 0) -> float:
    """Half a cosine wave from 1 at step 0 to `floor` at step `total` (Loshchilov & Hutter 2017, eq. 5, one cycle)."""
    return floor + (1 - floor) * (1 + math.cos(math.pi * min(step / total, 1.0))) / 2


def warmup_linear(step: int, total: int, *, warmup: int) -> float:
    """Up from 0 at step 0 to 1 at step `warmup`, then straight down to 0 at step `total`.

    Used by BERT (Devlin et al. 2019, section A.2). Its code decays as if there had been no warm-up and so jumps down
    at the end of it; here the two lines meet.
    """
    assert 0 <= warmup < total
    if step < warmup:
        return step / warmup
    return max(0.0, (total - step) / (total - warmup))


def rise_and_fall(step: int, total: int) -> float:
    """`warmup_linear` with a tenth of the steps up; its steps count from 1 inside, so that no step has rate 0."""
    return warmup_linear(step + 1, total + 1, warmup=total // 10)


def slanted_triangular(step: int, total: int, cut_frac: float | int = 0.1, ratio: float | int = 32) -> float:
    """A short rise and a long fall between 1/ratio and 1: eta_t / eta_max of Howard & Ruder 2018, eq. 3.

    step: t, from 0. total: T. cut_frac: share of steps in which the rate rises. ratio: largest over smallest rate.
    The rise lasts cut = floor(total * cut_frac) steps. The paper leaves two cases open: with cut = 0 the rate only
    falls; where the rounding of cut would bring it below 1/ratio in the last steps it stays at 1/ratio.
    """
    assert 0 <= cut_frac < 1 <= ratio, f"{cut_frac=}, {ratio=}"
    cut = math.floor(total * cut_frac)
    fall = cut * (1 / cut_frac - 1) if cut else total
    share = step / cut if step < cut else 1 - (step - cut) / fall
    return (1 + max(0.0, share) * (ratio - 1)) / ratio


def inverse_sqrt_warmup(step: int, d_model: int, warmup: int) -> float:
    """d_model^-0.5 * min(step^-0.5, step * warmup^-1.5): Vaswani et al. 2017, eq. 3. The step counts from 1.

    This is a learning rate, not a factor: with `fit` use learning_rate=1 and
    `schedule=lambda step, total: inverse_sqrt_warmup(step + 1, d_model, warmup)`.
    """
    return d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)
