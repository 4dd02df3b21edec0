"""The public data sets: found in a mirror or in the cache, downloaded when asked, checked, and read as records.

`load_public("wnut17", "test")` reads and never uses the network; `get("wnut17")` downloads what is not here yet.
Looked at in this order: the mirror that COURSE_DATA_DIR names, then `public/` in the cache folder. A file may lie there
packed (.xz) or unpacked. The first time a process uses a file, its SHA-256 is compared with the registered one.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from course.sources.registry import PublicFile, PublicSet, find, registry
from course_lib.config import settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file, is_of_disk, lock, sha256, write_error

SECONDS_WITHOUT_AN_ANSWER = 30
_ELSE = "or set COURSE_DATA_DIR to a mirror of the data."

_checked: dict[Path, tuple[str, int, int]] = {}  # good files: SHA-256, bytes, time of change


class Finding(NamedTuple):
    name: str
    file: str
    state: str  # good, missing, damaged
    where: str  # the file found, or the fault


def locate(name: str, split: str | None = None) -> list[Path]:
    """The files of a set (of one split), in the registry's order, checked. Nothing is downloaded."""
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
                _download(public, missing, _cache())
    return locate(public.name)


def verify(names: Iterable[str] | None = None) -> list[Finding]:
    """The state of every file of these sets (default: all), read anew from the disk. Raises CourseError for no file."""
    findings = []
    for public in [find(name) for name in names] if names is not None else registry().values():
        for file in public.files:
            try:
                place = _place(file, again=True)
                state, where = "good" if place else "missing", str(place or "")
            except CourseError as error:
                state, where = "damaged", str(error)
            findings.append(Finding(public.name, file.path, state, where))
    return findings


def load_public(name: str, split: str | None = None) -> Iterable:
    """The records of a set: a list, or a stream of articles for running text. None: all splits in order.

    The record types are in course_lib/data/records.py; which set gives which is in course/sources/of_set.py.
    Nothing is downloaded: `course data get NAME` does that.
    """
    from course.sources.of_set import read_set

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
        digest_here = sha256(place) if stat.st_size == n_bytes else ""
    except OSError as error:
        raise CourseError(f"{place} cannot be read: {error.strerror}. Check the rights to it.") from error
    if digest_here != digest:
        size = f"{stat.st_size:,} bytes instead of {n_bytes:,}" if stat.st_size != n_bytes else "another SHA-256"
        fault = _DamagedInCache if label == "cache" else CourseError
        raise fault(f"{place} is not the registered file: {size}. It is damaged or another version. {remedy}.")
    _checked[place] = state


def _download(public: PublicSet, files: list[PublicFile], folder: Path) -> None:
    """Puts the unpacked `files` into `folder`, each whole and with the registered SHA-256, or none.

    pooch fetches them, an archive of several once, and unpacks. The caller holds the lock of this set.
    """
    import pooch

    if any(file.url is None for file in files):
        raise CourseError(
            f"{public.name} has no address to download from: it was put together from many files. "
            "Set COURSE_DATA_DIR to a mirror that has it, or give the readers a file of your own."
        )
    pooch.get_logger().setLevel("WARNING")
    read = pooch.HTTPDownloader(progressbar=True, timeout=SECONDS_WITHOUT_AN_ANSWER)
    with tempfile.TemporaryDirectory(prefix="course-data-") as scratch:
        for file in files:
            unzip = file.member and pooch.Unzip(members=[file.member])
            try:
                fetched = pooch.retrieve(file.url, None, path=scratch, processor=unzip, downloader=read)
                content = Path(fetched[0] if unzip else fetched).read_bytes()
            except Exception as error:  # of the disk, of the network, or of a damaged archive
                if is_of_disk(error):
                    raise write_error(Path(scratch), error) from error
                raise CourseError(
                    f"{public.name}: {file.url} could not be fetched ({error!s:.300}). Nothing was kept. Try again; "
                    f"check the network and its settings (HTTPS_PROXY, REQUESTS_CA_BUNDLE); {_ELSE}"
                ) from error
            if file.replace is not None:
                content = content.replace(*(text.encode() for text in file.replace))
            if hashlib.sha256(content).hexdigest() != file.content_sha256:
                raise CourseError(
                    f"{public.name}: what came from {file.url} is not the registered file (its SHA-256 should be "
                    f"{file.content_sha256[:12]}...). Nothing was kept. It was cut short or changed: try again; {_ELSE}"
                )
            with atomic_file(folder / file.plain_path) as target:
                target.write(content)
