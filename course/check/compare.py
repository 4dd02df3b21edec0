"""Is the reader's result the expected one, and if not, in what way?"""

from __future__ import annotations

import math
import reprlib
from numbers import Real
from typing import Any

from course.check.limit import safely
from course_lib.language import key, t

RELATIVE, ABSOLUTE = 1e-4, 1e-6  # float32 sums in another order differ by about 1e-6; the mistakes by far more
_KINDS = {
    bool: key("a bool"),
    str: key("a string"),
    dict: key("a dictionary"),
    list: key("a list"),
    tuple: key("a tuple"),
    set: key("a set"),
    type(None): "None",
}


def difference(got: Any, expected: Any) -> str:
    """Empty if equal (tensors, arrays, tuples and lists alike; numbers within a tolerance), else a short sentence."""
    return safely(t("the result raises an error when it is compared"), _difference, got, expected, "")


def same(got: Any, expected: Any) -> bool:
    return difference(got, expected) == ""


def usable(value: Any) -> bool:
    """Is there a finite number in it, or something else than numbers?"""
    return safely(True, _usable, value)


def _usable(value: Any) -> bool:
    value = _plain(value)
    if isinstance(value, dict | list | set) and value:
        return any(map(_usable, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


def _difference(got: Any, expected: Any, where: str) -> str:
    """where: the place in the result, as Python writes it: "[1]['a']"."""
    if got is expected or _close(got, expected):
        return ""
    name = t("result{where}", where=where) if where else t("the result")
    shape, wanted = _shape(got), _shape(expected)
    if shape and wanted and shape != wanted:
        return t("{name} has shape {shape}, should be {wanted}", name=name, shape=shape, wanted=wanted)
    several = isinstance(got, tuple) and wanted  # where one tensor is asked
    given, asked, got, expected = got, expected, _plain(got), _plain(expected)

    def kinds() -> str:
        return t("{name} should be {wanted}, not {got}", name=name, wanted=_kind(asked), got=_kind(given))

    if _is_number(expected):
        return _number(got, expected, name) if _is_number(got) else kinds()
    if not isinstance(got, type(expected)):
        return kinds()
    if isinstance(expected, dict):
        return _dictionary(got, expected, where, name)
    if isinstance(expected, list):
        if len(got) != len(expected) and several:
            return kinds()  # what `max(1)` gives
        if len(got) != len(expected):
            return t("{name} should have {wanted} items, not {n}", name=name, wanted=len(expected), n=len(got))
        pairs = enumerate(zip(got, expected, strict=True))
        return next((d for i, (g, e) in pairs if (d := _difference(g, e, f"{where}[{i}]"))), "")
    return "" if got == expected else t("{name} is not right", name=name)


def _close(got: Any, expected: Any) -> bool:
    """Two tensors that are equal at once: number by number, a table of a network takes longer than `safely` waits."""
    kinds = {(type(x), getattr(x, "dtype", 0), getattr(x, "layout", 0), tuple(_shape(x))) for x in (got, expected)}
    if len(kinds) > 1 or not hasattr(expected, "allclose"):
        return False
    return bool(got.allclose(expected, rtol=RELATIVE, atol=ABSOLUTE))


def _number(got: Real, expected: float, name: str) -> str:
    try:
        got = float(got)
    except OverflowError:  # an int of more than 300 digits
        return t("{name} is not right", name=name)
    if math.isnan(got) and math.isnan(expected):  # of a mistake's model: no reference gives NaN
        return ""
    if math.isinf(got) and not math.isinf(expected):
        return t("{name} is {got}, and should be a finite number", name=name, got=got)
    if math.isnan(got):
        return t("{name} is {got}, which is no usable number", name=name, got=got)
    close = math.isclose(got, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    return "" if close else t("{name} is not right", name=name)


def _dictionary(got: dict, expected: dict, where: str, name: str) -> str:
    extra = [key for key in got if key not in expected]
    if missing := expected.keys() - got.keys():
        values = {"name": name, "n": len(missing), "all": len(expected)}
        if not extra:
            return t("{name} lacks {n} of {all} keys", **values)
        one = reprlib.repr(extra[0])
        return t("{name} lacks {n} of {all} keys and has {one}, which should not be there", one=one, **values)
    if extra:
        one = reprlib.repr(extra[0])
        return t("{name} has {n} keys too many: {one} should not be there", name=name, n=len(extra), one=one)
    return next((d for key in expected if (d := _difference(got[key], expected[key], f"{where}[{key!r}]"))), "")


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
        if type(value).__module__ == "numpy":
            return t("an array of shape {shape}", shape=shape)
        if getattr(value, "is_sparse", False):
            return t("a sparse tensor of shape {shape}", shape=shape)
        return t("a tensor of shape {shape}", shape=shape)
    plain = _plain(value)
    if _is_number(plain):
        return t("a number")
    if hasattr(type(value), "__next__"):
        return t("a generator")
    known = _KINDS.get(tuple if isinstance(value, tuple) else type(value)) or _KINDS.get(type(plain))
    return t(known) if known else t("a value of type {name}", name=type(value).__name__)
