"""The state that a language model hands from one batch of running text to the next: tensors in tuples, lists, dicts."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from torch import Tensor

from course_lib.device import map_leaves
from course_lib.errors import CourseError


def detach(carry: Any) -> Any:
    """The same values without their past: the next batch's gradient ends here (truncated back-propagation)."""
    return map_leaves(carry, lambda leaf: leaf.detach() if isinstance(leaf, Tensor) else leaf)


def hand_on(batch: Any, carry: Any) -> Any:
    """The batch with `carry` in its place for it: attribute or key `carry`. The batch itself stays as it is."""
    if carry is None:
        return batch
    if isinstance(batch, dict):
        return {**batch, "carry": carry}
    if not hasattr(batch, "carry"):
        raise CourseError(
            f"fit: the model's loss gives a carry, but the batches ({type(batch).__name__}) have no place for it. "
            "Use course_lib.data.batch.Batch, an object with the attribute carry, or a dict."
        )
    if dataclasses.is_dataclass(batch):
        return dataclasses.replace(batch, carry=carry)
    batch = copy.copy(batch)
    batch.carry = carry
    return batch


def pack(carry: Any, tensors: dict[str, Tensor]) -> Any:
    """JSON that describes the carry; its tensors go into `tensors` as carry.0, carry.1, ..."""
    if isinstance(carry, Tensor):
        name = f"carry.{len([key for key in tensors if key.startswith('carry.')])}"
        tensors[name] = carry
        return {"tensor": name}
    if type(carry) in (tuple, list):
        return {type(carry).__name__: [pack(part, tensors) for part in carry]}
    if isinstance(carry, dict) and all(isinstance(key, str) for key in carry):
        return {"dict": {key: pack(part, tensors) for key, part in carry.items()}}
    if carry is None or isinstance(carry, (bool, int, float, str)):
        return {"value": carry}
    raise CourseError(
        f"fit cannot save a carry with a {type(carry).__name__} in it. Use tensors in tuples, lists or dicts."
    )


def unpack(packed: dict, tensors: dict[str, Tensor]) -> Any:
    ((kind, content),) = packed.items()
    if kind == "tensor":
        return tensors[content]
    if kind == "dict":
        return {key: unpack(part, tensors) for key, part in content.items()}
    if kind == "value":
        return content
    return {"tuple": tuple, "list": list}[kind](unpack(part, tensors) for part in content)
