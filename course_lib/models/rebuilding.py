"""Building a model as a file describes it, where the description may be damaged or a lie under a right checksum."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from pathlib import Path

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from course_lib.errors import CourseError

_MAKERS = {torch.empty, torch.zeros, torch.ones, torch.full, torch.rand, torch.randn, torch.arange}
_ALWAYS = 1_000_000  # numbers that any description may ask for
_EACH = 1_000  # what a tensor counts for at least: a million tiny layers take time, not memory


@contextlib.contextmanager
def rebuilding(folder: str | Path, what: str, stored: Iterable[Tensor]) -> Iterator[None]:
    """Whatever goes wrong inside is a CourseError that names `folder`.

    So is a model far larger than the tensors that are `stored` for it: memory and time stay bound by the file's size.
    """
    try:
        with _Bounded(_ALWAYS + 4 * sum(max(tensor.numel(), _EACH) for tensor in stored)):
            yield
    except Exception as error:
        said = str(error) if isinstance(error, CourseError) else f"{error!r:.300}."
        raise CourseError(
            f"{folder}/config.json does not describe a {what} of this version, or a file beside it is damaged: {said} "
            "Fetch the checkpoint again, or use one made by this version."
        ) from error


class _Bounded(TorchFunctionMode):
    """Counts the numbers of new tensors, and refuses the one that is too many before it takes memory."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._left = most

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func in _MAKERS:
            plan = {name: value for name, value in kwargs.items() if name not in ("generator", "out", "pin_memory")}
            self._left -= max(func(*args, **plan | {"device": "meta"}).numel(), _EACH)
            if self._left < 0:
                raise ValueError("it asks for far more numbers than model.safetensors holds")
        return func(*args, **kwargs)
