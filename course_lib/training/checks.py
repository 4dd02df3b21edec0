"""What would go wrong in a training without a word, said in words."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.errors import CourseError
from course_lib.training.processes import Numbers


def finite(means: Numbers, step: int, rates: dict[str, float]) -> dict[str, float]:
    """The step's numbers, fetched at once. Raises CourseError if loss or gradient norm is not a finite number."""
    tensors = {name: mean for name, mean in means.items() if isinstance(mean, Tensor)}
    fetched = dict(zip(tensors, torch.stack([t.detach().float() for t in tensors.values()]).tolist(), strict=True))
    numbers = {name: fetched[name] if name in fetched else float(mean) for name, mean in means.items()}
    for name in ("loss", "gradient_norm"):
        if not math.isfinite(numbers.get(name, 0.0)):
            rate = max(rates.values())
            raise CourseError(
                f"fit: the {name.replace('_', ' ')} is {numbers[name]} at step {step + 1}, learning rate {rate:.3g}. "
                f"The model is as it was after step {step}, and so is a saved state or older. Try a learning rate of "
                f"{rate / 10:.3g}, a warm-up (training.schedules) or a smaller clip; see that no batch is empty or odd."
            )
    return numbers


def check_losses(losses: Any, model: nn.Module) -> dict[str, Any]:
    """What loss(batch) gave. Raises CourseError if it is not what every model of the course gives."""
    name = type(model).__name__
    if not isinstance(losses, dict) or not {"loss", "count"} <= losses.keys():
        got = f"a dict with {', '.join(map(str, losses))}" if isinstance(losses, dict) else f"a {type(losses).__name__}"
        raise CourseError(
            f'fit: {name}.loss(batch) gave {got}. Return {{"loss": scalar mean, "count": items it is the mean of}}.'
        )
    loss = losses["loss"]
    if not isinstance(loss, Tensor) or loss.dim() != 0:
        got = f"a tensor of shape {list(loss.shape)}" if isinstance(loss, Tensor) else f"a {type(loss).__name__}"
        raise CourseError(f'fit: the "loss" of {name}.loss(batch) is {got}. Return the mean as a scalar tensor.')
    if not loss.requires_grad:
        raise CourseError(
            f"fit: the loss of {name} does not depend on any parameter in training. Unfreeze what should learn, and "
            "compute the loss without no_grad, detach or numpy."
        )
    return losses


def check_arguments(
    model: nn.Module,
    learning_rate: float | int,
    clip: float | int | None,
    save_every: float | int,
    save_steps: int | None,
    evaluate_every: int | None,
) -> None:
    if not callable(getattr(model, "loss", None)):
        raise CourseError(
            f'fit: {type(model).__name__} has no loss(batch). Give it one that returns {{"loss": ..., "count": ...}}.'
        )
    numbers = {
        "learning_rate": learning_rate,
        "clip": clip,
        "save_every": save_every,
        "save_steps": save_steps,
        "evaluate_every": evaluate_every,
    }
    for name, value in numbers.items():
        if value is not None and not 0 < value < math.inf:
            none = " or None" if name in ("clip", "save_steps", "evaluate_every") else ""
            raise CourseError(f"fit: {name}={value}. Use a number above 0{none}.")
