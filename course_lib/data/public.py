"""The public data sets: found in a mirror or in the cache, downloaded when asked, checked, and read as records.

`load_public("wnut17", "test")` reads and never uses the network; `get("wnut17")` downloads what is not here yet.
Looked at in this order: the mirror that COURSE_DATA_DIR names, then `public/` in the cache folder. A file may lie there
packed (.xz) or unpacked. The first time a process uses a file, its SHA-256 is compared with the registered one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from course_lib.config import settings
from course_lib.data.registry import PublicFile, PublicSet, find, registry
from course_lib.errors import CourseError
from course_lib.files import lock, sha256

_checked: dict[Path, tuple[str, int, int]] = {}  # good files: SHA-256, bytes, time of change


class Finding(NamedTuple):
    name: str
    file: str
    state: str  # good, missing, damaged
    where: str  # the file found, or the fault


def locate(name: str, split: str | None = None) -> list[Path]:
    """The files of a set (of one split), in the registry's order, checked. Nothing is downloaded.

    Raises CourseError for an unknown set or split, for a file that is not here, and for one that is not as registered.
    """
    public = find(name)
    places = [_place(file) for file in public.files_of(split)]
    if None in places:
        mirror = settings().data_mirror
        looked = f"neither in {mirror} nor" if mirror else "COURSE_DATA_DIR is not set, and they are not"
        fetch = "" if public.kind == "mirror only" else f"Run `course data get {public.name}`, or "
        raise CourseError(
            f"The files of {public.name} were not found: {looked} in {_cache()}. "
            f"{fetch}{'set' if fetch else 'Set'} COURSE_DATA_DIR to a mirror of the data"
            f"{'.' if fetch else ', for this set is not offered for download.'}"
        )
    return places


def get(name: str) -> list[Path]:
    """The files of a set as `locate` gives them; those that are not here are downloaded into the cache first.

    Safe in many processes at once: one downloads, the others wait for it. A damaged file in the cache is fetched anew,
    one in the mirror is an error. Raises CourseError; a file is then as it was before.
    """
    public = find(name)
    if any(_missing(file) for file in public.files):
        with lock(_cache() / f"{public.name}.lock"):
            # while this process waited for the lock, another may have fetched them
            if missing := [file for file in public.files if _missing(file)]:
                from course_lib.data.download import download

                download(public, missing, _cache())
    return locate(public.name)


def verify(names: Iterable[str] | None = None) -> list[Finding]:
    """The state of every file of these sets (default: all), read anew from the disk. Raises CourseError for no file."""
    found = []
    for public in [find(name) for name in names] if names is not None else registry().values():
        for file in public.files:
            try:
                place = _place(file, again=True)
                state = Finding(public.name, file.path, "good" if place else "missing", str(place or ""))
            except CourseError as error:
                state = Finding(public.name, file.path, "damaged", str(error))
            found.append(state)
    return found


def load_public(name: str, split: str | None = None) -> Iterable:
    """The records of a set: a list, or a stream of articles for running text. None: all splits in order.

    The record types are in course_lib/data/records.py; which set gives which is in course_lib/data/readers/of_set.py.
    Nothing is downloaded: `course data get NAME` does that. Raises CourseError as `locate` does.
    """
    from course_lib.data.readers.of_set import read_set

    public = find(name)
    return read_set(public, [(part, locate(public.name, part)) for part in public.splits if split in (None, part)])


def whereabouts(public: PublicSet) -> str:
    """Where a set lies: "mirror", "cache", or "" if a file is missing. Looks for the files and does not read them."""
    for label, folder in _folders():
        if all(any((folder / path).is_file() for path, *_ in file.forms) for file in public.files):
            return label
    return ""


def _cache() -> Path:
    return settings().cache_dir / "public"


def _folders() -> list[tuple[str, Path]]:
    mirror = settings().data_mirror
    return ([("mirror", mirror)] if mirror else []) + [("cache", _cache())]


def _missing(file: PublicFile) -> bool:
    """True if the file must be downloaded: it is nowhere, or damaged in the cache."""
    try:
        return _place(file) is None
    except _DamagedInCache:
        return True


class _DamagedInCache(CourseError):
    """The one fault that a download mends."""


def _place(file: PublicFile, *, again: bool = False) -> Path | None:
    """Where the file lies, checked; None if it is nowhere."""
    for label, folder in _folders():
        for path, n_bytes, digest in file.forms:
            place = folder / path
            if place.is_file():
                _check(place, n_bytes, digest, label, again)
                return place
    return None


def _check(place: Path, n_bytes: int, digest: str, label: str, again: bool) -> None:
    remedy = "`course data get` fetches it anew" if label == "cache" else "Copy it into the mirror again"
    try:
        stat = place.stat()
        state = (digest, stat.st_size, stat.st_mtime_ns)
        if _checked.get(place) == state and not again:
            return
        found = sha256(place) if stat.st_size == n_bytes else ""
    except OSError as error:
        raise CourseError(f"{place} cannot be read: {error.strerror}. Check the rights to it.") from error
    if found != digest:
        size = f"{stat.st_size:,} bytes instead of {n_bytes:,}" if stat.st_size != n_bytes else "another SHA-256"
        fault = _DamagedInCache if label == "cache" else CourseError
        raise fault(f"{place} is not the registered file: {size}. It is damaged or another version. {remedy}.")
    _checked[place] = state
