"""The one door through which a reader's numbers become an array of NumPy's."""

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


def _plain(values: Any) -> Any:
    if hasattr(values, "detach"):  # a tensor; PyTorch itself is not needed here
        values = values.detach().cpu()
        return (values.float() if values.element_size() < 4 else values).numpy()  # NumPy has no bfloat16
    listed = (
        isinstance(values, Iterable) and not isinstance(values, (str, Mapping)) and not hasattr(values, "__array__")
    )
    return [_plain(value) for value in values] if listed else values
