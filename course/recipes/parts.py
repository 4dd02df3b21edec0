"""The state of a training in files small enough to travel between machines, and back, byte for byte.

NAME.parts/manifest.json    step, and of every file its size, SHA-256 and number of parts
NAME.parts/FILE.000 ...     its bytes, at most 16 MiB each
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from course_lib.checkpoints import CONFIG
from course_lib.errors import CourseError
from course_lib.files import recover_folder, replace_folder

MANIFEST = "manifest.json"
PART_BYTES = 16 << 20
REMEDY = "Bring the folder over again, or delete it to go without."


def split(folder: Path, target: Path, size: int = PART_BYTES) -> None:
    """Write the files of `folder` (a state as `fit` keeps it) into `target` in parts; what was there is replaced."""
    files, contents = {}, {}
    for path in sorted(folder.iterdir()):
        content = path.read_bytes()
        cut = [content[at : at + size] for at in range(0, len(content), size)] or [b""]
        files[path.name] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), "parts": len(cut)}
        contents |= {f"{path.name}.{number:03d}": part for number, part in enumerate(cut)}
    manifest = {"step": _step(folder), "files": files}
    contents[MANIFEST] = (json.dumps(manifest, indent=1) + "\n").encode()
    replace_folder(target, contents, may_replace=_own_names)


def join(source: Path, folder: Path) -> None:
    """Make `folder` from the parts in `source`, if there are any and they are further than what `folder` holds.

    Raises CourseError for parts that are missing or damaged; nothing is changed then.
    """
    recover_folder(source)
    if not (source / MANIFEST).exists():
        return
    manifest = _manifest(source)
    recover_folder(folder)
    if (folder / CONFIG).exists() and _step(folder) >= manifest["step"]:
        return
    contents = {}
    for name, expected in manifest["files"].items():
        try:
            content = b"".join((source / part).read_bytes() for part in _parts(name, expected))
        except OSError as error:
            raise CourseError(f"{error.filename} cannot be read: {error.strerror}. {REMEDY}") from error
        if hashlib.sha256(content).hexdigest() != expected["sha256"]:
            raise CourseError(f"The parts of {name} in {source} are damaged: the checksum differs. {REMEDY}")
        contents[name] = content
    replace_folder(folder, contents, may_replace=lambda old: {path.name for path in old.iterdir()})


def _manifest(source: Path) -> dict:
    try:
        manifest = json.loads((source / MANIFEST).read_text(encoding="utf-8"))
        names = [*manifest["files"], *(part for item in manifest["files"].items() for part in _parts(*item))]
        if any(Path(name).name != name for name in names) or not isinstance(manifest["step"], int):
            raise ValueError("a name leads out of the folder, or the step is no number")
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise CourseError(f"{source / MANIFEST} is not a list of parts: {error!r}. {REMEDY}") from error
    return manifest


def _parts(name: str, expected: dict) -> list[str]:
    return [f"{name}.{number:03d}" for number in range(expected["parts"])]


def _own_names(target: Path) -> set[str]:
    if not (target / MANIFEST).exists():
        return set()
    return {MANIFEST, *(part for item in _manifest(target)["files"].items() for part in _parts(*item))}


def _step(folder: Path) -> int:
    try:
        return json.loads((folder / CONFIG).read_text(encoding="utf-8"))["config"]["step"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CourseError(f"{folder} is not the state of a training: {error!r}. Delete it to start anew.") from error
