"""The reader's answers, kept outside the notebooks so that an update of the course cannot overwrite them.

One JSON file per exercise (`1.2.json`: every version tried, with its result) and per chapter of recall questions
(`recall-1.json`), and one of the hints looked at (`hints.json`), in `answers/` beside the course, which git ignores;
COURSE_ANSWERS_DIR names another folder.
A write is whole or does not happen; several kernels may write at once; a damaged file is set aside, never overwritten.
A file that would grow too large loses its oldest versions: two hundred of the longest that are kept fit in.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course.settings import answers_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file, lock
from course_lib.language import key, t

_FORMAT = 1
MOST_BYTES = 20_000_000  # of a file; a larger one was not written here
_PATIENCE = 5.0  # seconds to wait for another kernel before going on without keeping the answer


def folder() -> Path:
    return answers_dir()


def read(name: str, is_item: Callable[[Any], bool]) -> tuple[list, str]:
    """The items kept under `name`, and a note that is empty if all is well. Changes nothing."""
    path = folder() / f"{name}.json"
    try:
        return _load(path, is_item), ""
    except FileNotFoundError:
        return [], ""
    except (OSError, ValueError) as error:
        return [], f"{path.name} in {folder().name}/ cannot be read ({error}). It is left as it is; mend or delete it."


def update(name: str, is_item: Callable[[Any], bool], change: Callable[[list], list]) -> str:
    """Replace the items under `name` by change(items); returns a note, empty if all went well. Never raises.

    A damaged file is renamed first, so its content stays and new items have a place.
    """
    note = ""
    try:
        path = folder() / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        with lock(path.parent / f".{path.name}.lock", patience=_PATIENCE):
            try:
                items = _load(path, is_item)
            except FileNotFoundError:
                items = []
            except ValueError as error:
                items, aside = [], _free_name(path)
                os.replace(path, aside)
                note = f"{path.name} could not be read ({error}). It was kept as {aside.name}; a new file was begun."
            changed = change(list(items))
            if changed != items:
                if len(_content(changed[-1:])) > MOST_BYTES:
                    raise CourseError(t("it is too large"))
                while len(content := _content(changed)) > MOST_BYTES:
                    changed = changed[1:]
                with atomic_file(path) as file:
                    file.write(content)
    except (CourseError, OSError, ValueError, TypeError, RecursionError) as error:  # half a letter; no JSON; too deep
        first = str(error).split(". ")[0].rstrip(".")
        reason = error.strerror or type(error).__name__ if isinstance(error, OSError) else first
        says = key("This was not kept: {reason}. Everything else works; COURSE_ANSWERS_DIR may name a folder of yours.")
        return t(says, reason=reason)
    return note


def names() -> list[str]:
    """What is kept, damaged files set aside not counted."""
    ours = (path for path in folder().glob("[!.]*.json") if path.name.isprintable())
    return sorted(path.stem for path in ours if ".damaged" not in path.name)


def _content(items: list) -> bytes:
    return json.dumps({"format": _FORMAT, "items": items}, ensure_ascii=False, indent=1).encode()


def _load(path: Path, is_item: Callable[[Any], bool]) -> list:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):  # a pipe would be waited for, a device has no end
        raise ValueError("not a file")
    if found.st_size > MOST_BYTES:
        raise ValueError("too large")
    return items_of(path.read_bytes(), is_item)


def items_of(raw: bytes, is_item: Callable[[Any], bool]) -> list:
    """The items in the bytes of a file. Raises ValueError with a reason if they are not ours."""
    try:
        content = json.loads(raw.decode("utf-8-sig"))  # an editor may have put a mark before it
        if b"\\u" in raw:  # escaped halves of letters can be read, and then neither shown nor written
            json.dumps(content, ensure_ascii=False).encode()
    except (UnicodeError, json.JSONDecodeError, RecursionError):
        raise ValueError(key("not the JSON that was written")) from None
    if not isinstance(content, dict) or not isinstance(content.get("items"), list):
        raise ValueError(key("not a file of answers"))
    if content.get("format") != _FORMAT:
        raise ValueError(f"format {content.get('format')!r:.60}, and this course knows {_FORMAT}")
    if not all(map(is_item, content["items"])):
        raise ValueError(key("an item is incomplete"))
    return content["items"]


def _free_name(path: Path) -> Path:
    numbered = (path.with_name(f"{path.stem}.damaged{n}.json") for n in range(1, 10_000))
    return next(candidate for candidate in numbered if not candidate.exists())
