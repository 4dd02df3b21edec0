"""Settings: what a reader can change without touching code, by COURSE_* environment variables.

Those of the course stand in course/settings.py.

COURSE_LANGUAGE     en (default) or ko: the language of the course's own words (read in language.py)
COURSE_DEVICE       auto (default), cpu, cuda, cuda:1, mps
COURSE_CACHE_DIR    where downloaded and computed data are kept (default: the user's cache folder)
COURSE_DATA_DIR     a mirror of the public data sets, looked at before any download
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from course_lib.errors import CourseError


@dataclass(frozen=True)
class Settings:
    device: str
    cache_dir: Path
    data_mirror: Path | None


def settings() -> Settings:
    """Read the environment anew at each call, so a change in a notebook takes effect at once."""
    mirror = os.environ.get("COURSE_DATA_DIR")
    if mirror and not os.path.isdir(mirror):
        raise CourseError(f"COURSE_DATA_DIR names {mirror!r}, which is not a folder. Correct it or unset it.")
    return Settings(
        device=os.environ.get("COURSE_DEVICE", "auto"),
        cache_dir=_cache_dir(),
        data_mirror=Path(mirror).resolve() if mirror else None,
    )


def _cache_dir() -> Path:
    if named := folder_named("COURSE_CACHE_DIR"):
        return named
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "course-lib"


def folder_named(variable: str) -> Path | None:
    """The folder that a COURSE_* variable names, if it names one. Raises CourseError if no folder can be called so."""
    named = os.environ.get(variable)
    try:
        return Path(named).expanduser() if named else None
    except RuntimeError:
        raise CourseError(f"{variable} is {named!r}, and there is no such home folder. Write the whole path.") from None


def project_dir() -> Path:
    """The folder that holds `course_lib/`, `data/` and `notebooks/` (the package is installed editable)."""
    return Path(__file__).resolve().parent.parent


def data_dir(*parts: str) -> Path:
    """A file or folder under the project's `data/`. Raises CourseError if the project's data are not there."""
    root = project_dir() / "data"
    if not root.is_dir():
        raise CourseError(
            f"The course's data folder is missing: looked beside the package, in {root}. "
            "Install the project from a clone (`make lab`, or `pip install -e .` there), not as a copied package."
        )
    return root.joinpath(*parts)
