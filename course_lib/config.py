"""Settings: what a reader can change without touching code, read from COURSE_* environment variables.

Two are read where they are used: COURSE_PROFILE in course/profile.py, COURSE_BERT in course/session.py.

COURSE_SEED         integer, default 0
COURSE_LANGUAGE     en (default) or ko: the language of the course's own words (read in language.py)
COURSE_DEVICE       auto (default), cpu, cuda, cuda:1, mps
COURSE_CACHE_DIR    where downloaded and computed data are kept (default: the user's cache folder)
COURSE_ANSWERS_DIR  where your answers and networks are kept (default: answers/ in the project)
COURSE_DATA_DIR     a mirror of the public data sets, looked at before any download
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from course_lib.errors import CourseError


@dataclass(frozen=True)
class Settings:
    seed: int
    device: str
    cache_dir: Path
    data_mirror: Path | None


def settings() -> Settings:
    """Read the environment anew at each call, so a change in a notebook takes effect at once."""
    seed = os.environ.get("COURSE_SEED", "0")
    if not seed.isdecimal() or len(seed) > 18:  # PyTorch takes 64 bits
        raise CourseError(f"COURSE_SEED is {seed!r}. Set it to a whole number, 0 or larger, of at most 18 digits.")
    mirror = os.environ.get("COURSE_DATA_DIR")
    if mirror and not os.path.isdir(mirror):
        raise CourseError(f"COURSE_DATA_DIR names {mirror!r}, which is not a folder. Correct it or unset it.")
    return Settings(
        seed=int(seed),
        device=os.environ.get("COURSE_DEVICE", "auto"),
        cache_dir=_cache_dir(),
        data_mirror=Path(mirror).resolve() if mirror else None,
    )


def _cache_dir() -> Path:
    if named := folder_named("COURSE_CACHE_DIR"):
        return named
    try:
        if os.name == "nt":
            base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        else:
            base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    except RuntimeError:
        raise CourseError("This account has no home folder. Set COURSE_CACHE_DIR to a folder of yours.") from None
    return Path(base) / "course-lib"


def folder_named(variable: str) -> Path | None:
    """The folder that a COURSE_* variable names, if it names one. Raises CourseError if no folder can be called so."""
    named = os.environ.get(variable)
    try:
        folder = Path(named).expanduser() if named else None
    except RuntimeError:
        raise CourseError(f"{variable} is {named!r}, and there is no such home folder. Write the whole path.") from None
    if folder and any(len(os.fsencode(part)) > 255 for part in folder.parts):
        raise CourseError(f"{variable} is {named!r:.60}..., longer than a name can be. Choose another folder.")
    return folder


def answers_dir() -> Path:
    """Where the reader's answers and networks are kept."""
    return folder_named("COURSE_ANSWERS_DIR") or project_dir() / "answers"


def n_cores() -> int:
    """Cores this process may use; a container may have fewer than the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
