"""Run All of every chapter in a real JupyterLab: `python -m tests.notebooks.walk [NAME ...]`, pictures in build/walk/.

Fails on a cell error, a widget that does not draw, an error of the page, or a request that would leave this machine.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.notebooks.environment import ROOT
from tests.notebooks.lab import Lab, find_browser
from tests.notebooks.rules import RAISES

WIDGET_FAULT = re.compile(r"Error displaying widget|Loading widget|Failed to load model|model not found|\[anywidget\]")
HIGHEST_PAGE = 16_000  # pixels


def walk(notebook: Path, pictures: Path) -> list[str]:
    """Run one notebook, leave a PNG of each output in `pictures`; returns what went wrong."""
    with Lab(notebook) as lab:
        lab.run_all()
        faults = [
            f"cell {cell['number']}: {cell['error']}"
            for cell in lab.cells()
            if cell["error"] and not RAISES & set(cell["tags"])
        ]
        faults += take_pictures(lab, pictures)
        faults += [f"error of the page: {error}" for error in lab.page_errors]
        return faults + [f"asked the network for {address}" for address in sorted(set(lab.blocked))]


def take_pictures(lab: Lab, folder: Path) -> list[str]:
    """One picture per output area, none cut by a scroll bar; returns the widgets that did not draw."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    height = lab.page.evaluate("() => document.querySelector('.jp-Notebook .jp-WindowedPanel-outer').scrollHeight")
    lab.page.set_viewport_size({"width": lab.width, "height": min(int(height) + 300, HIGHEST_PAGE)})
    lab.page.wait_for_timeout(500)
    faults = []
    for number, cell in enumerate(lab.page.locator(".jp-Notebook .jp-Cell").all(), start=1):
        area = cell.locator(".jp-Cell-outputArea").first
        if area.count() == 0 or not (box := area.bounding_box()) or box["height"] < 4:
            continue
        area.screenshot(path=folder / f"cell-{number:03}.png")
        if fault := WIDGET_FAULT.search(area.inner_text()):
            faults.append(f"cell {number}: {fault.group()}")
    return faults


def main(names: Sequence[str]) -> int:
    if find_browser() is None:
        raise SystemExit("No Chromium or Chrome was found: install one (on Debian: apt-get install chromium).")
    notebooks = [ROOT / "notebooks" / f"{name}.ipynb" for name in names] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    if missing := [path.name for path in notebooks if not path.exists()] or not notebooks:
        raise SystemExit(f"No such notebook: {missing}" if notebooks else "There is no notebook to walk through.")
    n_faults = 0
    for notebook in notebooks:
        name = notebook.relative_to(ROOT / "notebooks").with_suffix("")
        start = time.monotonic()
        faults = walk(notebook, ROOT / "build" / "walk" / name)
        print(f"{name}: {time.monotonic() - start:.0f} s, {len(faults)} faults", *faults, sep="\n  ", flush=True)
        n_faults += len(faults)
    return int(n_faults > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
