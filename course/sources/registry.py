"""The public data sets the course knows: `data/public.toml` as records. No text is read, nothing is downloaded."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass

from course_lib.config import data_dir
from course_lib.errors import CourseError

KINDS = ("direct", "built", "mirror only")


@dataclass(frozen=True)
class PublicFile:
    """A file of a set. `path` is its place in a mirror or in the cache; `content_...` describe an .xz unpacked."""

    path: str
    splits: tuple[str, ...]
    bytes: int
    sha256: str
    content_bytes: int
    content_sha256: str
    url: str | None = None  # pinned to a commit; None: mirror only
    member: str | None = None  # the file inside the zip archive at `url`
    replace: tuple[str, str] | None = None  # the one change made to the file at `url`

    @property
    def plain_path(self) -> str:
        """`path` of the unpacked file: what a download leaves in the cache."""
        return self.path.removesuffix(".xz")

    @property
    def forms(self) -> tuple[tuple[str, int, str], ...]:
        """The forms it may have on a disk: (relative path, bytes, SHA-256), packed first."""
        packed = (self.path, self.bytes, self.sha256)
        plain = (self.plain_path, self.content_bytes, self.content_sha256)
        return (packed,) if packed == plain else (packed, plain)


@dataclass(frozen=True)
class PublicSet:
    name: str
    title: str
    kind: str  # one of KINDS
    languages: tuple[str, ...]
    licence: str
    licence_known_by: str
    redistributable: str
    conditions: str  # empty: none known
    citation: str
    original: str
    subset: str
    unit: str
    counts: dict[str, int]
    files: tuple[PublicFile, ...]
    taken_from: str = ""

    @property
    def splits(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(split for file in self.files for split in file.splits))

    @property
    def megabytes(self) -> float:
        return sum(file.bytes for file in self.files) / 1e6

    def files_of(self, split: str | None) -> tuple[PublicFile, ...]:
        """The files that hold a split (None: all). Raises CourseError for a split the set does not have."""
        if split is not None and split not in self.splits:
            raise CourseError(f"{self.name} has no split {split!r}. It has: {', '.join(self.splits)}.")
        return tuple(file for file in self.files if split is None or split in file.splits)


@functools.cache
def registry() -> dict[str, PublicSet]:
    """All registered sets by name, in the order of the file."""
    tables = tomllib.loads(data_dir("public.toml").read_text(encoding="utf-8"))
    return {name: _set(name, table) for name, table in tables.items()}


def find(name: str) -> PublicSet:
    """The set with this name. Raises CourseError with the names there are."""
    sets = registry()
    if name not in sets:
        raise CourseError(f"There is no data set {name!r}. Choose one of: {', '.join(sets)}.")
    return sets[name]


def _set(name: str, table: dict) -> PublicSet:
    files = tuple(_file(**row) for row in table.pop("files"))
    return PublicSet(name, files=files, languages=tuple(table.pop("languages")), **table)


def _file(*, splits: list[str], replace: list[str] | None = None, **row) -> PublicFile:
    row = {"content_bytes": row["bytes"], "content_sha256": row["sha256"]} | row
    return PublicFile(splits=tuple(splits), replace=tuple(replace) if replace else None, **row)
