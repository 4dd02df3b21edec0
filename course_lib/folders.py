"""A folder of files that is replaced as a whole: readers find the old one or the new one, also after `kill -9`."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.files import _sync_folder, lock, write_error

_LITTER = {".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints"}  # left by systems, missed by nobody


def replace_folder(folder: Path, contents: Mapping[str, bytes], *, may_replace: Callable[[Path], set[str]]) -> None:
    """Make `folder` hold exactly `contents` (bytes by file name); of two processes at once one wins, whole.

    `may_replace(folder)` names the files that may go; if anything else lies there, CourseError and nothing changes.
    No file system renames a folder over a full one, so the old folder steps aside under a hidden name first;
    `recover_folder` brings it back if the process ends between the two renames.
    """
    with lock(_sibling(folder, "lock")):
        new = None
        try:
            _recover(folder)
            _refuse_strangers(folder, may_replace)
            folder.parent.mkdir(parents=True, exist_ok=True)
            new = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}.", suffix=".part"))
            for name, content in contents.items():
                with open(new / name, "wb") as file:
                    file.write(content)
                    file.flush()
                    os.fsync(file.fileno())
            os.chmod(new, 0o755)  # mkdtemp makes it private; a checkpoint may be shared
            _sync_folder(new)
            if folder.exists():
                os.rename(folder, _sibling(folder, "old"))
            os.rename(new, folder)
            _sync_folder(folder.parent)
        except OSError as error:
            raise write_error(folder, error) from error
        finally:
            with contextlib.suppress(OSError):
                _recover(folder)


def recover_folder(folder: Path) -> None:
    """Put back what a killed process left under the hidden name; costs nothing when there is nothing to do."""
    if not folder.exists() and _sibling(folder, "old").exists():
        with contextlib.suppress(OSError), lock(_sibling(folder, "lock")):
            _recover(folder)


def _recover(folder: Path) -> None:
    """Inside the lock: the old folder returns if there is no new one; what else a killed process left is removed."""
    old = _sibling(folder, "old")
    if old.exists() and not folder.exists():
        os.rename(old, folder)
    for left in [old, *folder.parent.glob(f".{_literal(folder.name)}.*.part")]:
        shutil.rmtree(left, ignore_errors=True)


def _refuse_strangers(folder: Path, may_replace: Callable[[Path], set[str]]) -> None:
    if folder.exists() and not folder.is_dir():
        raise CourseError(f"{folder} is a file, not a folder. Choose another name.")
    present = {entry.name for entry in folder.iterdir()} - _LITTER if folder.exists() else set()
    if strangers := sorted(present - may_replace(folder) if present else ()):
        raise CourseError(
            f"{folder} holds {strangers[0]!r}{' and more' if len(strangers) > 1 else ''}, which would be lost. "
            "Nothing was written. Choose a new folder, or move that away."
        )


def _sibling(folder: Path, suffix: str) -> Path:
    return folder.with_name(f".{folder.name}.{suffix}")


def _literal(name: str) -> str:
    """`name` as a glob pattern that matches only itself."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in name)
