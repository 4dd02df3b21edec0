"""One process, or several that train one model together: the same loop, and the same result up to rounding.

Several (`accelerate launch script.py`): of every n batches each process takes one. A step's loss is the mean over the
items of all n, whatever their counts, and so is each summand that has a count of its own; a process without a batch at
the end of an epoch takes part with weight 0.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from course_lib.device import choose_device, seed_everything
from course_lib.errors import CourseError
from course_lib.training.state import generators, put_back

Losses = dict[str, Any]
Numbers = dict[str, Tensor | float | int]  # tensors: scalars


class LossModule(nn.Module):
    """`loss` as a forward: what data-parallel training wraps."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, batch: Any) -> Any:
        return self.model.loss(batch)


class OneProcess:
    number, total, is_first = 0, 1, True

    def __init__(self, device: torch.device):
        self.device = device

    def wrap(self, model: nn.Module) -> LossModule:
        return LossModule(model)

    def agree_on_seed(self, seed: int | None) -> int | None:
        return seed

    def own_randomness(self, step: int) -> contextlib.AbstractContextManager:
        return contextlib.nullcontext()

    def join(self, losses: Losses, weight: int) -> tuple[Tensor, Numbers]:
        """The scalar to go backward from, and the means to report (without gradient)."""
        return losses["loss"], numbers(losses)

    def any(self, answer: bool) -> bool:
        """True on every process if it is on one."""
        return answer


class SeveralProcesses:
    """Started by `accelerate launch` or torchrun; accelerate finds the others and wraps the model."""

    def __init__(self, device: torch.device | None):
        from accelerate import Accelerator, DistributedDataParallelKwargs

        # A loss need not read all parameters: BERT's next-sentence head, when only hidden pieces are asked for.
        unused = DistributedDataParallelKwargs(find_unused_parameters=True)
        on_cpu = device is not None and device.type == "cpu"
        self._accelerator = Accelerator(cpu=on_cpu, mixed_precision="no", kwargs_handlers=[unused])
        self.device = self._accelerator.device
        self.number, self.total = self._accelerator.process_index, self._accelerator.num_processes
        self.is_first = self._accelerator.is_main_process
        self._seed = 0

    def wrap(self, model: nn.Module) -> nn.Module:
        return self._accelerator.prepare_model(LossModule(model))

    def agree_on_seed(self, seed: int | None) -> int:
        """All draw the same shuffles, so that together they take each batch once."""
        drawn = torch.randint(2**31, (1,)) if seed is None else torch.tensor([seed])
        mine = (drawn * self.is_first).to(self.device)
        self._seed = int(self._accelerator.reduce(mine, "sum"))
        return self._seed

    @contextlib.contextmanager
    def own_randomness(self, step: int) -> Iterator[None]:
        """Dropout differs between processes and steps; the generators that shuffle stay equal everywhere."""
        shared = generators(self.device)
        seed_everything(hash((self._seed, step, self.number)) % 2**63)
        yield
        put_back(shared, self.device)

    def join(self, losses: Losses, weight: int) -> tuple[Tensor, Numbers]:
        if losses.get("carry") is not None:
            raise CourseError(
                "fit: a model with a carry reads one running text, and several processes would tear it apart. "
                "Start the script with one process."
            )
        own = losses.get("counts", {})
        summands = {name: losses[name] for name in own if getattr(losses[name], "requires_grad", False)}
        summands["loss"] = losses["loss"] - sum(summands.values())  # the rest of it, which is over "count" items
        parts = numbers(losses | summands)
        counts = torch.stack([torch.as_tensor(own.get(name, losses["count"]), device=self.device) for name in parts])
        counts = weight * counts.float()
        values = torch.stack([torch.as_tensor(part, device=self.device).float() for part in parts.values()])
        everyone, sums = self._accelerator.reduce(torch.stack([counts, counts * values]), "sum")
        # the wrapper divides the sum of gradients by the number of processes
        shares = dict(zip(parts, self.total * counts / everyone, strict=True))
        means = dict(zip(parts, sums / everyone, strict=True))
        means["loss"] = sum(means[name] for name in summands)
        return sum(shares[name] * summand for name, summand in summands.items()), means

    def any(self, answer: bool) -> bool:
        return bool(self._accelerator.reduce(torch.tensor(int(answer), device=self.device), "sum"))


def choose_processes(device: torch.device | str | None) -> OneProcess | SeveralProcesses:
    """Several if a launcher set WORLD_SIZE above 1."""
    device = None if device is None else choose_device(str(device))
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return SeveralProcesses(device)
    return OneProcess(choose_device() if device is None else device)


def numbers(losses: Losses) -> Numbers:
    """The loss and its named parts: every number but the count and the carry."""
    found = {}
    for name, value in losses.items():
        if name not in ("count", "carry"):
            if isinstance(value, Tensor) and value.numel() == 1:
                found[name] = value.detach().reshape(())
            elif isinstance(value, (int, float)):
                found[name] = value
    return found
