"""Which device computes, what goes there, and the one place that sets every random generator."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import torch

from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.language import key, t


def choose_device(name: str | None = None) -> torch.device:
    """The device called `name`, or COURSE_DEVICE, or with "auto" the first of CUDA, Apple's MPS, CPU."""
    name = settings().device if name is None else name
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        says = key("There is no device called {name}. Use auto, cpu, cuda, cuda:1 or mps.")
        raise CourseError(t(says, name=repr(name))) from None
    present = {"cpu": 1, "cuda": torch.cuda.device_count(), "mps": int(torch.backends.mps.is_available())}
    if (device.index or 0) >= present.get(device.type, 0):
        raise CourseError(
            f"Device {name!r} was asked for (COURSE_DEVICE), but PyTorch {torch.__version__} sees "
            f"{present.get(device.type, 0)} of that kind here. Use auto or cpu."
        )
    return device


def autocast(device: torch.device) -> torch.autocast:
    """bfloat16 on CUDA, float32 everywhere else: on some CPUs bfloat16 ends the process, on none is it faster."""
    on = device.type == "cuda"
    return torch.autocast("cuda" if on else "cpu", torch.bfloat16, enabled=on)


def seed_everything(seed: int) -> None:
    """Seed Python's, NumPy's and PyTorch's global generators (all devices)."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def generators(device: torch.device) -> list[Any]:
    """The states of Python's, NumPy's, PyTorch's and the device's generator, as `torch.save` keeps them."""
    name, keys, *rest = np.random.get_state()
    on_device = torch.cuda.get_rng_state(device) if device.type == "cuda" else None
    if device.type == "mps":
        on_device = torch.mps.get_rng_state()
    return [random.getstate(), (name, keys.tolist(), *rest), torch.get_rng_state(), on_device]


def put_back(states: list[Any], device: torch.device) -> None:
    python, numpy, cpu, on_device = states
    random.setstate(python)
    np.random.set_state(numpy)
    torch.set_rng_state(cpu)
    if on_device is not None and device.type == "cuda":
        torch.cuda.set_rng_state(on_device, device)
    elif on_device is not None and device.type == "mps":
        torch.mps.set_rng_state(on_device)


class Movable:
    """A dataclass of tensors, and of what else `move` knows, that goes to a device as a whole."""

    def to(self, device: torch.device | str) -> Self:
        return replace(self, **move(vars(self), device))


def move(value: Any, device: torch.device | str) -> Any:
    """A batch or a carry on `device`: anything with `.to`, or dicts, tuples and lists of such; the rest as it is."""
    to_gpu = torch.device(device).type == "cuda"

    def moved(leaf: Any) -> Any:
        if to_gpu and isinstance(leaf, torch.Tensor) and leaf.device.type == "cpu":
            return leaf.contiguous().pin_memory().to(device, non_blocking=True)  # copied beside the step before
        return leaf.to(device) if hasattr(leaf, "to") else leaf

    return map_leaves(value, moved)


def map_leaves(value: Any, change: Callable[[Any], Any]) -> Any:
    """`change` of everything in nested dicts, tuples (named ones too) and lists, which stay as they are."""
    if isinstance(value, dict):
        return {name: map_leaves(part, change) for name, part in value.items()}
    if isinstance(value, (tuple, list)):
        parts = [map_leaves(part, change) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)  # named tuples take arguments
    return change(value)
