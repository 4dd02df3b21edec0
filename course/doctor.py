"""`course doctor`: is everything here that the notebooks need, and if not, what to do."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from course.settings import profile, seed
from course_lib.config import data_dir, project_dir, settings
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import key, t

PYTHONS = ((3, 11), (3, 14))  # oldest and newest
OLDEST_TORCH = (2, 6)
MEMORY_GB, DISK_GB = 2.0, 1.0  # what one notebook may need; caches and checkpoints of one's own
LAB_EXTENSIONS = ("@jupyter-widgets/jupyterlab-manager", "anywidget")
INSTALL = key("Run `make lab` again, or `pip install -e .` in the course's folder.")


@dataclass(frozen=True)
class Finding:
    name: str
    found: str
    remedy: str | None  # None: nothing to do


Found = tuple[str, str | None]  # what a check found, and what to do about it; None: nothing


def check_python() -> Found:
    found = ".".join(map(str, sys.version_info[:3]))
    if PYTHONS[0] <= tuple(sys.version_info[:2]) <= PYTHONS[1]:
        return found, None
    oldest, newest = (".".join(map(str, version)) for version in PYTHONS)
    says = key("Install Python {oldest} to {newest}, delete the folder .venv and run `make lab` again.")
    return found, t(says, oldest=oldest, newest=newest)


def check_settings() -> Found:
    chosen = t("{profile} profile", profile=t(f"profile|{profile()}"))
    return f"{chosen}, {t('seed {seed}', seed=seed())}", None


def check_torch() -> Found:
    import torch

    if tuple(int(part) for part in torch.__version__.split(".")[:2]) < OLDEST_TORCH:
        oldest = ".".join(map(str, OLDEST_TORCH))
        return torch.__version__, f"{t('PyTorch {oldest} or newer is needed.', oldest=oldest)} {t(INSTALL)}"
    from course_lib.device import choose_device

    return t("{version}, computes on {device}", version=torch.__version__, device=choose_device()), None


def check_memory() -> Found:
    says = key("A notebook may need {n} GB. Close other programs and notebooks you do not use.")
    return _room(free_memory(), MEMORY_GB, says)


def check_fonts() -> Found:
    from course.figures import use_course_style

    use_course_style()
    if (font := font_with("배")) is None:
        return t("no font with Hangul"), f"{t('Korean words would be boxes in figures.')} {t(INSTALL)}"
    return t("Hangul from {font}", font=font), None


def check_lab() -> Found:
    version = importlib.metadata.version("jupyterlab")
    if int(version.split(".")[0]) < 4:
        return version, f"{t('JupyterLab 4 or newer is needed.')} {t(INSTALL)}"
    import ipykernel  # noqa: F401 (without it Lab starts, but no notebook runs)

    return version, None


def check_widgets() -> Found:
    versions = [f"{name} {importlib.metadata.version(name)}" for name in ("ipywidgets", "anywidget")]
    if missing := [name for name in LAB_EXTENSIONS if not has_lab_extension(name)]:
        found = t("JupyterLab does not have {names}", names=", ".join(missing))
        return found, f"{t('Widgets would stay empty.')} {t(INSTALL)}"
    return ", ".join(versions), None


def check_data() -> Found:
    return str(data_dir()), None


def check_checkpoints() -> Found:
    from course_lib.models.shipped import SUMS, shipped_names, sums

    folder = data_dir("checkpoints")
    listed = (folder / SUMS).read_text(encoding="utf-8") if (folder / SUMS).exists() else ""
    here, listed = {*sums(folder).splitlines()}, {*listed.splitlines()}
    if changed := sorted({line.split()[-1] for line in here ^ listed}):
        return t("changed: {names}", names=", ".join(changed)), t("Get these files again (git checkout data).")
    return t("{n} as they were shipped", n=len(shipped_names())), None


def check_cache() -> Found:
    return _writable(settings().cache_dir, t("Set COURSE_CACHE_DIR to a folder of your own."))


def check_notebooks() -> Found:
    remedy = t("Copy the course to a folder of your own, else no work can be saved.")
    return _writable(project_dir() / "notebooks", remedy)


def check_disk() -> Found:
    folder = settings().cache_dir
    there = next(path for path in (folder, *folder.parents) if path.exists())
    says = key("Make room: {n} GB is enough. Or set COURSE_CACHE_DIR to a folder on another disk.")
    return _room(shutil.disk_usage(there).free, DISK_GB, says)


CHECKS: dict[str, Callable[[], Found]] = {
    "Python": check_python,
    key("settings"): check_settings,
    "PyTorch": check_torch,
    key("memory"): check_memory,
    key("fonts"): check_fonts,
    "JupyterLab": check_lab,
    key("widgets"): check_widgets,
    key("course data"): check_data,
    key("checkpoints"): check_checkpoints,
    key("cache folder"): check_cache,
    key("notebook folder"): check_notebooks,
    key("disk"): check_disk,
}


def diagnose() -> list[Finding]:
    """Run all checks. One that breaks is a finding like any other: the doctor always comes to an end."""
    findings = []
    for english, check in CHECKS.items():
        name = t(english)
        try:
            findings.append(Finding(name, *check()))
        except CourseError as error:
            findings.append(Finding(name, t("not as it should be"), str(error)))
        except ImportError as error:  # importlib.metadata's PackageNotFoundError is one too
            findings.append(Finding(name, t("missing: {name}", name=error.name or error), t(INSTALL)))
        except Exception as error:  # a broken driver, a damaged font file: anything may happen on someone's machine
            findings.append(Finding(name, f"{type(error).__name__}: {error}", t(INSTALL)))
    return findings


def free_memory() -> int:
    """Bytes a new program can have, also inside a container with a limit."""
    import psutil

    free = psutil.virtual_memory().available
    limits = (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current"))
    try:
        limit, used = (int(path.read_text()) for path in limits)
    except (OSError, ValueError):  # not in a container, or "max": no limit
        return free
    return min(free, limit - used)


def font_with(character: str) -> str | None:
    """The first of matplotlib's current fonts that can draw `character`."""
    import matplotlib
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    for family in matplotlib.rcParams["font.family"]:
        try:
            path = font_manager.findfont(family, fallback_to_default=False)
        except ValueError:
            continue
        if FT2Font(path).get_char_index(ord(character)):
            return family
    return None


def has_lab_extension(name: str) -> bool:
    from jupyter_core.paths import jupyter_path

    return any(Path(folder, name, "package.json").is_file() for folder in jupyter_path("labextensions"))


def _room(free: int, needed: float, says: str) -> Found:
    """free: bytes; needed: gigabytes."""
    return t("{n} GB free", n=f"{free / 1e9:.1f}"), t(says, n=f"{needed:.0f}") if free / 1e9 < needed else None


def _writable(folder: Path, remedy: str) -> Found:
    probe = folder / f".course-doctor-{os.getpid()}"
    try:
        with atomic_file(probe) as file:
            file.write(b"may I?")
    except CourseError:
        return t("cannot write to {folder}", folder=folder), remedy
    probe.unlink()
    return str(folder), None
