"""The guard sees notebooks that fail, did not run, or reach for the network: real nbval runs of tiny notebooks."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from tests.notebooks.environment import OFFLINE, ROOT
from tests.notebooks.guard import MOST_SECONDS, n_cells_to_run

WORK = "import time; time.sleep(0.7)"  # longer than the guard's least time
NBVAL = ["-q", "--nbval-lax", "--nbval-current-env", "--nbval-cell-timeout=5", "-p", "tests.notebooks.guard"]


def write(folder: Path, *sources: str, name: str = "00_tiny", tags: tuple[str, ...] = ()) -> Path:
    cells = [new_code_cell(source, metadata={"tags": list(tags)}) for source in sources]
    path = folder / f"{name}.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def nbval(folder: Path, *options: str, blocked: bool = True) -> subprocess.CompletedProcess:
    path = [str(OFFLINE)] * blocked + [str(ROOT)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path), "JUPYTER_PREFER_ENV_PATH": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        *NBVAL,
        "--rootdir",
        str(folder),
        "-p",
        "no:cacheprovider",
        *options,
        str(folder),
    ]
    return subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True, timeout=120)


def test_a_good_pair_of_notebooks_passes_with_its_costs(tmp_path):
    write(tmp_path, WORK, "x = bytearray(97 * 2**20)", name="00_first")
    write(tmp_path, WORK, name="01_second")
    run = nbval(tmp_path, "-n", "2", "--dist", "loadscope")
    assert run.returncode == 0, run.stdout + run.stderr
    assert "3 passed" in run.stdout
    rows = {words[0]: words[1:] for line in run.stdout.splitlines() if len(words := line.split()) == 4}
    assert rows["00_first"][0] == "2"
    assert rows["01_second"][0] == "1"
    assert float(rows["00_first"][1]) > 0.7
    assert float(rows["00_first"][2]) > float(rows["01_second"][2]) + 40


BAD = {
    "00_raises": (["1 / 0"], "ZeroDivisionError"),
    "01_stops": ([WORK, "raise KeyError(3)"], "FAILED: 01_stops.ipynb ran 1 of its 2 cells to the end"),
    "02_empty": ([], "FAILED: 02_empty.ipynb ran no cell"),
    "03_asks_the_web": (["import urllib.request as r; r.urlopen('http://example.org')"], "getaddrinfo asked for"),
    "04_asks_for_a_name": (["import socket; socket.gethostbyname('example.org')"], "gethostbyname asked for"),
    "05_dies": (["import os; os._exit(3)"], "FAILED: 05_dies.ipynb ran no cell"),
}


@pytest.fixture(scope="module")
def bad_run(tmp_path_factory) -> subprocess.CompletedProcess:
    folder = tmp_path_factory.mktemp("bad")
    for name, (sources, _) in BAD.items():
        write(folder, *sources, name=name)
    return nbval(folder)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_notebook_fails(bad_run, name):
    assert bad_run.returncode != 0
    assert BAD[name][1] in bad_run.stdout


def test_what_nbval_lets_pass_the_guard_does_not(tmp_path):
    write(tmp_path, WORK, name="00_skipped", tags=("nbval-skip",))
    write(tmp_path, "1", name="01_quick")
    run = nbval(tmp_path)
    assert "1 passed, 1 skipped" in run.stdout
    assert run.returncode == pytest.ExitCode.TESTS_FAILED
    assert "FAILED: 00_skipped.ipynb ran no cell" in run.stdout
    assert "FAILED: 01_quick.ipynb took 0.0" in run.stdout


def test_a_run_without_any_notebook_fails(tmp_path):
    run = nbval(tmp_path)
    assert run.returncode != 0
    assert "FAILED: no notebook was found" in run.stdout


def test_a_run_with_an_open_network_is_refused(tmp_path):
    write(tmp_path, WORK)
    run = nbval(tmp_path, blocked=False)
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert "the network is not blocked" in run.stderr


def test_skipped_cells_are_not_expected(tmp_path):
    path = write(tmp_path, "1", "2", "3")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[1].metadata["tags"] = ["nbval-skip", "skip-execution"]
    nbformat.write(notebook, path)
    assert n_cells_to_run(path) == 2


def test_the_transformer_and_bert_may_take_longer():
    assert [MOST_SECONDS[name[:2]] for name in ("05_ulmfit", "06_transformer", "07_bert", "A1_data")] == [
        60,
        90,
        90,
        60,
    ]
