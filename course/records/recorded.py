"""A file of `data/recorded`: there or not, of this format or another, whole or damaged; and how it is replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from course_lib.errors import CourseError
from course_lib.files import atomic_file

T = TypeVar("T")
_MOST = 1e300  # what is shown must fit into a float


def read_recorded(path: Path, version: int, command: str, build: Callable[[dict], T]) -> T | None:
    """What `build` makes of the document, which has lost its "format"; None if there is no file.

    Raises CourseError for another format, and where the file cannot be read, `build` cannot use it, or a dataclass
    that it makes has a field of another type than it says: `command` records it again.
    """
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = document.pop("format")
        if found != version:
            raise CourseError(f"{path} has format {found!r:.40}, this version reads {version}. Update the course.")
        built = build(document)
        _check(built, type(built), type(built).__name__)
        return built
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise CourseError(
            f"{path} is damaged ({type(error).__name__}: {error!s:.300}). "
            f"Restore it with git, or delete it and record it again: {command}"
        ) from None


def write_recorded(path: Path, document: Mapping, indent: int | None = 1) -> None:
    """Replace the file, whole or not at all. Raises ValueError for a number that is NaN or infinite."""
    text = json.dumps(document, ensure_ascii=False, indent=indent, allow_nan=False)
    with atomic_file(path, "w") as file:
        file.write(text + "\n")


def _check(value: Any, kind: Any, place: str) -> None:
    """Raises TypeError where `value` is not of the type `kind`; types that no record holds as JSON are passed over."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    fits, parts = True, []
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        fits = isinstance(value, kind)
        parts = [(getattr(value, f.name), hints[f.name], f.name) for f in fields(kind)] if fits else []
    elif origin is UnionType:
        fits = any(_fits(value, one) for one in inner)
    elif origin in (tuple, list):
        fits = isinstance(value, origin)
        if fits and inner:
            kinds = inner if origin is tuple and inner[-1] is not ... else inner[:1] * len(value)
            parts = [(entry, one, str(i)) for i, (entry, one) in enumerate(zip(value, kinds, strict=True))]
    elif origin is Mapping:
        fits = isinstance(value, Mapping)
        parts = [(entry, inner[1], str(key)) for key, entry in value.items()] if fits and inner else []
    elif origin in (int, float):
        number = isinstance(value, int if origin is int else int | float) and not isinstance(value, bool)
        fits = number and abs(value) < _MOST
    elif origin in (str, bool, NoneType):
        fits = isinstance(value, origin)
    if not fits:
        raise TypeError(f"{place} is {value!r:.60}, not {getattr(kind, '__name__', kind)}")
    for part, one, name in parts:
        _check(part, one, f"{place}.{name}")


def _fits(value: Any, kind: Any) -> bool:
    try:
        _check(value, kind, "")
    except TypeError:
        return False
    return True
