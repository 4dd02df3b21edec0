"""The state of a training on disk: everything needed to go on bit for bit, also after `kill -9`.

One folder in the course's checkpoint format (course_lib/checkpoints.py), replaced as a whole, never pickle:
model and optimizer tensors, the place in the batches with the random generators there, carry, history, and a
description of what must be the same. On GPUs it is as exact as their kernels are.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checkpoints import CONFIG, TENSORS, Checkpoint, load_checkpoint, load_weights, save_checkpoint
from course_lib.device import move
from course_lib.errors import CourseError
from course_lib.files import recover_folder
from course_lib.training import carry
from course_lib.training.feed import Place
from course_lib.training.groups import Groups
from course_lib.training.history import History
from course_lib.training.randomness import RandomState

KIND = "training state"
HISTORY = "history.json"
ANEW = "delete the folder to start anew"


@dataclass
class Progressed:
    """What a training has reached, apart from weights and optimizer."""

    step: int
    total: int | None  # steps of the whole run, where known
    seed: int | None
    place: Place
    history: History


def save_state(
    folder: Path, reached: Progressed, model: nn.Module, optimizer: torch.optim.Optimizer, same: dict[str, Any]
) -> None:
    """Replace the state in `folder`; the old one stays until the new one is complete."""
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    config = {
        "same": same,
        "step": reached.step,
        "total": reached.total,
        "seed": reached.seed,
        "epoch": reached.place.epoch,
        "position": reached.place.position,
        "optimizer": _pack_optimizer(optimizer, tensors),
        "carry": carry.pack(reached.place.carry, tensors),
        "epoch_start": _pack_random(reached.place.epoch_start, "epoch_start", tensors),
        "now": _pack_random(reached.place.now, "now", tensors),
    }
    save_checkpoint(folder, kind=KIND, config=config, tensors=tensors, files={HISTORY: reached.history.to_json()})


def find_state(folder: Path, *, resume: bool) -> Checkpoint | None:
    """The state in `folder`, or None if there is none or it is not wanted.

    Raises CourseError for a damaged state, and for a folder that holds another checkpoint (it would be overwritten).
    """
    recover_folder(folder)
    if not any((folder / name).exists() for name in (CONFIG, TENSORS)):
        return None
    try:
        found = load_checkpoint(folder)
    except CourseError as error:
        raise CourseError(f"fit cannot go on: {error} For a training: {ANEW}.") from error
    if found.kind != KIND:
        raise CourseError(
            f"fit: {folder} holds a checkpoint of kind {found.kind!r}, not the state of a training. "
            "Nothing was changed. Give fit a folder of its own."
        )
    return found if resume else None


def restore(
    found: Checkpoint,
    model: nn.Module,
    optimizer: torch.optim.Optimizer,
    same: Callable[[int | None], dict[str, Any]],
    device: torch.device,
) -> Progressed:
    """Put weights and optimizer back as they were. Raises CourseError that says what differs, if something does.

    same: what must be the same, given the total number of steps.
    """
    config, tensors = found.config, found.tensors
    _compare(found.folder, config["same"], same(config["total"]))
    load_weights(model, _under("model.", tensors), source=found.folder)
    _unpack_optimizer(optimizer, config["optimizer"], tensors)
    place = Place(
        config["epoch"],
        config["position"],
        move(carry.unpack(config["carry"], tensors), device),
        RandomState.unpack(_under("random.epoch_start.", tensors), config["epoch_start"]),
        RandomState.unpack(_under("random.now.", tensors), config["now"]),
    )
    history = History.from_json(found.files[HISTORY].read_text(encoding="utf-8"))
    history.interrupted = False
    return Progressed(config["step"], config["total"], config["seed"], place, history)


def describe(
    model: nn.Module, groups: Groups, optimizer: torch.optim.Optimizer, settings: dict[str, Any]
) -> dict[str, Any]:
    """What must be the same for a resumed run to equal an uninterrupted one, as JSON."""
    names = {id(p): name for name, p in model.named_parameters()}
    # kept elsewhere, or only ways to compute the same
    left_out = {"params", "lr", "fused", "foreach", "capturable", "differentiable"}
    described = {
        "model": {name: f"{t.dtype} {list(t.shape)}".removeprefix("torch.") for name, t in model.state_dict().items()},
        "groups": {group["name"]: [names[id(p)] for p in group["params"]] for group in groups},
        "order of groups": [group["name"] for group in groups],  # the optimizer's state is numbered by it
        "optimizer": type(optimizer).__name__,
        "optimizer settings": [{k: v for k, v in g.items() if k not in left_out} for g in optimizer.param_groups],
        **settings,
    }
    return json.loads(json.dumps(described, default=str))


def _compare(folder: Path, stored: dict[str, Any], present: dict[str, Any]) -> None:
    differences = []
    for key in {**stored, **present}:
        before, now = stored.get(key), present.get(key)
        if isinstance(before, dict) and isinstance(now, dict):
            parts = [part for part in {**before, **now} if before.get(part) != now.get(part)]
            differences += [
                f"{key} {part}: {_short(before.get(part))} there, {_short(now.get(part))} here" for part in parts
            ]
        elif before != now:
            differences.append(f"{key}: {_short(before)} there, {_short(now)} here")
    if differences:
        more = f"; and {len(differences) - 4} more" if len(differences) > 4 else ""
        raise CourseError(
            f"fit cannot go on from {folder}, which belongs to another training. {'; '.join(differences[:4])}{more}. "
            f"Call fit as then, or {ANEW}."
        )


def _short(value: Any) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _pack_optimizer(optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> dict[str, dict[str, Any]]:
    """Numbers of the optimizer's state by parameter number and name; its tensors go into `tensors`."""
    numbers: dict[str, dict[str, Any]] = {}
    for index, entries in optimizer.state_dict()["state"].items():
        numbers[str(index)] = {}
        for name, value in entries.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{name}"] = value
            elif value is None or isinstance(value, (bool, int, float, str)):
                numbers[str(index)][name] = value
            else:
                raise CourseError(
                    f"fit cannot save the state of {type(optimizer).__name__}: its {name!r} is a "
                    f"{type(value).__name__}. Use another optimizer, or fit without folder=."
                )
    return numbers


def _unpack_optimizer(
    optimizer: torch.optim.Optimizer, numbers: dict[str, dict[str, Any]], tensors: dict[str, Tensor]
) -> None:
    state = {int(index): dict(entries) for index, entries in numbers.items()}
    for key, tensor in _under("optimizer.", tensors).items():
        index, name = key.split(".", 1)
        state[int(index)][name] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _pack_random(state: RandomState, name: str, tensors: dict[str, Tensor]) -> dict[str, Any]:
    own, numbers = state.pack()
    tensors.update({f"random.{name}.{key}": tensor for key, tensor in own.items()})
    return numbers


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
