"""Each check of the doctor, once well and once with its failure faked."""

import errno
import importlib.metadata
import sys
import types
from collections import namedtuple
from pathlib import Path

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
    figures = types.ModuleType("course_lib.widgets.figures")
    figures.use_course_style = lambda: None
    monkeypatch.setitem(sys.modules, "course_lib.widgets.figures", figures)
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


FULL = namedtuple("usage", "total used free")(11, 10, 700_000_000)


@pytest.mark.parametrize(
    ("where", "fault", "name", "found", "remedy"),
    [
        ("sys.version_info", (3, 10, 9), "Python", "3.10.9", "Install Python 3.11 to 3.13"),
        ("sys.version_info", (3, 14, 0), "Python", "3.14.0", "Install Python 3.11 to 3.13"),
        ("torch.__version__", "2.5.1+cpu", "PyTorch", "2.5.1+cpu", "PyTorch 2.6 or newer"),
        ("COURSE_DEVICE", "cuda:7", "PyTorch", "not as it should be", "Use auto or cpu"),
        ("COURSE_PROFILE", "fast", "settings", "not as it should be", "one of: quick, full"),
        ("importlib.metadata.version", lambda name: "3.6.7", "JupyterLab", "3.6.7", "JupyterLab 4 or newer"),
        (
            "course.doctor.has_lab_extension",
            "anywidget".__ne__,
            "widgets",
            "JupyterLab does not have anywidget",
            "empty",
        ),
        ("course.doctor.free_memory", lambda: 1_300_000_000, "memory", "1.3 GB free", "Close other programs"),
        ("course.doctor.font_with", lambda character: None, "fonts", "no font with Hangul", "boxes"),
        ("course.doctor.shutil.disk_usage", lambda p: p.exists() and FULL, "disk", "0.7 GB free", "Make room"),
    ],
)
def test_what_is_wrong_is_found_and_what_to_do_is_said(monkeypatch, where, fault, name, found, remedy):
    monkeypatch.setenv(where, fault) if where.isupper() else monkeypatch.setattr(where, fault)
    assert finding(name).found == found
    assert remedy in finding(name).remedy


@pytest.mark.parametrize(
    ("package", "check"),
    [
        *(("torch", "PyTorch"), ("ipykernel", "JupyterLab"), ("course_lib.widgets.figures", "fonts")),
        *(("jupyterlab", "JupyterLab"), ("anywidget", "widgets")),  # asked for by their distributions
    ],
)
def test_a_missing_package(monkeypatch, package, check):
    def missing(name, version=importlib.metadata.version):
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert finding(check).found == f"missing: {package}"
    assert "make lab" in finding(check).remedy


@pytest.mark.parametrize(
    ("check", "remedy"), [("cache folder", "Set COURSE_CACHE_DIR"), ("notebook folder", "Copy the course")]
)
def test_folders_that_cannot_be_written(monkeypatch, check, remedy):
    def refuse(**_):
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr("course_lib.files.tempfile.mkstemp", refuse)
    assert "cannot write to" in finding(check).found
    assert finding(check).remedy.startswith(remedy)


def test_a_check_that_breaks_is_a_finding(monkeypatch):
    def broken():
        raise ZeroDivisionError("driver")

    monkeypatch.setitem(CHECKS, "memory", broken)
    assert finding("memory").found == "ZeroDivisionError: driver"
    assert finding("memory").remedy


def test_memory_fonts_and_extensions_are_asked_where_they_are(monkeypatch, tmp_path):
    monkeypatch.undo()
    import matplotlib

    files = {"/sys/fs/cgroup/memory.max": "3000017\n", "/sys/fs/cgroup/memory.current": "1000003\n"}
    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_text", lambda path: files[str(path)])
        assert doctor.free_memory() == 2_000_014  # a container has less than its machine
        files["/sys/fs/cgroup/memory.max"] = "max\n"
        assert doctor.free_memory() > 2_000_014
    with matplotlib.rc_context({"font.family": ["no such font", "DejaVu Sans"]}):
        assert doctor.font_with("A") == "DejaVu Sans"
        assert doctor.font_with("배") is None
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert not doctor.has_lab_extension("a-widget")
    (tmp_path / "labextensions" / "a-widget").mkdir(parents=True)
    (tmp_path / "labextensions" / "a-widget" / "package.json").write_text("{}")
    assert doctor.has_lab_extension("a-widget")
