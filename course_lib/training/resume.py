"""The state of a training: where it is in its batches, the random generators there, the carry; and all of it on disk.

What is saved is everything needed to go on bit for bit, also after `kill -9`: one folder in the course's checkpoint
format (course_lib/checkpoints.py), replaced as a whole, never pickle: model and optimizer tensors, the place in the
batches, history, and a description of what must be the same. On GPUs it is as exact as their kernels are.
"""

from __future__ import annotations

import dataclasses
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_lib.checkpoints import CONFIG, TENSORS, Checkpoint, load_checkpoint, load_weights, save_checkpoint
from course_lib.device import map_leaves, move
from course_lib.errors import CourseError
from course_lib.files import recover_folder
from course_lib.training.groups import Groups
from course_lib.training.history import History

KIND = "training state"
HISTORY = "history.json"
ANEW = "delete the folder to start anew"


# -- random generators ------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class RandomState:
    """What the global generators themselves give: quick to take at every step, made storable only for a file."""

    python: tuple
    numpy: tuple
    cpu: Tensor
    device: Tensor | None  # CUDA or MPS

    @classmethod
    def take(cls, device: torch.device) -> RandomState:
        on_device = None
        if device.type in ("cuda", "mps"):
            on_device = getattr(torch, device.type).get_rng_state(*_index(device))
        return cls(random.getstate(), np.random.get_state(), torch.get_rng_state(), on_device)

    def put_back(self, device: torch.device) -> None:
        random.setstate(self.python)
        np.random.set_state(self.numpy)
        torch.set_rng_state(self.cpu)
        if self.device is not None and device.type in ("cuda", "mps"):
            getattr(torch, device.type).set_rng_state(self.device, *_index(device))

    def pack(self, prefix: str, tensors: dict[str, Tensor]) -> dict[str, Any]:
        """Plain numbers for JSON; the long rows of numbers go into `tensors`."""
        version, words, gauss = self.python
        _, keys, position, has_gauss, cached = self.numpy
        tensors[f"{prefix}python"] = torch.tensor(words, dtype=torch.int64)
        tensors[f"{prefix}numpy"] = torch.from_numpy(keys.astype(np.int64))
        tensors[f"{prefix}cpu"] = self.cpu
        if self.device is not None:
            tensors[f"{prefix}device"] = self.device
        return {"python": [version, gauss], "numpy": [int(position), int(has_gauss), float(cached)]}

    @classmethod
    def unpack(cls, prefix: str, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> RandomState:
        version, gauss = numbers["python"]
        python = (version, tuple(tensors[f"{prefix}python"].tolist()), gauss)
        numpy = ("MT19937", tensors[f"{prefix}numpy"].numpy().astype(np.uint32), *numbers["numpy"])
        return cls(python, numpy, tensors[f"{prefix}cpu"], tensors.get(f"{prefix}device"))


def _index(device: torch.device) -> tuple[torch.device, ...]:
    """CUDA has a generator for each device, MPS one."""
    return (device,) if device.type == "cuda" else ()


@dataclass
class Place:
    """How far the batches are read, and the states of the random generators that belong to it."""

    epoch: int
    position: int  # steps taken in this epoch
    carry: Any  # what a language model hands from one batch of running text to the next
    epoch_start: RandomState  # before the epoch's batches were opened
    now: RandomState  # after the last step; at position 0 the same

    @classmethod
    def start_of(cls, epoch: int, device: torch.device) -> Place:
        """A new epoch: the text begins anew, without carry."""
        state = RandomState.take(device)
        return cls(epoch, 0, None, state, state)


# -- the carry --------------------------------------------------------------------------------------------------------
def detach(carry: Any) -> Any:
    """The same values without their past: the next batch's gradient ends here (truncated back-propagation)."""
    return map_leaves(carry, lambda leaf: leaf.detach() if isinstance(leaf, Tensor) else leaf)


def hand_on(batch: Any, carry: Any) -> Any:
    """The batch with `carry` in its place for it; the batch itself stays as it is."""
    if carry is None:
        return batch
    if not dataclasses.is_dataclass(batch) or not hasattr(batch, "carry"):
        raise CourseError(
            f"fit: the model's loss gives a carry, but the batches ({type(batch).__name__}) have no place for it. "
            "Use course_lib.data.batch.Batch, or a dataclass with the field carry."
        )
    return dataclasses.replace(batch, carry=carry)


def pack_carry(carry: Any, tensors: dict[str, Tensor]) -> Any:
    """JSON that describes the carry; its tensors go into `tensors` as carry.0, carry.1, ..."""
    if isinstance(carry, Tensor):
        name = f"carry.{len([key for key in tensors if key.startswith('carry.')])}"
        tensors[name] = carry
        return {"tensor": name}
    if type(carry) in (tuple, list):
        return {type(carry).__name__: [pack_carry(part, tensors) for part in carry]}
    if isinstance(carry, dict) and all(isinstance(key, str) for key in carry):
        return {"dict": {key: pack_carry(part, tensors) for key, part in carry.items()}}
    if carry is None or isinstance(carry, (bool, int, float, str)):
        return {"value": carry}
    raise CourseError(
        f"fit cannot save a carry with a {type(carry).__name__} in it. Use tensors in tuples, lists, dicts."
    )


def unpack_carry(packed: dict, tensors: dict[str, Tensor]) -> Any:
    ((kind, content),) = packed.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "dict":
        return {key: unpack_carry(part, tensors) for key, part in content.items()}
    if kind == "value":
        return content
    return {"tuple": tuple, "list": list}[kind](unpack_carry(part, tensors) for part in content)


# -- on disk ----------------------------------------------------------------------------------------------------------
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
        "carry": pack_carry(reached.place.carry, tensors),
        "epoch_start": reached.place.epoch_start.pack("random.epoch_start.", tensors),
        "now": reached.place.now.pack("random.now.", tensors),
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
        move(unpack_carry(config["carry"], tensors), device),
        RandomState.unpack("random.epoch_start.", tensors, config["epoch_start"]),
        RandomState.unpack("random.now.", tensors, config["now"]),
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


def _under(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
