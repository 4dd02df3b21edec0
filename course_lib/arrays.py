"""The door through which a reader's numbers become an array of NumPy's, and labels a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from course_lib.errors import CourseError


def numbers(what: str, values: Any, dtype: type = np.float64) -> np.ndarray:
    """`values` as an array: a number, an array, (nested) lists and other iterables, or tensors of any type, on any
    device, with a gradient or without.

    what: names them in the CourseError for what is no table of numbers, such as "heat_map: the values"
    """
    try:
        with np.errstate(over="ignore"):  # beyond float32 becomes infinite
            return np.asarray(_plain(values), dtype=dtype)
    except (TypeError, ValueError) as error:
        raise CourseError(
            f"{what} are no table of numbers ({error}). Give numbers, in rows of the same length."
        ) from None


def listed(values: Iterable) -> list:
    """As a list of Python's own values: what compares by value and can be counted, which tensors cannot."""
    if hasattr(values, "tolist"):
        return values.tolist()
    return [value.tolist() if hasattr(value, "tolist") else value for value in values]


def _plain(values: Any) -> Any:
    if hasattr(values, "detach"):  # a tensor; PyTorch itself is not needed here
        values = values.detach().cpu()
        return (values.float() if values.element_size() < 4 else values).numpy()  # NumPy has no bfloat16
    if not isinstance(values, Iterable) or isinstance(values, (str, Mapping)) or hasattr(values, "__array__"):
        return values
    return [_plain(value) for value in values]
