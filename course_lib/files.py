"""Files that are never half-written, and locks that many processes can share."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import json
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.language import key, t

_REASONS = {
    errno.EACCES: "this folder may not be written to",
    errno.EPERM: "this folder may not be written to",
    errno.EROFS: "this disk is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "your disk quota is used up",
}
MOST_TEXT = 16 << 20  # bytes: as JSON it takes up to forty times as much in memory


def given_path(path: str | os.PathLike) -> Path:
    """A path as a reader gives it; ~ is the home folder."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise CourseError(f"{path}: there is no such home folder. Write the whole path.") from None


@contextlib.contextmanager
def atomic_file(path: str | os.PathLike, mode: str = "wb") -> Iterator:
    """Open a temporary file beside `path`; it takes `path`'s place only when the block ends without an error.

    The old file stays until then, also if the process is killed. Raises CourseError if the place cannot be written.
    """
    path = Path(path)
    temporary = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
        encoding = None if "b" in mode else "utf-8"
        with os.fdopen(handle, mode, encoding=encoding, newline=None if encoding is None else "") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # mkstemp makes it private; a cache may be shared
        os.replace(temporary, path)
        temporary = None
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(temporary)


def is_of_disk(error: BaseException) -> bool:
    """Whether the disk refused to be written: what requests and sockets raise is an OSError, too."""
    return isinstance(error, OSError) and error.errno in _REASONS


def write_error(path: Path, error: OSError) -> CourseError:
    """The CourseError that explains why `path` could not be written."""
    reason = _REASONS.get(error.errno, error.strerror or str(error))
    return CourseError(
        f"Could not write {path}: {reason}. Nothing was changed. "
        "Choose another folder (COURSE_CACHE_DIR moves the cache, COURSE_ANSWERS_DIR your answers) or make room."
    )


def sha256(path: str | os.PathLike) -> str:
    """Hexadecimal SHA-256 of a file's bytes, read in pieces."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def compact_json(value: object) -> str:
    """JSON in few bytes: letters of any script as they are, or escaped where UTF-8 has none (lone surrogates)."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def bounded(path: str | os.PathLike, limit: int, remedy: str) -> bytes:
    """The bytes of a file that came from elsewhere and should have at most `limit`. OSErrors are the caller's."""
    if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for
        raise CourseError(t("{path} is not a file. {remedy}", path=path, remedy=remedy))
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size  # a limit that is a lie asks for no memory
        content = file.read(max(0, min(limit, size)))
        if file.read(1):
            raise CourseError(f"{path} has more than the {limit} bytes it should have. {remedy}")
        return content


def small_text(path: str | os.PathLike, remedy: str) -> str:
    """A text file that came from elsewhere and cannot be large, without a byte order mark; its lines end in \\n."""
    try:
        return io.TextIOWrapper(io.BytesIO(bounded(path, MOST_TEXT, remedy)), "utf-8-sig").read()
    except UnicodeDecodeError as error:
        says = key("{path} is not UTF-8 text (byte {n}). {remedy}")
        raise CourseError(t(says, path=path, n=error.start, remedy=remedy)) from error
    except OSError as error:
        raise CourseError(f"{path} cannot be read: {error.strerror}. {remedy}") from error


def read_json(path: str | os.PathLike, remedy: str) -> dict:
    """The table in a small JSON file that came from elsewhere."""
    return json_table(small_text(path, remedy), path, remedy)


def json_table(text: str, path: str | os.PathLike, remedy: str) -> dict:
    """The table in this JSON text of the file `path`."""
    try:
        found = json.loads(text)
        json.dumps(found, allow_nan=False)  # Python reads NaN and 1e999; no setting is either
        if not isinstance(found, dict):
            raise ValueError("no table of settings")
    except (ValueError, RecursionError) as error:
        raise CourseError(f"{path} is not readable JSON: {error}. {remedy}") from error
    return found


@contextlib.contextmanager
def lock(path: str | os.PathLike, *, patience: float = 600.0) -> Iterator[None]:
    """Only one process at a time is inside, for all that name the same lock file. The lock goes with a killed process.

    In a folder that cannot be written there is nothing to guard: the block runs without a lock.
    Raises CourseError after `patience` seconds.
    """
    from filelock import FileLock, Timeout  # a page of the site, where exercises are checked, too, has it not

    path = Path(path)
    guard = FileLock(path, timeout=patience, mode=0o666, thread_local=False)  # other accounts may wait for it, too
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        guard.acquire()
    except Timeout:
        raise CourseError(
            f"Waited {patience:.0f} s for another process that holds {path}. "
            "If none of your notebooks is running, delete that file."
        ) from None
    except (OSError, RuntimeError):  # not writable, or a file system without locks (filelock then raises the latter)
        pass
    try:
        yield
    finally:
        guard.release()  # nothing to do where it was never held
