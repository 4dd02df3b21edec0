"""The command `course`: what it prints, its exit codes, and that its help is there at once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course import cli, doctor
from course_lib.errors import CourseError


def course(monkeypatch, capsys, *arguments: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error."""
    monkeypatch.setattr(sys, "argv", ["course", *arguments])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as ended:
        cli.main()
    said = capsys.readouterr()
    return ended.value.code or 0, said.out, said.err


@pytest.fixture
def project(monkeypatch, tmp_path):
    """A course folder of this test's own."""
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "data").mkdir()
    monkeypatch.setattr("course_lib.config.project_dir", lambda: tmp_path)
    return tmp_path


@pytest.fixture
def started(monkeypatch):
    """The commands that would have been run."""
    commands = []

    def run(command, **_):
        commands.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(os, "geteuid", lambda: 1013, raising=False)
    return commands


def test_help_needs_no_torch():
    code = "import sys, course.cli; sys.exit(any(m in sys.modules for m in ('torch', 'numpy', 'matplotlib')))"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_help_names_every_command(monkeypatch, capsys):
    code, out, _ = course(monkeypatch, capsys, "--help")
    assert code == 0
    assert all(command in out for command in ("lab", "doctor", "models", "predict"))


def test_lab_opens_a_chapter(monkeypatch, capsys, project, started):
    notebook = project / "notebooks" / "04_elmo.ipynb"
    notebook.touch()
    assert course(monkeypatch, capsys, "lab", "4")[0] == 0
    assert course(monkeypatch, capsys, "lab")[0] == 0
    assert [command[1:] for command in started] == [
        ["-m", "jupyterlab", str(notebook)],
        ["-m", "jupyterlab", str(notebook.parent)],
    ]


def test_lab_asks_nothing_about_jupyter_news(monkeypatch, capsys, project):
    from jupyterlab_server.config import get_page_config

    seen = {}
    monkeypatch.setattr(
        subprocess, "run", lambda command, env: seen.update(env) or subprocess.CompletedProcess(command, 0)
    )
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/of/the/reader")
    assert course(monkeypatch, capsys, "lab")[0] == 0
    assert seen["JUPYTER_CONFIG_PATH"].endswith(f"{os.pathsep}/of/the/reader")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", seen["JUPYTER_CONFIG_PATH"])
    assert "@jupyterlab/apputils-extension:announcements" in get_page_config([])["disabledExtensions"]


def test_lab_with_a_wrong_chapter_is_one_red_sentence(monkeypatch, capsys, project, started):
    code, out, err = course(monkeypatch, capsys, "lab", "44")
    assert (code, out) == (1, "")
    assert err == "There is no chapter '44'. Chapters: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, A1, A2.\n"
    assert "Chapter A1 is not in" in course(monkeypatch, capsys, "lab", "A1")[2]
    assert started == []


def test_lab_that_ends_badly_points_to_the_doctor(monkeypatch, capsys, project):
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 3))
    code, _, err = course(monkeypatch, capsys, "lab")
    assert code == 1
    assert "ended with code 3. Its last words stand above; `course doctor`" in err


def test_root_gets_its_lab_and_a_warning(monkeypatch, capsys, project, started):
    """JupyterLab refuses root, as most containers are, without --allow-root."""
    assert course(monkeypatch, capsys, "lab") == (0, "", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    code, _, err = course(monkeypatch, capsys, "lab")
    assert (code, "You are root" in err) == (0, True)
    monkeypatch.delattr(os, "geteuid")  # as on Windows
    assert course(monkeypatch, capsys, "lab") == (0, "", "")
    assert [command[-1] == "--allow-root" for command in started] == [False, True, False]


def test_an_error_is_printed_as_it_is(monkeypatch, capsys, project):
    def fail():
        raise CourseError("[bold]brackets[/bold] stay text")

    monkeypatch.setattr("course_lib.config.project_dir", fail)
    assert course(monkeypatch, capsys, "lab") == (1, "", "[bold]brackets[/bold] stay text\n")


def test_models_lists_checkpoints_with_their_size(monkeypatch, capsys, project):
    for name, size in (("bert-en", 2_300_000), ("elmo-ko", 700_000)):
        folder = project / "data" / "checkpoints" / name
        folder.mkdir(parents=True)
        (folder / "config.json").write_text("{}")
        (folder / "model.safetensors").write_bytes(bytes(size))
    (folder / "card.md").write_text("# A biLM of [Korean] words\n\nmore\n", encoding="utf-8")
    code, out, _ = course(monkeypatch, capsys, "models")
    assert code == 0
    rows = [" ".join(line.split()) for line in out.splitlines() if line.strip()]
    assert rows[-2:] == ["bert-en 2.3", "elmo-ko A biLM of [Korean] words 0.7"]


def test_models_without_any(monkeypatch, capsys, project):
    assert "No checkpoint" in course(monkeypatch, capsys, "models")[1]


@pytest.mark.parametrize(("remedy", "exit_code"), [(None, 0), ("Close other programs.", 1)])
def test_doctor_prints_what_to_do(monkeypatch, capsys, remedy, exit_code):
    findings = [doctor.Finding("Python", "3.11.7", None), doctor.Finding("memory", "0.7 GB free", remedy)]
    monkeypatch.setattr(doctor, "diagnose", lambda: findings)
    code, out, _ = course(monkeypatch, capsys, "doctor")
    assert code == exit_code
    assert "[ok] Python          3.11.7" in out
    assert ("[do] memory          0.7 GB free\n     Close other programs." in out) == bool(remedy)
    assert ("1 of 2 need something" in out) == bool(remedy)


def test_readme_names_every_command():
    readme = (Path(cli.__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    names = [command.name or command.callback.__name__ for command in cli.app.registered_commands]
    assert len(names) > 5
    assert [name for name in [*names, "data"] if f"| `course {name}" not in readme] == []
