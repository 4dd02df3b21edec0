"""Where a recorded value comes from: date, device, versions, commit. No machine name, no path."""

from __future__ import annotations

import datetime
import hashlib
import platform
import subprocess

from course_lib.config import project_dir

RECORDS = "data/recorded"


def provenance() -> dict[str, str]:
    """What goes with a value measured now."""
    import torch

    return {
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "device": _device_name(),
        "commit": commit(),
        "code": code_hash(),
        "versions": f"Python {platform.python_version()}, torch {torch.__version__}",
    }


def commit() -> str:
    """The git commit, with "and changes" if files differ from it; "unknown" where there is no git or no commit.

    New records do not count as changes, or the second of two claims recorded in a row would look worse than the first.
    """
    head = _git("rev-parse", "--short=12", "HEAD")
    if not head:
        return "unknown"
    changes = _git("status", "--porcelain", "--", ".", f":(exclude){RECORDS}")
    return f"{head} and changes" if changes or changes is None else head


def code_hash() -> str:
    """Short SHA-256 of the packages' source and the rules: tells what ran also where there is no git."""
    digest = hashlib.sha256()
    root = project_dir()
    for path in [*sorted(root.glob("course*/**/*.py")), root / "data" / "claims.toml"]:
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes().replace(b"\r\n", b"\n"))
    return digest.hexdigest()[:12]


def _git(*arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=project_dir(), capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def _device_name() -> str:
    import torch

    from course_lib.device import choose_device

    device = choose_device()
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{device.type} ({platform.machine()}, {torch.get_num_threads()} threads)"
