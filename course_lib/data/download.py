"""Public files from the network: fetched by pooch into a scratch folder, checked, and only then put in their place."""

from __future__ import annotations

import contextlib
import hashlib
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from course_lib.data.registry import PublicFile, PublicSet
from course_lib.errors import CourseError
from course_lib.files import atomic_file, write_error
from course_lib.progress import Progress

SECONDS_WITHOUT_AN_ANSWER = 30
MAX_ARCHIVE_BYTES = 100_000_000  # archives of several files: their own size is not registered
_PIECE = 1 << 16
_ELSE = "or set COURSE_DATA_DIR to a mirror of the data."


def download(public: PublicSet, files: Iterable[PublicFile], folder: Path) -> None:
    """Put the unpacked `files` of a set into `folder` (the cache), each whole and with the registered SHA-256, or none.

    Raises CourseError: no network, gone address, wrong content, full disk, folder that may not be written to. The
    caller holds the lock of this set.
    """
    files = list(files)
    if any(file.url is None for file in files):
        raise CourseError(
            f"{public.name} has no address to download from: it was put together from many files. "
            "Set COURSE_DATA_DIR to a mirror that has it, or give the readers a file of your own."
        )
    with _scratch(folder, public.name) as scratch:
        for file in files:
            content = _content(public.name, file, _fetch(public.name, file, scratch))
            with atomic_file(folder / file.plain_path) as target:
                target.write(content)


def _fetch(name: str, file: PublicFile, scratch: Path) -> Path:
    """The file at the address, as it came. One archive serves several files."""
    target = scratch / hashlib.sha256(file.url.encode()).hexdigest()[:16]
    if target.exists():
        return target
    import pooch
    import requests

    pooch.get_logger().setLevel("WARNING")
    whole = file.member is None and file.replace is None
    known_hash = f"sha256:{file.content_sha256}" if whole else None
    expected = file.content_bytes if file.member is None else None
    with Progress(f"{name}, {file.url.rpartition('/')[2]}", total=expected, unit="bytes") as bar:
        read = pooch.HTTPDownloader(chunk_size=_PIECE, timeout=SECONDS_WITHOUT_AN_ANSWER)

        def bounded(url: str, path: str, caller: object) -> None:
            with open(path, "wb") as target:
                read(url, _Bounded(target, MAX_ARCHIVE_BYTES if expected is None else expected + _PIECE, bar), caller)

        try:
            pooch.retrieve(file.url, known_hash, fname=target.name, path=scratch, downloader=bounded)
        except requests.HTTPError as error:
            raise CourseError(
                f"{name}: {file.url} answers {error.response.status_code}. Try again later; {_ELSE}"
            ) from error
        except requests.RequestException as error:
            raise CourseError(
                f"{name}: {file.url} could not be reached, or the connection broke ({type(error).__name__}). "
                f"Nothing was kept. Check the network and try again; {_ELSE}"
            ) from error
        except OSError as error:
            raise write_error(target, error) from error
        except ValueError as error:  # pooch's word for a hash that differs
            raise _wrong(name, file) from error
    return target


def _content(name: str, file: PublicFile, fetched: Path) -> bytes:
    """The registered content, made from what was fetched."""
    if file.member is None:
        content = fetched.read_bytes()
    else:
        try:
            with zipfile.ZipFile(fetched) as archive, archive.open(file.member) as member:
                content = member.read(file.content_bytes + 1)  # no more, whatever the archive says
        except (
            zipfile.BadZipFile,
            zlib.error,
            KeyError,
            EOFError,
            RuntimeError,  # zipfile's word for a password, and for a way of packing that it does not know
            OSError,
        ) as error:
            raise _wrong(name, file) from error
    if file.replace is not None:
        content = content.replace(*(text.encode() for text in file.replace))
    if hashlib.sha256(content).hexdigest() != file.content_sha256:
        raise _wrong(name, file)
    return content


def _wrong(name: str, file: PublicFile) -> CourseError:
    return CourseError(
        f"{name}: what came from {file.url} is not the registered file (its SHA-256 should be "
        f"{file.content_sha256[:12]}...). Nothing was kept. It was cut short or changed: try again; {_ELSE}"
    )


@contextlib.contextmanager
def _scratch(folder: Path, name: str) -> Iterator[Path]:
    """A folder of this process's own inside `folder`; what killed processes left there is cleared away first."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for left in folder.glob(f".{name}-*"):
            shutil.rmtree(left, ignore_errors=True)
        scratch = tempfile.TemporaryDirectory(dir=folder, prefix=f".{name}-", ignore_cleanup_errors=True)
    except OSError as error:
        raise write_error(folder, error) from error
    with scratch as path:
        yield Path(path)


class _Bounded:
    """A file that shows how far it is, and that ends a download which is larger than it can be."""

    def __init__(self, file, limit: int, bar: Progress) -> None:
        self.file, self.limit, self.bar, self.done = file, limit, bar, 0

    def write(self, piece: bytes) -> None:
        self.done += len(piece)
        if self.done > self.limit:
            raise ValueError(f"more than {self.limit} bytes")
        self.file.write(piece)
        self.bar.update(self.done)

    def flush(self) -> None:
        """pooch flushes after each piece; closing the file does."""
