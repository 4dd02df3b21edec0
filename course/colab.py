"""Google Colab: install what the course lacks there, and keep what is there, its PyTorch above all.

Colab's PyTorch fits its GPU; another one would cost minutes and gigabytes, and might not. The first cell of a chapter
on Colab (docs/classroom.md) calls `install`. At home nothing is missing, so the same cell does nothing.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from course_lib.config import project_dir
from course_lib.errors import CourseError

OWN = {"jupyterlab", "ipykernel"}  # Colab has a page and a kernel of its own, which theirs would disturb
NEVER_REPLACED = "torch"


def install() -> None:
    """Install the requirements of pyproject.toml that are missing or too old, and nothing else; say so in one line.

    What fits stays at its version: pip gets it as a constraint, so it stops where it would have to replace PyTorch.
    BertViz comes without what it brings, as with make. Raises CourseError: PyTorch is too old, or pip fails.
    """
    project = tomllib.loads((project_dir() / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = project["dependencies"], project["optional-dependencies"]["bertviz"]
    (there, wanted), (_, alone) = (sort_out([Requirement(text) for text in texts]) for texts in lists)
    if not wanted and not alone:
        print(f"All the course needs is here, PyTorch {there[NEVER_REPLACED]} too: nothing was installed.")
        return
    loaded = [requirement.name for requirement in wanted if requirement.name in sys.modules]  # an old version
    with tempfile.TemporaryDirectory() as scratch:
        constraints = Path(scratch, "constraints.txt")
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in there.items()), encoding="utf-8")
        _pip(wanted, "-c", str(constraints))
        _pip(alone, "--no-deps")
    importlib.invalidate_caches()
    print(f"Installed: {_names(wanted + alone)}. Kept: PyTorch {there.get(NEVER_REPLACED, '(none was here)')}.")
    if loaded:
        print(f"An older {', '.join(loaded)} is loaded: choose Runtime > Restart session, then run this cell again.")


def sort_out(requirements: list[Requirement]) -> tuple[dict[str, str], list[Requirement]]:
    """What is installed and fits (name -> version), and what is to be installed."""
    there, wanted = {}, []
    for requirement in requirements:
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            version = None
        if version is not None and requirement.specifier.contains(version, prereleases=True):
            there[requirement.name] = version
        elif version is not None and requirement.name == NEVER_REPLACED:
            raise CourseError(
                f"PyTorch {version} is installed here, and the course needs {requirement.specifier}. It was not "
                "replaced. On Colab choose the latest runtime version; elsewhere update PyTorch yourself."
            )
        elif requirement.name not in OWN:
            wanted.append(requirement)
    return there, wanted


def _pip(wanted: list[Requirement], *how: str) -> None:
    if not wanted:
        return
    command = [sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", *how, *map(str, wanted)]
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        fault = (ended.stderr.strip().splitlines() or [f"code {ended.returncode}"])[-1]
        raise CourseError(
            f"pip could not install {_names(wanted)} beside what is here, and replaced nothing that fits: {fault} "
            "Check the network, or restart with a fresh runtime, and run this cell again."
        )


def _names(requirements: list[Requirement]) -> str:
    return ", ".join(requirement.name for requirement in requirements)
