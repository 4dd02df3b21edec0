"""Is the reader's result the expected one, and if not, in what way? Never says the expected value itself."""

from __future__ import annotations

import math
from typing import Any

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # float32 sums in another order differ by about 1e-6; the mistakes by far more
_KINDS = {bool: "a bool", str: "a string", dict: "a dictionary", list: "a list", type(None): "None"}


def difference(got: Any, expected: Any, where: str = "the result") -> str:
    """Empty if equal (tensors, arrays, tuples and lists alike; numbers within a tolerance), else a short sentence."""
    got, expected = _plain(got), _plain(expected)
    if _is_number(expected):
        return _number(got, expected, where)
    if not isinstance(got, type(expected)):
        return f"{where} should be {_kind(expected)}, not {_kind(got)}"
    if isinstance(expected, dict):
        return _dictionary(got, expected, where)
    if isinstance(expected, list):
        if len(got) != len(expected):
            return f"{where} should have {len(expected)} items, not {len(got)}"
        pairs = enumerate(zip(got, expected, strict=True))
        return next((d for i, (g, e) in pairs if (d := difference(g, e, f"item {i} of {where}"))), "")
    return "" if got == expected else f"{where} is not right"


def same(got: Any, expected: Any) -> bool:
    return difference(got, expected) == ""


def _number(got: Any, expected: float, where: str) -> str:
    if not _is_number(got):
        return f"{where} should be a number, not {_kind(got)}"
    if math.isnan(got) or (math.isinf(got) and not math.isinf(expected)):
        return f"{where} is {got}, which is no usable number"
    return "" if math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE) else f"{where} is not right"


def _dictionary(got: dict, expected: dict, where: str) -> str:
    if missing := expected.keys() - got.keys():
        return f"{where} lacks {len(missing)} of {len(expected)} keys"
    if extra := got.keys() - expected.keys():
        return f"{where} has {len(extra)} keys too many"
    return next((d for key in expected if (d := difference(got[key], expected[key], f"the value of {key!r}"))), "")


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # tensors and arrays, on any device; neither library is imported for it
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    if _is_number(value):
        return "a number"
    return _KINDS.get(type(value), f"a value of type {type(value).__name__}")
