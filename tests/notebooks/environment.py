"""The environment in which the course's notebooks are built and tested: the same everywhere, whoever runs it."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OFFLINE = ROOT / "tests" / "offline"  # its sitecustomize.py blocks the network
_PERSONAL = ("COURSE_PROFILE", "COURSE_SEED", "COURSE_DATA_DIR", "MPLBACKEND", "PYTHONSTARTUP")


def notebook_environment(scratch: Path) -> dict[str, str]:
    """os.environ for a notebook kernel: default settings, CPU, one thread, no network, a fresh cache, no answers.

    `scratch` is a temporary folder. Nothing of a person's (settings, cache, answers, IPython profile) comes in.
    """
    kept = {name: value for name, value in os.environ.items() if name not in _PERSONAL}
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != str(OFFLINE)]
    return kept | {
        "PYTHONPATH": os.pathsep.join([str(OFFLINE), *paths]),
        "IPYTHONDIR": str(scratch / "ipython"),
        "COURSE_CACHE_DIR": str(scratch / "cache"),
        "COURSE_ANSWERS_DIR": str(scratch / "answers"),
        "COURSE_DEVICE": "cpu",
        "OMP_NUM_THREADS": "1",  # two notebooks at a time on two cores
        "JUPYTER_PREFER_ENV_PATH": "1",  # this environment's kernel, not a "python3" of the user's
    }


def named(path: Path) -> str:
    """04_elmo, and ko/04_elmo for the Korean one."""
    return f"ko/{path.stem}" if path.parent.name == "ko" else path.stem
