"""A call and its results as Python source that a reader can copy: whole where it is short, else kinds and sizes.

Nothing is asked of a class that a reader wrote: its `__repr__` and the like may raise, or never end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

_WIDTH, _CALL_LINES, _RESULT_LINES = 88, 16, 12  # columns; what needs more lines is not shown whole
_PARTS, _BRIEF = 240, 40  # numbers, words and brackets of one value; characters of an argument beside others
_BRACKETS = {list: "[]", tuple: "()", set: "{}", frozenset: "{}", dict: "{}"}
_USUAL = ("bool", "int64")  # and torch's float32, numpy's float64: no dtype is written


class _TooLong(Exception):
    """Too much to show, or nothing that Python can write."""


def call(name: str, inputs: Sequence[Any]) -> str:
    """The call of the function `name`; it can be run as it stands if all of its inputs fit in."""
    try:
        return _fitted((f"{name}(", [_tree(value, _exact, [_PARTS]) for value in inputs], ")"), _CALL_LINES)
    except _TooLong:
        return "\n".join(_lines((f"{name}(", [*map(brief, inputs)], ")"), "", True))


def result(value: Any) -> str:
    """A result, its numbers with six digits."""
    try:
        return _fitted(_tree(value, _six_digits, [_PARTS]), _RESULT_LINES)
    except _TooLong:
        return brief(value)


def brief(value: Any) -> str:
    """On one line: a short value, else its kind and size, as <tensor [2, 5]>."""
    kind = type(value)
    try:
        flat = _flat(_tree(value, _six_digits, [_PARTS]))
    except _TooLong:
        flat = ""
    if flat and len(flat) <= _BRIEF:
        return flat
    if (of := library(kind)) and value.shape:
        return f"<{'tensor' if of == 'torch' else 'array'} {list(value.shape)}>"
    base = next((base for base in (*_BRACKETS, str, bytes) if issubclass(kind, base)), None)
    return f"<{kind.__name__} of {base.__len__(value)}>" if base else f"<{kind.__name__}>"


# -- a value as text, or as [opening bracket, parts, closing bracket] --------------------------------------------------
def _tree(value: Any, number: Callable[[float], str], room: list[int]) -> Any:
    """number: how a float is written; room: how many parts may still come."""
    kind = type(value)
    room[0] -= 1
    if room[0] < 0:
        raise _TooLong
    if value is None or kind is bool or (kind is int and value.bit_length() < 200):
        return str(value)
    if kind in (str, bytes) and len(value) <= 3 * _WIDTH:
        return repr(value)
    if kind is float:
        return number(value)
    if of := library(kind):
        return _array(value, of, number, room)
    base = next((base for base in _BRACKETS if issubclass(kind, base)), None)
    if base is None or base.__len__(value) > room[0]:
        raise _TooLong
    if base is dict:
        pairs = [(_flat(_tree(key, number, room)), _tree(item, number, room)) for key, item in dict.items(value)]
        return "{", [_around(f"{key}: ", item, "") for key, item in pairs], "}"
    parts = [_tree(item, number, room) for item in base.__iter__(value)]
    if base in (set, frozenset):
        parts = sorted(map(_flat, parts))
        return ("{", parts, "}") if base is set and parts else (f"{base.__name__}([", parts, "])")
    left, right = _BRACKETS[base]
    return left, parts, ",)" if base is tuple and len(parts) == 1 else right


def _array(value: Any, of: str, number: Callable[[float], str], room: list[int]) -> Any:
    dtype = str(value.dtype).rpartition(".")[2]
    if math.prod(value.shape) > room[0]:
        raise _TooLong
    try:
        plain = value.tolist()
    except Exception:  # sparse, or on the device "meta"
        raise _TooLong from None
    if number is _exact and dtype in ("float32", "float16", "bfloat16"):
        number = _exact_32
    if of == "numpy" and not value.shape:
        return _tree(plain, number, room)
    name = "torch.tensor" if of == "torch" else "np.array"
    if 0 in value.shape[:-1]:
        return f"{name}([]).reshape({', '.join(map(str, value.shape))})"
    usual = dtype in (*_USUAL, "float32" if of == "torch" else "float64")
    module = "torch" if of == "torch" else "np"
    return _around(f"{name}(", _tree(plain, number, room), ")" if usual else f", dtype={module}.{dtype})")


def library(kind: type) -> str:
    """`torch` or `numpy`, whose tensor, array or number it is, or ""."""
    root = str(kind.__module__).partition(".")[0]
    return root if root in ("torch", "numpy") and hasattr(kind, "tolist") and hasattr(kind, "dtype") else ""


def _around(left: str, tree: Any, right: str) -> Any:
    return left + tree + right if isinstance(tree, str) else (left + tree[0], tree[1], tree[2] + right)


def _exact(number: float) -> str:
    return repr(number) if math.isfinite(number) else f'float("{number}")'


def _exact_32(number: float) -> str:
    """As few digits as bring the same float32 back."""
    import numpy as np  # exercises without tensors are also checked where there is no numpy: in a page of the site

    return str(np.float32(number)) if math.isfinite(number) else _exact(number)


def _six_digits(number: float) -> str:
    text = f"{number:.6g}"
    return text if set(text) & set(".en") else f"{text}.0"


# -- in lines ----------------------------------------------------------------------------------------------------------
def _fitted(tree: Any, most: int) -> str:
    """On one line; else each part on a line of its own; else as many on a line as fit. Raises _TooLong."""
    for packed in (False, True):
        lines = _lines(tree, "", packed)
        if len(lines) <= most and max(map(len, lines)) <= 3 * _WIDTH:
            return "\n".join(lines)
    raise _TooLong


def _lines(tree: Any, indent: str, packed: bool) -> list[str]:
    flat = _flat(tree)
    if isinstance(tree, str) or len(indent) + len(flat) <= _WIDTH:
        return [indent + flat]
    left, parts, right = tree
    if all(isinstance(part, str) for part in parts):
        lines = [f"{indent}{left}{parts[0]}"]
        for part in parts[1:]:
            fits = len(lines[-1]) + len(part) + 3 <= _WIDTH
            lines[-1:] = [f"{lines[-1]}, {part}"] if fits else [f"{lines[-1]},", f"{indent}    {part}"]
        return [*lines[:-1], lines[-1] + right]
    if len(parts) == 1:  # ([ on one line
        return _lines(_around(left, parts[0], right), indent, packed)
    lines, deeper = [indent + left], indent + "    "
    for part in parts:
        beside = f"{lines[-1]} {_flat(part)},"
        if len(lines) > 1 and len(beside) <= _WIDTH and (packed or isinstance(part, str)):
            lines[-1] = beside
        else:
            lines += _lines(_around("", part, ","), deeper, packed)
    return [*lines, indent + right]


def _flat(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"{tree[0]}{', '.join(map(_flat, tree[1]))}{tree[2]}"
