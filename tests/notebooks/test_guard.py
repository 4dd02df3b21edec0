"""The guard sees notebooks that fail, did not run, or reach for the network: real nbval runs of tiny notebooks."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks import guard
from tests.notebooks.environment import OFFLINE, ROOT

WORK = "import time; time.sleep(0.7)"  # longer than the guard's least time
NBVAL = ["-p", "nbval.plugin", "--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout=60"]
AT_ONCE = ["-p", "xdist.plugin", "-n", "2", "--dist", "loadscope"]


def write(folder: Path, name: str, *sources: str, skipped: tuple[str, ...] = ()) -> None:
    cells = [new_code_cell(source) for source in sources]
    cells += [new_code_cell(source, metadata={"tags": ["nbval-skip"]}) for source in skipped]
    nbformat.write(new_notebook(cells=cells), folder / f"{name}.ipynb")


def run(folder: Path, *options: str) -> subprocess.CompletedProcess:
    """Pytest with the guard and the plugins of `options` only: the others take a second each time."""
    environment = os.environ | {"PYTHONPATH": f"{OFFLINE}{os.pathsep}{ROOT}", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "tests.notebooks.guard", "-p", "no:cacheprovider", *options]
    command += ["--rootdir", str(folder), str(folder)]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


def test_good_ones_pass_with_their_costs_and_what_nbval_lets_pass_does_not(tmp_path):
    write(tmp_path, "00_first", WORK, "x = bytearray(97 * 2**20)", skipped=("1 / 0",))
    write(tmp_path, "01_second", WORK)
    write(tmp_path, "02_skipped", skipped=(WORK,))
    write(tmp_path, "03_quick", "1")
    done = run(tmp_path, *NBVAL, *AT_ONCE)
    assert "4 passed, 2 skipped" in done.stdout, done.stdout + done.stderr
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    lines = done.stdout.splitlines()
    skipped, quick = (line for line in lines if line.startswith("FAILED"))
    assert skipped == "FAILED: 02_skipped.ipynb ran no cell"
    assert quick.startswith("FAILED: 03_quick.ipynb took 0.")
    rows = {words[0]: words[1:] for line in lines if len(words := line.split()) == 4}
    assert [rows[name][0] for name in ("00_first", "01_second")] == ["2", "1"]
    assert float(rows["00_first"][1]) > 0.7
    assert float(rows["00_first"][2]) > float(rows["01_second"][2]) + 40


BAD = {
    "00_stops": ([WORK, "raise KeyError(3)"], ("KeyError", "FAILED: 00_stops.ipynb ran 1 of its 2 cells to the end")),
    "01_empty": ([], ("FAILED: 01_empty.ipynb ran no cell",)),
    "02_asks_the_web": (["import urllib.request as r; r.urlopen('http://example.org')"], ("getaddrinfo asked for",)),
    "03_dies": (["import os; os._exit(3)"], ("FAILED: 03_dies.ipynb ran no cell",)),
}


def test_a_bad_notebook_fails(tmp_path):
    for name, (sources, _) in BAD.items():
        write(tmp_path, name, *sources)
    # the last of one option counts; a dead kernel takes all, and 5 seconds more
    done = run(tmp_path, *NBVAL, "--nbval-cell-timeout=5", *AT_ONCE)
    assert done.returncode != 0
    assert [words for _, said in BAD.values() for words in said if words not in done.stdout] == []


def test_a_run_without_any_notebook_fails(tmp_path):
    done = run(tmp_path)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "FAILED: no notebook was found" in done.stdout


def test_a_run_with_an_open_network_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "sitecustomize", SimpleNamespace())
    with pytest.raises(pytest.UsageError, match="the network is not blocked"):
        guard.pytest_configure(None)
