"""The global random generators, taken down and put back: Python's, NumPy's, PyTorch's on the CPU and on the device."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class RandomState:
    """What the generators themselves give: quick to take at every step, made storable only for a file."""

    python: tuple
    numpy: tuple
    cpu: Tensor
    device: Tensor | None  # CUDA or MPS

    def pack(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        """Tensors for a safetensors file, plain numbers for JSON."""
        version, words, gauss = self.python
        _, keys, position, has_gauss, cached = self.numpy
        tensors = {
            "python": torch.tensor(words, dtype=torch.int64),
            "numpy": torch.from_numpy(keys.astype(np.int64)),
            "cpu": self.cpu,
        }
        if self.device is not None:
            tensors["device"] = self.device
        return tensors, {"python": [version, gauss], "numpy": [int(position), int(has_gauss), float(cached)]}

    @classmethod
    def unpack(cls, tensors: dict[str, Tensor], numbers: dict[str, Any]) -> RandomState:
        version, gauss = numbers["python"]
        python = (version, tuple(tensors["python"].tolist()), gauss)
        numpy = ("MT19937", tensors["numpy"].numpy().astype(np.uint32), *numbers["numpy"])
        return cls(python, numpy, tensors["cpu"], tensors.get("device"))


def take(device: torch.device) -> RandomState:
    own = None
    if device.type in ("cuda", "mps"):
        own = getattr(torch, device.type).get_rng_state(*_index(device))
    return RandomState(random.getstate(), np.random.get_state(), torch.get_rng_state(), own)


def put_back(state: RandomState, device: torch.device) -> None:
    random.setstate(state.python)
    np.random.set_state(state.numpy)
    torch.set_rng_state(state.cpu)
    if state.device is not None and device.type in ("cuda", "mps"):
        getattr(torch, device.type).set_rng_state(state.device, *_index(device))


def _index(device: torch.device) -> tuple[torch.device, ...]:
    """CUDA has a generator for each device, MPS one."""
    return (device,) if device.type == "cuda" else ()
