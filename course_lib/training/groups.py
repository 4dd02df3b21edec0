"""Parameter groups and the optimizer over them: each group has a name and its own base learning rate."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn

from course_lib.errors import CourseError

Groups = list[dict[str, Any]]  # what torch optimizers take: {"name": ..., "params": [...], "lr": ...}


def make_groups(model: nn.Module, groups: Sequence[tuple] | None, learning_rate: float | int) -> Groups:
    """The trainable parameters as optimizer groups; groups without any are left out.

    groups: (name, parameters) or (name, parameters, factor of the learning rate).
    """
    owners: dict[int, str] = {}
    own = {id(p): name for name, p in model.named_parameters()}
    made: Groups = []
    for name, parameters, *factor in [("all", list(model.parameters()))] if groups is None else groups:
        parameters = list(parameters)
        for parameter in parameters:
            where = own.get(id(parameter))
            if where is None:
                raise CourseError(
                    f"fit: group {name!r} holds a parameter of shape {list(parameter.shape)} that is not the model's. "
                    "Make the groups from this very model, as in groups=model.layer_groups()."
                )
            if id(parameter) in owners:
                raise CourseError(
                    f"fit: the parameter {where!r} is in group {owners[id(parameter)]!r} and again in {name!r}. "
                    "Leave it in one of them: two would train it twice a step."
                )
            owners[id(parameter)] = name
        if any(name == group["name"] for group in made):
            raise CourseError(f"fit: two groups are called {name!r}. Give each a name of its own.")
        if trainable := [p for p in parameters if p.requires_grad]:
            made.append({"name": name, "params": trainable, "lr": learning_rate * (factor[0] if factor else 1)})
    if not made:
        frozen = "all of them are frozen: call unfreeze() or requires_grad_(True)" if own else "the model has none"
        raise CourseError(f"fit: there is no parameter to train; {frozen}.")
    return made


def adamw(groups: Groups, *, weight_decay: float | int, betas: tuple[float, float]) -> torch.optim.Optimizer:
    """AdamW (Loshchilov & Hutter 2019), all parameters in one kernel where PyTorch has one."""
    parameters = [p for group in groups for p in group["params"]]
    fused = all(p.is_floating_point() and p.device.type in ("cpu", "cuda") for p in parameters)
    return torch.optim.AdamW(groups, betas=betas, weight_decay=weight_decay, fused=fused)


def set_rates(optimizer: torch.optim.Optimizer, base: dict[str, float], factor: float | int) -> dict[str, float]:
    """Give each group `factor` times its base rate; the rates by group name."""
    if not 0 <= factor < math.inf:
        raise CourseError(f"fit: the schedule gave {factor}. A factor of the learning rate is 0 or more.")
    rates = {name: float(rate * factor) for name, rate in base.items()}
    for group in optimizer.param_groups:
        group["lr"] = rates[group["name"]]
    return rates


def make_optimizer(
    factory: Callable[[Groups], torch.optim.Optimizer] | None,
    groups: Groups,
    weight_decay: float | int,
    betas: tuple[float, float],
) -> torch.optim.Optimizer:
    """The reader's optimizer, or AdamW."""
    if factory is None:
        return adamw(groups, weight_decay=weight_decay, betas=betas)
    if weight_decay != 0 or betas != (0.9, 0.999):
        raise CourseError(
            "fit: weight_decay and betas are for the default AdamW; with optimizer=... they would be ignored. "
            "Set them there, as in optimizer=lambda groups: torch.optim.SGD(groups, weight_decay=0.1)."
        )
    optimizer = factory(groups)
    if [group.get("name") for group in optimizer.param_groups] != [group["name"] for group in groups]:
        raise CourseError(
            "fit: optimizer=... was made over other parameters than the groups it was given. "
            "Pass them on, as in optimizer=lambda groups: torch.optim.SGD(groups, momentum=0.9)."
        )
    return optimizer
