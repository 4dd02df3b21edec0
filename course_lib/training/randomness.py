"""The global random generators, taken down and put back: Python's, NumPy's, PyTorch's on the CPU and on the device."""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True)
class RandomState:
    """States of all global generators, as tensors (for a safetensors file) and plain numbers (for JSON)."""

    tensors: dict[str, Tensor]
    numbers: dict[str, float | int | None]


def take(device: torch.device) -> RandomState:
    version, words, gauss = random.getstate()
    _, keys, position, has_gauss, cached = np.random.get_state()
    tensors = {
        "python": torch.tensor(words, dtype=torch.int64),
        "numpy": torch.from_numpy(keys.astype(np.int64)),
        "cpu": torch.get_rng_state(),
    }
    if device.type in ("cuda", "mps"):
        tensors["device"] = getattr(torch, device.type).get_rng_state(*_index(device))
    numbers = {
        "python_version": version,
        "python_gauss": gauss,
        "numpy_position": int(position),
        "numpy_has_gauss": int(has_gauss),
        "numpy_cached": float(cached),
    }
    return RandomState(tensors, numbers)


def put_back(state: RandomState, device: torch.device) -> None:
    tensors, numbers = state.tensors, state.numbers
    random.setstate((numbers["python_version"], tuple(tensors["python"].tolist()), numbers["python_gauss"]))
    np.random.set_state(
        (
            "MT19937",
            tensors["numpy"].numpy().astype(np.uint32),
            numbers["numpy_position"],
            numbers["numpy_has_gauss"],
            numbers["numpy_cached"],
        )
    )
    torch.set_rng_state(tensors["cpu"])
    if "device" in tensors and device.type in ("cuda", "mps"):
        getattr(torch, device.type).set_rng_state(tensors["device"], *_index(device))


def _index(device: torch.device) -> tuple[torch.device, ...]:
    """CUDA has a generator for each device, MPS one."""
    return (device,) if device.type == "cuda" else ()
