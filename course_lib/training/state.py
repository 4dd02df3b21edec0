"""What a training is at a step's end, and that on disk: everything that is needed to go on from there, bit for bit.

It is one file by `torch.save`, replaced as a whole: also after `kill -9` it is the old state or the new one. What is
read are tensors and plain values, never code. On GPUs a resumed training is as exact as their kernels are.
"""

from __future__ import annotations

import math
import time
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.checkpoints import load_weights
from course_lib.device import generators, move, put_back, seed_everything
from course_lib.errors import CourseError
from course_lib.files import atomic_file, given_path
from course_lib.progress import Progress
from course_lib.training.processes import STEPS_A_LOOK, Processes

FILE = "state.pt"
ANEW = "delete the folder to start anew"


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
    epoch_start: list[Any] = field(default_factory=list)  # `generators` before the epoch's batches were opened
    now: list[Any] = field(default_factory=list)  # after the last step
    total: int | None = None  # steps of the whole run, where known
    seed: int | None = None


class Run:
    """A training on its way: `place`, `history`, and in `folder`, where there is one, all that is needed to go on.

    same, rates  what besides model and optimizer must be as then, for a resumed training to equal an uninterrupted one:
                 settings by name, and (step, total) -> learning rates by group
    """

    bar: Progress  # where its steps are seen

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        processes: Processes,
        folder: str | Path | None,
        same: dict[str, Any],
        rates: Callable[[int, int], dict[str, float]],
        start: int,
    ):
        self.model, self.optimizer, self.processes = model, optimizer, processes
        self.folder = None if folder is None else given_path(folder).resolve()
        self._settings, self._rates = same, rates
        self.place, self.history = Place(start, start), History()
        self._unread: list[tuple[int, dict[str, Tensor], dict[str, float]]] = []  # step, means, rates
        self._before, self._began = 0.0, time.monotonic()
        self.saved_at = -math.inf  # the first step's end shows whether the folder can be used

    @property
    def seconds(self) -> float:
        return self._before + time.monotonic() - self._began

    def begin(self, seed: int | None) -> None:
        """From the state in the folder, bit for bit; where there is none, from the start, with this seed."""
        resumed = self._resume()
        self.place.seed = self.processes.agree_on_seed(self.place.seed if resumed else seed)
        if not resumed:
            if self.place.seed is not None:
                seed_everything(self.place.seed)
            self.begin_epoch(0)

    def begin_epoch(self, number: int) -> None:
        """A new epoch's text begins anew, without carry."""
        self.place.epoch, self.place.position, self.place.carry = number, 0, None
        self.place.epoch_start = generators(self.processes.device)

    def note(self, means: dict[str, Tensor], rates: dict[str, float]) -> None:
        """The numbers of this step. To read them is to wait for a GPU: there it is done for 20 steps together."""
        self._unread.append((self.place.step + 1, means, rates))
        if len(self._unread) >= (1 if self.processes.device.type == "cpu" else STEPS_A_LOOK):
            self._read()

    def _read(self) -> None:
        """What was noted into history and bar. Raises CourseError for a loss or a gradient that is not finite."""
        scalars = [mean for _, means, _ in self._unread for mean in means.values()]
        values = iter(torch.stack(scalars).tolist() if scalars else ())
        for step, means, rates in self._unread:
            numbers = {name: next(values) for name in means}
            for name in ("loss", "gradient_norm"):
                if not math.isfinite(numbers[name]):
                    rate = max(rates.values())
                    raise CourseError(
                        f"fit: the {name.replace('_', ' ')} is {numbers[name]} at step {step}, learning rate "
                        f"{rate:.3g}. A saved state is as it was after step {step - 1} or before, on a CPU so is the "
                        f"model. Try a learning rate of {rate / 10:.3g}, a warm-up (training.schedules) or batches "
                        "without empty or odd rows."
                    )
            del numbers["gradient_norm"]
            self.history.add(step, numbers.pop("loss"), numbers, rates)
            self.bar.update(step, loss=self.history.losses[-1])
        self._unread.clear()

    def score(self, evaluate: Callable[[nn.Module], Mapping[str, Any]]) -> None:
        """What `evaluate` says of the model (numbers of Python, NumPy or PyTorch), into the history, once a step."""
        done = self.history.evaluations
        if not done or done[-1]["step"] < self.place.step:
            self.model.eval()
            scores = evaluate(self.model)
            self.model.train()
            done.append({"step": self.place.step, **{name: _finite(value) for name, value in scores.items()}})

    def save(self) -> None:
        """Replace the state in the folder."""
        self._read()
        if self.folder is not None and self.processes.is_first:
            self.place.now, self.history.seconds = generators(self.processes.device), self.seconds
            state = {
                "same": self._same(),
                "place": vars(self.place),
                "history": asdict(self.history),
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict()["state"],
            }
            with atomic_file(self.folder / FILE) as file:
                torch.save(move(state, "cpu"), file)
        self.saved_at = time.monotonic()

    def _resume(self) -> bool:
        """Whether the folder has a state: then all is as it was, or a CourseError says what differs."""
        state = None if self.folder is None else read_state(self.folder)
        if state is None:
            return False
        device = self.processes.device
        self.place, self.history = state["place"], state["history"]
        self.place.carry, self._before = move(self.place.carry, device), self.history.seconds
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
        put_back(self.place.now, device)
        return True

    def _same(self) -> dict[str, str]:
        names, total = {id(p): name for name, p in self.model.named_parameters()}, self.place.total or 1
        groups = self.optimizer.param_groups
        same = {**self._settings, "optimizer": type(self.optimizer).__name__}
        same["learning rates"] = [self._rates(step, total) for step in sorted({0, total // 2, total - 1})]
        same["order of groups"] = ", ".join(group["name"] for group in groups)  # it numbers the optimizer's state
        for group in groups:
            about = {**group, "params": ", ".join(names[id(p)] for p in group["params"])}
            for left_out in ("lr", "fused", "foreach"):  # the rate of the last step; ways to compute the same
                about.pop(left_out, None)
            same |= {f"{group['name']}, {name}": value for name, value in about.items()}
        return {name: str(value) for name, value in same.items()}


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
