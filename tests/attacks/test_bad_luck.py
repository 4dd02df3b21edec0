"""Machines with bad luck: the lighter commands work there as elsewhere, and without a traceback."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib.config import project_dir
from tests.attacks.commands import END
from tests.attacks.law import contents

pytestmark = pytest.mark.slow

TEXTS = "A wonderful film, moving and funny!\nboring, badly acted\n배\n"
SCRIPT = Path(__file__).with_name("commands.py")
OWN = ("COURSE_CACHE_DIR", "COURSE_DATA_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR", "PYTHONUTF8")


def run(folder: Path, *, project: Path | None = None, **environment: str):
    """(what is the same everywhere, the rest) of what the commands print. A traceback or a crash fails the test."""
    folder.mkdir()
    (folder / "글 texts.txt").write_text(TEXTS, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name not in OWN}
    project = project or project_dir()
    kept |= {"PYTHONPATH": str(project), "OMP_NUM_THREADS": "1", "MPLBACKEND": "agg", **environment}
    command = [sys.executable, str(SCRIPT), str(folder / "글 texts.txt")]
    done = subprocess.run(command, env=kept, capture_output=True, timeout=300, cwd=project)
    out, err = (said.decode("utf-8", "surrogateescape") for said in (done.stdout, done.stderr))
    assert "Traceback" not in err, err[-3_000:]
    assert (done.returncode, out.splitlines()[-1]) == (0, "done"), err[-3_000:]
    first, _, rest = out.partition(END)
    return [line for line in first.splitlines() if "labels.txt" not in line and "lecture_01.ipynb." not in line], rest


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    lines, _ = run(tmp_path_factory.mktemp("quiet") / "w")
    assert lines.count("exit 0") == 4
    assert "pos" in lines
    return lines


LUCK = {  # what the machine is like, what the output below the line END says of it
    "letters are ASCII only": ({"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, ""),
    # not by their rights, which would not stop a test that runs as root: they lie below a file
    "home cannot be written": (dict.fromkeys(("HOME", "TMPDIR", "TEMP"), f"{SCRIPT}/x"), "cannot write to"),
}


@pytest.mark.parametrize("luck", LUCK)
def test_bad_luck(tmp_path, expected, luck):
    machine, says = LUCK[luck]
    lines, rest = run(tmp_path / "빈 w", **machine)
    assert lines == expected
    assert says in rest


def test_a_copy_in_a_path_with_spaces_and_hangul(tmp_path, expected):
    """It reads its own data, with the times of its files in the future, and leaves all of it as it was."""
    copy = tmp_path / "내 강의 (2) & co"
    for name in ("course_lib", "data", "notebooks"):
        shutil.copytree(project_dir() / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.toml"):
        os.utime(path, (2**32, 2**32))
    before = contents(copy)
    lines, rest = run(tmp_path / "w", project=copy, PYTHONDONTWRITEBYTECODE="1")
    assert lines == expected
    assert str(copy / "data") in rest
    assert contents(copy) == before
