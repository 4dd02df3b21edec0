"""Is the reader's result the expected one, and if not, in what way? Never says the expected value itself."""

from __future__ import annotations

import math
import reprlib
from numbers import Real
from typing import Any

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # float32 sums in another order differ by about 1e-6; the mistakes by far more
_KINDS = {
    bool: "a bool",
    str: "a string",
    dict: "a dictionary",
    list: "a list",
    tuple: "a tuple",
    set: "a set",
    type(None): "None",
}


def difference(got: Any, expected: Any, where: str = "") -> str:
    """Empty if equal (tensors, arrays, tuples and lists alike; numbers within a tolerance), else a short sentence.
    where: the place in the result, as Python writes it: "[1]['a']"."""
    name = f"result{where}" if where else "the result"
    shape, wanted = _shape(got), _shape(expected)
    if shape and wanted and shape != wanted:
        return f"{name} has shape {shape}, should be {wanted}"
    kinds = f"{name} should be {_kind(expected)}, not {_kind(got)}"
    got, expected = _plain(got), _plain(expected)
    if _is_number(expected):
        return _number(got, expected, name) if _is_number(got) else kinds
    if not isinstance(got, type(expected)):
        return kinds
    if isinstance(expected, dict):
        return _dictionary(got, expected, where, name)
    if isinstance(expected, list):
        if len(got) != len(expected):
            return f"{name} should have {len(expected)} items, not {len(got)}"
        pairs = enumerate(zip(got, expected, strict=True))
        return next((d for i, (g, e) in pairs if (d := difference(g, e, f"{where}[{i}]"))), "")
    return "" if got == expected else f"{name} is not right"


def same(got: Any, expected: Any) -> bool:
    return difference(got, expected) == ""


def _number(got: Real, expected: float, name: str) -> str:
    try:
        got = float(got)
    except OverflowError:  # an int of more than 300 digits
        return f"{name} is not right"
    if math.isnan(got) or (math.isinf(got) and not math.isinf(expected)):
        return f"{name} is {got}, which is no usable number"
    return "" if math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE) else f"{name} is not right"


def _dictionary(got: dict, expected: dict, where: str, name: str) -> str:
    extra = [key for key in got if key not in expected]
    if missing := expected.keys() - got.keys():
        other = f" and has {reprlib.repr(extra[0])}, which should not be there" if extra else ""
        return f"{name} lacks {len(missing)} of {len(expected)} keys{other}"
    if extra:
        return f"{name} has {len(extra)} keys too many: {reprlib.repr(extra[0])} should not be there"
    return next((d for key in expected if (d := difference(got[key], expected[key], f"{where}[{key!r}]"))), "")


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # tensors and arrays, on any device; neither library is imported for it
        try:
            return value.tolist()
        except (RuntimeError, TypeError):  # a sparse tensor; a class
            return value
    if isinstance(value, frozenset):
        return set(value)
    return list(value) if isinstance(value, tuple) else value


def _shape(value: Any) -> list[int]:
    """Of a tensor or an array; [] for all else."""
    shape = getattr(value, "shape", None)
    return list(shape) if hasattr(value, "tolist") and isinstance(shape, tuple) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _kind(value: Any) -> str:
    if shape := _shape(value):
        kind = "a sparse tensor" if getattr(value, "is_sparse", False) else "a tensor"
        return f"{'an array' if type(value).__module__ == 'numpy' else kind} of shape {shape}"
    plain = _plain(value)
    if _is_number(plain):
        return "a number"
    return _KINDS.get(type(value)) or _KINDS.get(type(plain)) or f"a value of type {type(value).__name__}"
