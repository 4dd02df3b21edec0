"""What a training is at a step's end, and that on disk: everything that is needed to go on from there, bit for bit.

It is one file by `torch.save`, replaced as a whole: also after `kill -9` it is the old state or the new one. What is
read are tensors and plain values, never code. On GPUs a resumed training is as exact as their kernels are.
"""

from __future__ import annotations

import math
import random
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from course_lib.checkpoints import load_weights
from course_lib.device import move
from course_lib.errors import CourseError
from course_lib.files import atomic_file

FILE = "state.pt"
ANEW = "delete the folder to start anew"
Generators = list[Any]  # states of Python's, NumPy's, PyTorch's CPU and device generators, as `torch.save` keeps them


@dataclass
class History:
    """What a training leaves behind: an entry per step in `steps`, `losses`, and each list of the two dicts.

    steps           steps done, from 1
    losses          mean loss of the step's batch, before the step changed the weights
    parts           the loss's named parts; None where a step had no such (finite) part
    learning_rates  by name of the parameter group
    evaluations     what `evaluate` gave, each with its "step"; None for a number that is not finite
    seconds         time in training, over all the runs that resume joined
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    parts: dict[str, list[float | None]] = field(default_factory=dict)
    learning_rates: dict[str, list[float]] = field(default_factory=dict)
    evaluations: list[dict[str, float | int | None]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, step: int, loss: float, parts: dict[str, float], rates: dict[str, float]) -> None:
        for name in parts:  # in the order of the loss: that of a set changes with the hash seed
            self.parts.setdefault(name, [None] * len(self.steps))
        for name, values in self.parts.items():
            values.append(_finite(parts.get(name)))
        for name, rate in rates.items():
            self.learning_rates.setdefault(name, []).append(rate)
        self.steps.append(step)
        self.losses.append(loss)

    def add_evaluation(self, step: int, scores: Mapping[str, Any]) -> None:
        """scores: numbers of Python, NumPy or PyTorch."""
        self.evaluations.append({"step": step, **{name: _finite(value) for name, value in scores.items()}})

    def evaluated(self, step: int) -> bool:
        return bool(self.evaluations) and self.evaluations[-1]["step"] == step


def _finite(value: Any) -> float | None:
    return float(value) if value is not None and math.isfinite(value) else None


@dataclass
class Place:
    """How far a training is."""

    start: int  # steps that a training whose state is lost had done before
    step: int  # steps done, those included, over all the runs that resume joined
    epoch: int = 0
    position: int = 0  # steps taken in this epoch
    carry: Any = None  # what a language model hands from one batch of running text to the next
    epoch_start: Generators = field(default_factory=list)  # before the epoch's batches were opened
    now: Generators = field(default_factory=list)  # after the last step
    total: int | None = None  # steps of the whole run, where known
    seed: int | None = None


def generators(device: torch.device) -> Generators:
    name, keys, *rest = np.random.get_state()
    on_device = getattr(torch, device.type).get_rng_state(*_index(device)) if device.type in ("cuda", "mps") else None
    return [random.getstate(), (name, keys.tolist(), *rest), torch.get_rng_state(), on_device]


def put_back(states: Generators, device: torch.device) -> None:
    python, numpy, cpu, on_device = states
    random.setstate(python)
    np.random.set_state(numpy)
    torch.set_rng_state(cpu)
    if on_device is not None and device.type in ("cuda", "mps"):
        getattr(torch, device.type).set_rng_state(on_device, *_index(device))


def _index(device: torch.device) -> tuple[torch.device, ...]:
    """CUDA has a generator for each device, MPS one."""
    return (device,) if device.type == "cuda" else ()


class Run:
    """A training on its way: `place`, `history`, and in `folder`, where there is one, all that is needed to go on.

    settings: total steps -> what besides model and optimizer must be the same for a resumed training to equal an
    uninterrupted one.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        device: torch.device,
        folder: Path | None,
        settings: Callable[[int | None], dict[str, Any]],
        start: int,
    ):
        self.model, self.optimizer, self.device, self.folder = model, optimizer, device, folder
        self._settings = settings
        self.place, self.history = Place(start, start), History()
        self._before, self._began = 0.0, time.monotonic()
        self.saved_at = -math.inf  # the first step's end shows whether the folder can be used

    @property
    def seconds(self) -> float:
        return self._before + time.monotonic() - self._began

    def begin_epoch(self, number: int) -> None:
        """A new epoch's text begins anew, without carry."""
        self.place.epoch, self.place.position, self.place.carry = number, 0, None
        self.place.epoch_start = generators(self.device)

    def save(self) -> None:
        """Replace the state in the folder."""
        self.place.now, self.history.seconds = generators(self.device), self.seconds
        state = {
            "same": self._same(),
            "place": vars(self.place),
            "history": asdict(self.history),
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict()["state"],
        }
        with atomic_file(self.folder / FILE) as file:
            torch.save(move(state, "cpu"), file)

    def resume(self) -> bool:
        """Whether the folder has a state: then all is as it was, or a CourseError says what differs."""
        state = None if self.folder is None else read_state(self.folder)
        if state is None:
            return False
        self.place, self.history = state["place"], state["history"]
        self.place.carry, self._before = move(self.place.carry, self.device), self.history.seconds
        then, now = state["same"], self._same()
        differences = [
            f"{name}: {then.get(name, 'nothing'):.80} there, {now.get(name, 'nothing'):.80} here"
            for name in {**then, **now}
            if then.get(name) != now.get(name)
        ]
        if differences:
            raise CourseError(
                f"fit cannot go on from {self.folder}, which belongs to another training. "
                f"{'; '.join(differences[:4])}. Call fit as then, or {ANEW}."
            )
        load_weights(self.model, state["model"], source=self.folder)
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": state["optimizer"]})
        put_back(self.place.now, self.device)
        return True

    def _same(self) -> dict[str, str]:
        names = {id(p): name for name, p in self.model.named_parameters()}
        groups = self.optimizer.param_groups
        described = {name: str(value) for name, value in self._settings(self.place.total).items()}
        described["optimizer"] = type(self.optimizer).__name__
        described["order of groups"] = ", ".join(group["name"] for group in groups)  # it numbers the optimizer's state
        # kept elsewhere, or only ways to compute the same
        left_out = {"name", "params", "lr", "fused", "foreach", "capturable", "differentiable"}
        for group in groups:
            described[f"group {group['name']}"] = ", ".join(names[id(p)] for p in group["params"])
            kept = {name: value for name, value in group.items() if name not in left_out}
            described[f"optimizer settings of {group['name']}"] = str(kept)
        return described


def read_state(folder: Path) -> dict[str, Any] | None:
    """What `Run.save` kept in `folder`, on the CPU; None if there is nothing."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        if damaged := zipfile.ZipFile(path).testzip():  # torch.load compares no checksums
            raise ValueError(f"its part {damaged} is not as it was written")
        state = torch.load(path, map_location="cpu", weights_only=True)
        return {**state, "place": Place(**state["place"]), "history": History(**state["history"])}
    except Exception as error:  # PyTorch raises several kinds, all about the file
        raise CourseError(f"fit cannot go on: {path} is damaged ({error}). For a training: {ANEW}.") from error
