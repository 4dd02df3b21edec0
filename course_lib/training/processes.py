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

from course_lib.device import choose_device, generators, put_back, seed_everything

Losses = dict[str, Any]
STEPS_A_LOOK = 20  # to read numbers back is to wait for a GPU: it is done for 20 steps together


class LossModule(nn.Module):
    """`loss` as a forward: what data-parallel training wraps."""

    def __init__(self, model: nn.Module):
        super().__init__()
        self.model = model

    def forward(self, batch: Any) -> Any:
        return self.model.loss(batch)


class Processes:
    """This process is `number` of `total`. Several are started by a launcher, which sets WORLD_SIZE; accelerate finds
    the others and wraps the model.
    """

    def __init__(self, device: torch.device | str | None):
        self.number, self.total, self._accelerator, self._seed = 0, 1, None, 0
        if int(os.environ.get("WORLD_SIZE", "1")) == 1:
            self.device = choose_device(None if device is None else str(device))
            return
        from accelerate import Accelerator, DistributedDataParallelKwargs

        # A loss need not read all parameters: BERT's next-sentence head, when only hidden pieces are asked for.
        unused = DistributedDataParallelKwargs(find_unused_parameters=True)
        on_cpu = device is not None and choose_device(str(device)).type == "cpu"
        self._accelerator = Accelerator(cpu=on_cpu, mixed_precision="no", kwargs_handlers=[unused])
        self.device = self._accelerator.device
        self.number, self.total = self._accelerator.process_index, self._accelerator.num_processes

    @property
    def is_first(self) -> bool:
        return self.number == 0

    def wrap(self, model: nn.Module) -> nn.Module:
        loss = LossModule(model)
        return loss if self._accelerator is None else self._accelerator.prepare_model(loss)

    def agree_on_seed(self, seed: int | None) -> int | None:
        """All draw the same shuffles, so that together they take each batch once."""
        if self._accelerator is None:
            return seed
        drawn = torch.randint(2**31, (1,)) if seed is None else torch.tensor([seed])
        mine = (drawn * self.is_first).to(self.device)
        self._seed = int(self._accelerator.reduce(mine, "sum"))
        return self._seed

    @contextlib.contextmanager
    def own_randomness(self, step: int) -> Iterator[None]:
        """Dropout differs between processes and steps; the generators that shuffle stay equal everywhere."""
        if self._accelerator is None:
            yield
            return
        shared = generators(self.device)
        seed_everything(hash((self._seed, step, self.number)) % 2**63)
        yield
        put_back(shared, self.device)

    def join(self, losses: Losses, weight: int) -> tuple[Tensor, dict[str, Tensor]]:
        """The scalar to go backward from, and the means to report: scalars of the device, without gradient."""
        if self._accelerator is None:
            return losses["loss"], self._numbers(losses)
        assert losses.get("carry") is None, "a model with a carry reads one running text: start one process"
        own = losses.get("counts", {})
        summands = {name: losses[name] for name in own if getattr(losses[name], "requires_grad", False)}
        summands["loss"] = losses["loss"] - sum(summands.values())  # the rest of it, which is over "count" items
        parts = self._numbers(losses | summands)
        counts = [torch.as_tensor(own.get(name, losses["count"]), device=self.device) for name in parts]
        counts = weight * torch.stack(counts).float()
        values = torch.stack(list(parts.values()))
        everyone, sums = self._accelerator.reduce(torch.stack([counts, counts * values]), "sum")
        # the wrapper divides the sum of gradients by the number of processes
        shares = dict(zip(parts, self.total * counts / everyone, strict=True))
        means = dict(zip(parts, sums / everyone, strict=True))
        means["loss"] = sum(means[name] for name in summands)
        return sum(shares[name] * summand for name, summand in summands.items()), means

    def _numbers(self, losses: Losses) -> dict[str, Tensor]:
        """The loss and its named parts: every number but the count and the carry."""
        parts = {name: value for name, value in losses.items() if name not in ("count", "counts", "carry")}
        return {
            name: torch.as_tensor(value, device=self.device).detach().float().reshape(())
            for name, value in parts.items()
        }

    def any(self, answer: bool, step: int) -> bool:
        """True on every process if it is on one; on GPUs they ask each other every 20 steps only."""
        if self._accelerator is None:
            return answer
        if self.device.type != "cpu" and step % STEPS_A_LOOK:
            return False
        return bool(self._accelerator.reduce(torch.tensor(int(answer), device=self.device), "sum"))
