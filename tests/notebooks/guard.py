"""A pytest plugin for the notebook run of `make test` (`-p tests.notebooks.guard`).

nbval is green when a notebook has no cell, or when none was collected. This guard fails the run unless every notebook
under the paths asked for ran all its cells without network, and prints what each one cost. Time and memory over the
limit are a loud warning, not a failure: they depend on what else the machine does.
"""

from __future__ import annotations

import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import nbformat
import pytest

from tests.notebooks.environment import named, notebook_environment

LEAST_SECONDS = 0.5  # a chapter imports torch: faster than this, it did nothing
MOST_SECONDS = defaultdict(lambda: 60, {"06": 90, "07": 90})  # by the first letters of the file name
MOST_MB = 2000
STATS = "COURSE_KERNEL_STATS"  # read by tests/offline/sitecustomize.py


@dataclass
class Run:
    passed: int = 0
    cell_seconds: float = 0.0  # in cells alone
    seconds: float = 0.0  # with the kernel's start and stop


def pytest_configure(config: pytest.Config) -> None:
    if not getattr(sys.modules.get("sitecustomize"), "NETWORK_BLOCKED", False):
        raise pytest.UsageError("the network is not blocked: put the folder tests/offline first on PYTHONPATH")
    if not hasattr(config, "workerinput"):  # with xdist: the process that gets all reports
        config.pluginmanager.register(Guard(config), "notebook-guard")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The appendices first: A2 trains, and would run alone at the end."""
    items.sort(key=lambda item: not item.path.name.startswith("A"))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    os.environ["COURSE_NOTEBOOK"] = named(item.path)  # the kernel, started a moment later, notes whose it is


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None or nextitem.path != item.path:
        time.sleep(0.3)  # nbval kills the kernel next: let it note its costs once more


class Guard:
    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.runs: dict[Path, Run] = defaultdict(Run)
        self.faults: list[str] = []
        self.scratch = Path(tempfile.mkdtemp(prefix="notebook-run-"))
        environment = notebook_environment(self.scratch) | {STATS: str(self.scratch)}
        os.environ.clear()
        os.environ.update(environment)  # before xdist starts its workers

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        run = self.runs[self.config.rootpath / report.nodeid.split("::")[0]]
        run.seconds += report.duration
        if report.when == "call":
            run.cell_seconds += report.duration
            run.passed += report.passed and not hasattr(report, "wasxfail")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        notebooks = self.notebooks()
        self.faults = [] if notebooks else ["no notebook was found"]
        for path in notebooks:
            self.faults += self.faults_of(path)
        if self.faults and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        write = terminalreporter.write_line
        terminalreporter.section("notebooks")
        peaks, warnings = self.peaks(), []
        write(f"{'notebook':<32} {'cells':>5} {'seconds':>8} {'peak MB':>8}")
        for path in self.notebooks():
            run, peak, limit = self.runs[path], peaks.get(named(path), math.nan), MOST_SECONDS[path.name[:2]]
            write(f"{named(path):<32} {run.passed:>5} {run.seconds:>8.1f} {peak:>8.0f}")
            if run.seconds > limit:
                warnings.append(f"{path.name} took {run.seconds:.0f} s, more than {limit} s")
            if peak > MOST_MB:
                warnings.append(f"{path.name} needed {peak:.0f} MB, more than {MOST_MB} MB")
        for warning in warnings:
            write(f"WARNING: {warning} (is the machine busy? run it alone)", yellow=True, bold=True)
        for fault in self.faults:
            write(f"FAILED: {fault}", red=True, bold=True)
        shutil.rmtree(self.scratch, ignore_errors=True)

    def notebooks(self) -> list[Path]:
        """Every notebook under the paths of the command line; a path to one cell (`::`) asks for no whole notebook."""
        found: set[Path] = set()
        for argument in self.config.args:
            path = self.config.invocation_params.dir / argument
            found |= set(path.rglob("*.ipynb")) if path.is_dir() else {path} if path.suffix == ".ipynb" else set()
        return sorted(path for path in found if ".ipynb_checkpoints" not in path.parts)

    def faults_of(self, path: Path) -> list[str]:
        run, expected = self.runs[path], n_cells_to_run(path)
        if run.passed == 0:
            return [f"{path.name} ran no cell"]
        if run.passed < expected:
            return [f"{path.name} ran {run.passed} of its {expected} cells to the end"]
        if run.cell_seconds < LEAST_SECONDS:
            return [f"{path.name} took {run.cell_seconds:.2f} s: it cannot have done its work"]
        return []

    def peaks(self) -> dict[str, float]:
        """Highest peak of any kernel of a notebook, in MB."""
        peaks: dict[str, float] = {}
        for file in self.scratch.glob("*.json"):
            costs = json.loads(file.read_text())
            peaks[costs["notebook"]] = max(costs["peak_mb"], peaks.get(costs["notebook"], 0.0))
        return peaks


def n_cells_to_run(path: Path) -> int:
    cells = nbformat.read(path, as_version=4).cells
    return sum(cell.cell_type == "code" and "nbval-skip" not in cell.metadata.get("tags", []) for cell in cells)
