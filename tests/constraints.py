"""Print constraints.txt anew from this environment: `python -m tests.constraints > constraints.txt` (Python 3.11).

Only what pyproject.toml needs, directly or not: a package someone installed besides does not enter. A build's local
mark ("+cpu") is dropped, so that a pin names the release and each platform takes its own file of it.
"""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

HEADER = "# Made by `python -m tests.constraints`: the versions the course is tested with on Python 3.11."
ALONE = ("bertviz",)  # installed without what it names: the course needs none of that
BUILT_FOR_GPUS = ("nvidia", "cuda", "triton")  # PyTorch names them itself


def pins(requirements: list[str]) -> dict[str, str]:
    """Version by name, for `requirements` and all they need here."""
    found, done, todo = {}, set(), [Requirement(text) for text in requirements]
    while todo:
        requirement = todo.pop()
        if (key := str(requirement)) in done:
            continue
        done.add(key)
        try:
            package = importlib.metadata.distribution(requirement.name)
        except importlib.metadata.PackageNotFoundError as error:
            raise SystemExit(f"{requirement.name} is not installed here: run `make test` first.") from error
        name = package.metadata["Name"]
        if not name.startswith(BUILT_FOR_GPUS):
            found[name] = package.version.split("+")[0]
        extras = requirement.extras or {""}
        needs = [Requirement(text) for text in package.requires or []]
        todo += [r for r in needs if r.marker is None or any(r.marker.evaluate({"extra": e}) for e in extras)]
    return found


if __name__ == "__main__":
    pyproject = Path(__file__).resolve().parents[1] / "pyproject.toml"
    project = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    found = pins(project["dependencies"] + project["optional-dependencies"]["test"])
    found |= {name: importlib.metadata.version(name) for name in ALONE}
    print("\n".join([HEADER, *(f"{name}=={found[name]}" for name in sorted(found, key=str.lower))]))
