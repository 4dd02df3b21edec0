"""Device errors without a device. Under `other_device()` a model on FAR computes on the CPU, with real numbers, and
what a second device would refuse is an error.

FAR is called an XPU, which no machine of ours has: code that asks for the type takes a GPU's way. What lies there is
written on the tensor's storage, so that views, parameters and what autograd keeps know it, too. Errors, as
AssertionError with the place in the code:
- a tensor made without a device while a model on FAR computes (in the forward of a module);
- a function that gets tensors of both devices (CUDA would let some single numbers and indices pass; here none does);
- numpy of a tensor on FAR.
Allowed are what moves (`to`, `copy_`) and lengths of packed sequences, which PyTorch wants on the CPU.
"""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules import module as hooks
from torch.overrides import TorchFunctionMode

FAR, CPU = torch.device("xpu", 0), torch.device("cpu")
_TORCH_S_OWN = ("/torch/optim/", "/torch/nn/utils/clip_grad.py")  # they ask C++ for devices, which knows no FAR
_PACKS = {"_pack_padded_sequence", "_pad_packed_sequence"}  # their second result, lengths, is always on the CPU
_LENGTHS_SECOND = {*_PACKS, "lstm"}  # and so is this argument, where it is a tensor
_MOVES = {"copy_", "_has_compatible_shallow_copy_type"}  # the latter: asked by Module.to
_DRAWS = {"rand", "randint", "randn", "randperm", "normal", "bernoulli"}
_WAITS = {"item", "tolist", "cpu", "nonzero", "unique", "__bool__", "__int__", "__float__"}  # the host reads the device
_MAKES = {*_DRAWS, "arange", "empty", "eye", "full", "linspace", "ones", "tensor", "zeros"}


def is_far(tensor: Tensor) -> bool:
    with torch._C.DisableTorchFunction():
        return not tensor.is_sparse and getattr(tensor.untyped_storage(), "far", False)


def tensors_in(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from tensors_in(part)


class OtherDevice(TorchFunctionMode):
    """n_calls: functions of PyTorch that were looked at; waits: those that read something of FAR back."""

    def __init__(self) -> None:
        super().__init__()
        self.computing, self.n_calls = 0, 0  # modules on FAR whose forward is running
        self.waits: list[str] = []

    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.n_calls += 1
        caller = sys._getframe(1).f_code.co_filename
        if any(part in caller for part in _TORCH_S_OWN):
            return self.put(func(*args, **(kwargs or {})), any(map(is_far, tensors_in([args, kwargs]))))
        kwargs, name = dict(kwargs or {}), getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            return self.attribute(func, args)
        lengths = name in _LENGTHS_SECOND and isinstance(args[1], Tensor)
        given = list(tensors_in([args[:1] + args[2:] if lengths else args, kwargs]))
        far = any(map(is_far, given))
        if far and (name in _WAITS or (name == "__getitem__" and any(p.dtype == torch.bool for p in given[1:]))):
            self.waits.append(f"{name}: {_where()}")
        place = self.asked(args[1:] if name == "to" else (), kwargs)
        if name == "cpu":
            place = CPU
        if place is not None:
            moves = name in ("to", "cpu") and (place == FAR) != far
            args = tuple(CPU if isinstance(arg, torch.device) else arg for arg in args)
            result = func(*args, **kwargs)
            return self.put(result.clone() if moves and result is args[0] else result, place == FAR)
        if far and name not in _MOVES and not all(map(is_far, given)):
            raise AssertionError(f"{name} mixes a model's tensors with others: {_where()}")
        if far and name in ("numpy", "__array__"):
            raise AssertionError(f"numpy of a tensor on another device: {_where()}")
        if self.computing and not given and name in _MAKES:
            raise AssertionError(f"{name} without a device while a model computes: {_where()}")
        result = func(*args, **kwargs)
        return self.put(result[:1] if name in _PACKS else result, True, result) if far else result

    @staticmethod
    def asked(args: tuple, kwargs: dict) -> torch.device | None:
        """The device that a call names, taken out of its keywords; None: it names none."""
        for arg in args:
            if isinstance(arg, Tensor):
                return FAR if is_far(arg) else CPU
            if isinstance(arg, torch.device):
                return arg
            if isinstance(arg, str):
                return torch.device(arg)
        device = kwargs.get("device")
        if device is None:
            return None
        kwargs["device"] = CPU
        return torch.device(device)

    def attribute(self, func: Any, args: tuple) -> Any:
        owner = func.__self__.__name__
        if owner == "device":
            return FAR if is_far(args[0]) else CPU
        result = func(*args)
        return self.put(result, True) if owner == "grad" and is_far(args[0]) else result

    @staticmethod
    def put(tensors: Any, far: bool, result: Any = None) -> Any:
        """Write down where `tensors` lie; returns `result`, or these if there is no other."""
        for tensor in tensors_in(tensors):
            if far and not tensor.is_sparse:
                tensor.untyped_storage().far = True
        return tensors if result is None else result

    def enters(self, module: nn.Module, args: Any) -> None:
        self.computing += any(map(is_far, module.parameters()))

    def leaves(self, module: nn.Module, args: Any, output: Any) -> None:
        self.computing -= any(map(is_far, module.parameters()))


@contextlib.contextmanager
def other_device() -> Iterator[OtherDevice]:
    """The mode, switched on for this thread. Move a model and its batches with `.to(FAR)`."""
    mode = OtherDevice()
    before = hooks.register_module_forward_pre_hook(mode.enters)
    after = hooks.register_module_forward_hook(mode.leaves, always_call=True)
    try:
        with mode:
            yield mode
    finally:
        before.remove()
        after.remove()


def _where() -> str:
    """The last line of the course on the stack."""
    frames = [f for f in traceback.extract_stack() if "/course_lib/" in f.filename or "/course/" in f.filename]
    return f"{frames[-1].filename}:{frames[-1].lineno} {frames[-1].line}" if frames else "not in the course's code"
