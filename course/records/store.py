"""A file of `data/recorded`: there or not, of this format or another, whole or damaged; how it is replaced."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Generic, Literal, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file

T = TypeVar("T")
FORMAT = 1
_MOST = 1e300  # what is shown must fit into a float


@dataclass(frozen=True)
class Store(Generic[T]):
    """One recorded thing: a dataclass of plain types, dataclasses and arrays, in a file.

    command  records it again. check: raises ValueError or LookupError for a record that cannot have been written
    rows     a field of dataclasses that stand in a line each, without what is None: readable, small changes in git
    """

    file: str
    kind: type[T]
    command: str
    check: Callable[[T], object]
    rows: str = ""

    @property
    def path(self) -> Path:
        return data_dir("recorded", self.file)

    def read(self) -> T | None:
        """None if nothing was recorded. Raises CourseError for a file that is damaged or of another format."""

        def build(document: dict) -> T:
            record = typed(self.kind, document, self.kind.__name__)
            self.check(record)
            return record

        return read_recorded(self.path, self.command, build)

    def recorded(self) -> T:
        """As `read`; where nothing was recorded a CourseError too."""
        if (record := self.read()) is None:
            raise CourseError(f"{self.path} is not there. Record it: {self.command}")
        return record

    def write(self, record: T, indent: int | None = 1) -> None:
        """Replace the file, whole or not at all."""
        write_recorded(self.path, asdict(record), indent, self.rows)


def read_recorded(path: Path, command: str, build: Callable[[dict], T]) -> T | None:
    """What `build` makes of the document, which has lost its "format"; None if there is no file.

    Raises CourseError for another format, and where the file cannot be read or `build` cannot use it.
    """
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        number = document.pop("format")
        if number != FORMAT:
            raise CourseError(f"{path} has format {number!r:.40}, this version reads {FORMAT}. Update the course.")
        return build(document)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise CourseError(
            f"{path} is damaged ({type(error).__name__}: {error!s:.300}). "
            f"Restore it with git, or delete it and record it again: {command}"
        ) from None


def write_recorded(path: Path, document: Mapping, indent: int | None = 1, rows: str = "") -> None:
    """Replace the file, whole or not at all. Raises ValueError for a number that is NaN or infinite."""

    def text(value: Any, indent: int | None = None) -> str:
        return json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False, default=_plain)

    lines = [text({name: value for name, value in row.items() if value is not None}) for row in document.get(rows, ())]
    whole = text({"format": FORMAT, **document} | ({rows: "ROWS"} if rows else {}), indent)
    with atomic_file(path, "w") as file:
        file.write(whole.replace('"ROWS"', "[\n  " + ",\n  ".join(lines) + "\n ]") + "\n")


def _plain(array: Any) -> Any:
    return np.round(array, 2).tolist()


def typed(kind: Any, value: Any, place: str) -> Any:
    """A value of JSON as `kind` says, dataclasses and arrays built. Raises TypeError where it does not fit."""
    origin, inner = get_origin(kind) or kind, get_args(kind)
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        if isinstance(value, kind):
            return value
        if isinstance(value, Mapping):
            if unknown := [name for name in value if name not in hints]:
                raise TypeError(f"{place} has no {unknown[0]!r}")
            return kind(**{name: typed(hints[name], entry, f"{place}.{name}") for name, entry in value.items()})
    elif origin is Literal:
        if value in inner:
            return value
        kind = f"one of: {', '.join(inner)}"
    elif origin is UnionType:
        for one in inner:
            try:
                return typed(one, value, place)
            except TypeError:
                continue
    elif origin in (tuple, list):
        if isinstance(value, list | tuple):
            each = inner if origin is tuple and inner[-1] is not ... else inner[:1] * len(value)
            return origin(typed(one, v, f"{place}.{i}") for i, (one, v) in enumerate(zip(each, value, strict=True)))
    elif origin is Mapping:
        if isinstance(value, Mapping):
            return {name: typed(inner[1], v, f"{place}.{name}") for name, v in value.items()} if inner else value
    elif hasattr(kind, "array_type"):
        array = np.array(value, dtype=float)
        if np.isfinite(array).all():
            return array
    elif origin in (int, float):
        number = isinstance(value, int if origin is int else int | float) and not isinstance(value, bool)
        if number and abs(value) < _MOST:
            return value
    elif origin not in (str, bool, NoneType) or isinstance(value, origin):
        return value
    raise TypeError(f"{place} is {value!r:.60}, not {getattr(kind, '__name__', kind)}")


def markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table whose first column is words, the others numbers."""
    align = ["---"] + ["---:"] * (len(heads) - 1)
    return [f"| {' | '.join(cells)} |" for cells in (heads, align, *rows)]


@contextmanager
def in_a_sentence() -> Iterator[None]:
    """Around a command that records: what it cannot do is said without a traceback."""
    try:
        yield
    except CourseError as error:
        raise SystemExit(str(error)) from None
