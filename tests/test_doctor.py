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


@pytest.mark.parametrize("version", [(3, 10, 9), (3, 14, 0)])
def test_python_out_of_range(monkeypatch, version):
    monkeypatch.setattr(sys, "version_info", version)
    assert "Install Python 3.11 to 3.13" in finding("Python").remedy


def test_old_torch(monkeypatch):
    monkeypatch.setattr("torch.__version__", "2.5.1+cpu")
    assert finding("PyTorch").found == "2.5.1+cpu"
    assert "PyTorch 2.6 or newer" in finding("PyTorch").remedy


def test_a_device_that_is_not_there(monkeypatch):
    monkeypatch.setenv("COURSE_DEVICE", "cuda:7")
    assert "Use auto or cpu" in finding("PyTorch").remedy


def test_a_setting_without_meaning(monkeypatch):
    monkeypatch.setenv("COURSE_PROFILE", "fast")
    assert "one of: quick, full" in finding("settings").remedy


@pytest.mark.parametrize(
    ("package", "check"),
    [("torch", "PyTorch"), ("ipykernel", "JupyterLab"), ("course_lib.widgets.figures", "fonts")],
)
def test_a_missing_package(monkeypatch, package, check):
    monkeypatch.setitem(sys.modules, package, None)
    assert finding(check).found == f"missing: {package}"
    assert "make lab" in finding(check).remedy


@pytest.mark.parametrize(("package", "check"), [("jupyterlab", "JupyterLab"), ("anywidget", "widgets")])
def test_a_distribution_that_is_not_installed(monkeypatch, package, check):
    version = importlib.metadata.version

    def missing(name):
        if name == package:
            raise importlib.metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    assert finding(check).found == f"missing: {package}"


def test_an_old_lab(monkeypatch):
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.6.7")
    assert "JupyterLab 4 or newer" in finding("JupyterLab").remedy


def test_lab_without_the_widget_extension(monkeypatch):
    monkeypatch.setattr(doctor, "has_lab_extension", lambda name: name != "anywidget")
    assert finding("widgets").found == "JupyterLab does not have anywidget"
    assert "Widgets would stay empty" in finding("widgets").remedy


def test_little_memory(monkeypatch):
    monkeypatch.setattr(doctor, "free_memory", lambda: 1_300_000_000)
    assert finding("memory").found == "1.3 GB free"
    assert "Close other programs" in finding("memory").remedy


def test_no_font_with_hangul(monkeypatch):
    monkeypatch.setattr(doctor, "font_with", lambda character: None)
    assert "boxes" in finding("fonts").remedy


def test_no_data_folder(healthy):
    (healthy / "data").rmdir()
    assert "Install the project from a clone" in finding("course data").remedy


@pytest.mark.parametrize(
    ("check", "remedy"), [("cache folder", "Set COURSE_CACHE_DIR"), ("notebook folder", "Copy the course")]
)
def test_folders_that_cannot_be_written(monkeypatch, check, remedy):
    def refuse(**_):
        raise OSError(errno.EROFS, "read-only")

    monkeypatch.setattr("course_lib.files.tempfile.mkstemp", refuse)
    assert "cannot write to" in finding(check).found
    assert finding(check).remedy.startswith(remedy)


def test_a_full_disk(monkeypatch):
    usage = namedtuple("usage", "total used free")(11, 10, 700_000_000)
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: usage)
    assert finding("disk").found == "0.7 GB free"
    assert "Make room" in finding("disk").remedy


def test_the_disk_is_the_one_of_the_cache_even_before_it_exists(monkeypatch, healthy):
    usage, asked = doctor.shutil.disk_usage(healthy), []
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda path: asked.append(path) or usage)
    doctor.check_disk()
    assert asked == [healthy]


def test_a_check_that_breaks_is_a_finding(monkeypatch):
    def broken():
        raise ZeroDivisionError("driver")

    monkeypatch.setitem(CHECKS, "memory", broken)
    assert finding("memory").found == "ZeroDivisionError: driver"
    assert finding("memory").remedy


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
