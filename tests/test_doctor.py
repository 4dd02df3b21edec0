"""Each check of the doctor, once well and once with its failure faked."""

import errno
import importlib.metadata
import sys
import types
from collections import namedtuple
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from unittest.mock import Mock

import pytest

from course import doctor
from course.doctor import CHECKS, Finding, diagnose


@pytest.fixture(autouse=True)
def healthy(monkeypatch, tmp_path):
    """A machine on which all is well, whatever this one is like."""
    (tmp_path / "data").mkdir()
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setattr("course_lib.config.project_dir", lambda: tmp_path)
    monkeypatch.setattr(doctor, "project_dir", lambda: tmp_path)
    monkeypatch.setenv("COURSE_CACHE_DIR", str(tmp_path / "cache" / "of mine"))
    monkeypatch.setenv("COURSE_DEVICE", "cpu")
    monkeypatch.setattr(doctor, "free_memory", lambda: 7_000_000_000)
    usage = namedtuple("usage", "total used free")(11, 0, 5_000_000_000)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)
    figures = types.ModuleType("course.figures")
    figures.use_course_style = lambda: None
    monkeypatch.setitem(sys.modules, "course.figures", figures)
    monkeypatch.setattr(doctor, "font_with", lambda character: "Nanum")
    monkeypatch.setattr(doctor, "has_lab_extension", lambda name: True)
    return tmp_path


def finding(name: str) -> Finding:
    return next(finding for finding in diagnose() if finding.name == name)


def test_a_healthy_machine_needs_nothing(healthy):
    findings = diagnose()
    assert [f.name for f in findings] == list(CHECKS)
    assert [f for f in findings if f.remedy] == []
    assert finding("memory").found == "7.0 GB free"
    assert finding("course data").found == str(healthy / "data")
    assert [path.name for path in healthy.rglob("*") if path.is_file()] == []  # no probe is left behind
    (healthy / "data").rmdir()
    assert "Install the project from a clone" in finding("course data").remedy


def full_disk(path):
    assert path.exists()  # the folder of the cache does not exist yet: its disk is asked for above it
    return namedtuple("usage", "total used free")(11, 10, 700_000_000)


def refuse(**_):
    raise OSError(errno.EROFS, "read-only")


def broken():
    raise ZeroDivisionError("driver")


@pytest.mark.parametrize(
    ("where", "fault", "name", "found", "remedy"),
    [
        ("sys.version_info", (3, 10, 9), "Python", "3.10.9", "Install Python 3.11 to 3.14"),
        ("sys.version_info", (3, 15, 0), "Python", "3.15.0", "Install Python 3.11 to 3.14"),
        ("torch.__version__", "2.5.1+cpu", "PyTorch", "2.5.1+cpu", "PyTorch 2.6 or newer"),
        ("COURSE_DEVICE", "cuda:7", "PyTorch", "not as it should be", "Use auto or cpu"),
        ("COURSE_PROFILE", "fast", "settings", "not as it should be", "one of: quick, full"),
        ("importlib.metadata.version", lambda name: "3.6.7", "JupyterLab", "3.6.7", "JupyterLab 4 or newer"),
        ("course.doctor.has_lab_extension", "anywidget".__ne__, "widgets", "does not have anywidget", "empty"),
        ("course.doctor.free_memory", lambda: 1_300_000_000, "memory", "1.3 GB free", "Close other programs"),
        ("course.doctor.font_with", lambda character: None, "fonts", "no font with Hangul", "boxes"),
        ("course_lib.models.shipped.sums", lambda _: "0  x/y\n", "checkpoints", "changed: x/y", "git"),
        ("course.doctor.shutil.disk_usage", full_disk, "disk", "0.7 GB free", "Make room"),
        ("course_lib.files.tempfile.mkstemp", refuse, "cache folder", "cannot write to", "Set COURSE_CACHE_DIR"),
        ("course_lib.files.tempfile.mkstemp", refuse, "notebook folder", "cannot write to", "Copy the course"),
        ("course.doctor.free_memory", broken, "memory", "ZeroDivisionError: driver", "make lab"),
    ],
)
def test_what_is_wrong_is_found_and_what_to_do_is_said(monkeypatch, where, fault, name, found, remedy):
    monkeypatch.setenv(where, fault) if where.isupper() else monkeypatch.setattr(where, fault)
    assert found in finding(name).found
    assert remedy in finding(name).remedy


PACKAGES = {"torch": "PyTorch", "ipykernel": "JupyterLab", "course.figures": "fonts"}
DISTRIBUTIONS = {"jupyterlab": "JupyterLab", "anywidget": "widgets"}


@pytest.mark.parametrize("package", [*PACKAGES, *DISTRIBUTIONS])
def test_a_missing_package(monkeypatch, package):
    if package in PACKAGES:
        monkeypatch.setitem(sys.modules, package, None)
    else:
        monkeypatch.setattr(importlib.metadata, "version", Mock(side_effect=PackageNotFoundError(package)))
    told = finding((PACKAGES | DISTRIBUTIONS)[package])
    assert told.found == f"missing: {package}"
    assert "make lab" in told.remedy


def test_a_container_has_less_memory_than_its_machine(monkeypatch):
    monkeypatch.undo()
    files = {"/sys/fs/cgroup/memory.max": "3000017\n", "/sys/fs/cgroup/memory.current": "1000003\n"}
    monkeypatch.setattr(Path, "read_text", lambda path: files[str(path)])
    assert doctor.free_memory() == 2_000_014
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert doctor.free_memory() > 2_000_014


def test_a_font_is_asked_for_its_glyphs(monkeypatch):
    monkeypatch.undo()
    import matplotlib

    with matplotlib.rc_context({"font.family": ["no such font", "DejaVu Sans"]}):
        assert doctor.font_with("A") == "DejaVu Sans"
        assert doctor.font_with("배") is None


def test_the_lab_extensions_are_looked_up_where_lab_does(monkeypatch, tmp_path):
    monkeypatch.undo()
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert not doctor.has_lab_extension("a-widget")
    (tmp_path / "labextensions" / "a-widget").mkdir(parents=True)
    (tmp_path / "labextensions" / "a-widget" / "package.json").write_text("{}")
    assert doctor.has_lab_extension("a-widget")
