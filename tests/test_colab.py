"""Colab's first cell: PyTorch stays, only what is missing is asked for, and at home nothing happens. No pip runs."""

import importlib.metadata
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from course import colab, settings
from course_lib import config
from course_lib.errors import CourseError

HANDBOOK = config.project_dir() / "docs" / "classroom.md"

# What stands on such a machine: PyTorch of its own build, old widgets, a kernel older than ours, no anywidget.
LIKE_COLAB = dict(
    pin.split("==")
    for pin in """torch==2.8.0+cu126 numpy==2.0.2 safetensors==0.6.2 tokenizers==0.21.4 accelerate==1.10.1
    huggingface_hub==0.35.0 scikit-learn==1.6.1 pooch==1.8.2 filelock==3.20.0 tqdm==4.67.1 typer==0.16.0 rich==13.9.4
    matplotlib==3.10.0 ipywidgets==7.7.1 ipykernel==6.17.1""".split()  # noqa: SIM905 (a list of versions to read)
)


@pytest.fixture
def installed(monkeypatch):
    """The versions that are "installed"; a test may change them."""
    versions = dict(LIKE_COLAB)

    def version(name):
        if name not in versions:
            raise importlib.metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(colab.importlib.metadata, "version", version)
    # not loaded yet, as in a kernel that has just started
    for name in ("ipywidgets", "anywidget", "jaxtyping", "latex2mathml"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return versions


@pytest.fixture
def pip(monkeypatch):
    """A pip that only writes down what it was asked: (packages, constraints). `pip.code` is its exit code."""
    asked = types.SimpleNamespace(calls=[], alone=[], code=0, stderr="")

    def run(command, **_):
        assert command[:4] == [sys.executable, "-m", "pip", "install"]
        assert not {"-U", "--upgrade", "--force-reinstall"} & set(command)
        if "--no-deps" in command:
            asked.alone += command[command.index("--no-deps") + 1 :]
        else:
            file = command.index("-c") + 1
            asked.calls.append((command[file + 1 :], Path(command[file]).read_text().split()))
        return subprocess.CompletedProcess(command, asked.code, "", asked.stderr)

    monkeypatch.setattr(colab.subprocess, "run", run)
    return asked


def test_only_what_is_missing_is_asked_for_and_torch_is_pinned_as_it_is(installed, pip, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "ipywidgets", types.ModuleType("ipywidgets"))  # an old one is loaded
    colab.install()
    ((packages, constraints),) = pip.calls
    assert sorted(packages) == ["anywidget>=0.9.13", "ipywidgets>=8.1", "jaxtyping>=0.2.30", "latex2mathml>=3.77"]
    assert pip.alone == ["bertviz>=1.4"]  # its own requirements would replace much
    kept = {name: version for name, version in LIKE_COLAB.items() if name not in ("ipywidgets", "ipykernel")}
    assert dict(pin.split("==") for pin in constraints) == kept
    said, restart = capsys.readouterr().out.splitlines()
    assert said == "Installed: jaxtyping, ipywidgets, anywidget, latex2mathml, bertviz. Kept: PyTorch 2.8.0+cu126."
    assert restart.startswith("An older ipywidgets is loaded: choose Runtime > Restart session")


def test_a_second_run_does_nothing(installed, pip, capsys):
    installed.update(anywidget="0.9.18", ipywidgets="8.1.7", jaxtyping="0.3.2", latex2mathml="3.78", bertviz="1.4.1")
    colab.install()
    assert pip.calls == pip.alone == []
    assert capsys.readouterr().out.endswith("PyTorch 2.8.0+cu126 too: nothing was installed.\n")


def test_in_the_real_environment_nothing_is_missing(pip):
    colab.install()
    assert pip.calls == pip.alone == []


def test_torch_that_is_too_old_is_not_replaced(installed, pip):
    installed["torch"] = "2.5.1+cu121"
    with pytest.raises(CourseError, match=r"PyTorch 2\.5\.1\+cu121 is installed here, .* needs >=2\.6\. It was not"):
        colab.install()
    assert pip.calls == pip.alone == []


def test_pip_that_fails_is_told_in_a_sentence(installed, pip):
    pip.code, pip.stderr = 1, "noise\nERROR: No matching distribution found for anywidget>=0.9.13\n"
    with pytest.raises(CourseError, match=r"could not install jaxtyping, ipywidgets, .*: ERROR: No matching"):
        colab.install()


def test_a_setting_that_the_handbook_names_exists():
    documented = set(re.findall(r"COURSE_[A-Z_]+", config.__doc__ + settings.__doc__))
    assert set(re.findall(r"COURSE_[A-Z_]+", HANDBOOK.read_text(encoding="utf-8"))) <= documented


@pytest.mark.parametrize("on_colab", [False, True])
def test_the_cell_of_the_handbook(monkeypatch, on_colab):
    """docs/classroom.md's own text, run as a notebook would run it, with a shell that only writes down."""
    text = HANDBOOK.read_text(encoding="utf-8")
    (cell,) = (block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "google.colab" in block)
    commands, installs = [], []
    monkeypatch.setattr(colab, "install", lambda: installs.append("install"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    if on_colab:
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    shell = types.SimpleNamespace(system=commands.append)
    before = list(sys.path)
    exec(compile(TransformerManager().transform_cell(cell), "cell", "exec"), {"get_ipython": lambda: shell})
    assert installs == ["install"] * on_colab
    assert (sys.path != before) == on_colab
    assert [command.split()[:2] for command in commands] == [["git", "clone"]] * on_colab
    if on_colab:
        assert commands[0].split()[-1] == sys.path[0]  # imported from where it was cloned to
