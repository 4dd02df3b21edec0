"""Reading a file of `data/recorded`: there or not, of this format or another, whole or damaged."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from course_lib.errors import CourseError

T = TypeVar("T")


def read_recorded(path: Path, version: int, command: str, build: Callable[[dict], T]) -> T | None:
    """What `build` makes of the document, which has lost its "format"; None if there is no file.

    Raises CourseError for another format, and where the file cannot be read or `build` cannot use it: `command`
    records it again.
    """
    if not path.exists():
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        found = document.pop("format")
        if found != version:
            raise CourseError(f"{path} has format {found}, this version reads {version}. Update the course.")
        return build(document)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(
            f"{path} is damaged ({type(error).__name__}: {error}). "
            f"Restore it with git, or delete it and record it again: {command}"
        ) from None
