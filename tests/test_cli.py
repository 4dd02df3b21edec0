"""The command `course`: what it prints, its exit codes, and that its help is there at once."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from course import cli, doctor
from course_lib.errors import CourseError
from course_lib.language import use
from course_lib.models import predict
from course_lib.models.review_words import ReviewWords


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


def test_lab_opens_a_chapter(monkeypatch, capsys, project, started):
    notebook = project / "notebooks" / "04_elmo.ipynb"
    notebook.touch()
    assert course(monkeypatch, capsys, "lab", "4") == course(monkeypatch, capsys, "lab") == (0, "", "")
    assert [command[1:] for command in started] == [["-m", "jupyterlab", str(p)] for p in (notebook, notebook.parent)]
    code, out, err = course(monkeypatch, capsys, "lab", "44")
    assert (code, out) == (1, "")
    assert err == "There is no chapter '44'. Chapters: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, A1, A2.\n"
    assert "Chapter A1 is not in" in course(monkeypatch, capsys, "lab", "A1")[2]
    monkeypatch.setattr(os, "geteuid", lambda: 0)  # JupyterLab refuses root, as most containers are
    code, _, err = course(monkeypatch, capsys, "lab")
    assert (code, "You are root" in err) == (0, True)
    monkeypatch.delattr(os, "geteuid")  # as on Windows
    assert course(monkeypatch, capsys, "lab") == (0, "", "")
    assert [command[-1] == "--allow-root" for command in started] == [False, False, True, False]


def test_lab_asks_nothing_about_jupyter_news_and_points_to_the_doctor_if_it_ends_badly(monkeypatch, capsys, project):
    from jupyterlab_server.config import get_page_config

    seen, ended = {}, subprocess.CompletedProcess([], 3)
    monkeypatch.setattr(subprocess, "run", lambda command, env: seen.update(env) or ended)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/of/the/reader")
    code, _, err = course(monkeypatch, capsys, "lab")
    assert (code, "ended with code 3. Its last words stand above; `course doctor`" in err) == (1, True)
    assert seen["JUPYTER_CONFIG_PATH"].endswith(f"{os.pathsep}/of/the/reader")
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", seen["JUPYTER_CONFIG_PATH"])
    assert "@jupyterlab/apputils-extension:announcements" in get_page_config([])["disabledExtensions"]


def test_an_error_is_printed_as_it_is(monkeypatch, capsys, project):
    def fail():
        raise CourseError("[bold]brackets[/bold] stay text")

    monkeypatch.setattr("course_lib.config.project_dir", fail)
    assert course(monkeypatch, capsys, "lab") == (1, "", "[bold]brackets[/bold] stay text\n")


def test_models_lists_checkpoints_with_their_size(monkeypatch, capsys, project):
    assert "No checkpoint" in course(monkeypatch, capsys, "models")[1]
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


# -- course predict: one label per line of the file, whatever the lines hold; faults of the file are named
GOOD = "A wonderful film, moving and funny. One of the best I have seen!"
BAD = "The worst movie ever: boring, badly acted, a waste of time."


@pytest.fixture
def predicted(monkeypatch, capsys, tmp_path):
    """`course predict` on a file of this content (bytes or text; None: no file)."""

    def run(content, *options, task="imdb"):
        file = tmp_path / "reviews.txt"
        if content is not None:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return course(monkeypatch, capsys, "predict", task, str(file), *options)

    return run


@pytest.fixture
def small_model(tmp_path, monkeypatch):
    """A model of two words in place of the one that ships."""
    ReviewWords(["good", "bad"], np.array([1.0, -1.0]), -0.125, ("neg", "pos")).save(tmp_path / "reviews-en")
    monkeypatch.setattr(predict, "data_dir", lambda *parts: tmp_path / parts[-1])


def test_the_model_that_ships_tells_good_from_bad(predicted):
    shown = [GOOD, BAD, GOOD.upper(), BAD.replace(" ", "<br /><br />"), BAD.title()]
    assert predicted("\n".join(shown) + "\n") == (0, "pos\nneg\npos\nneg\nneg\n", "")


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        (b"good\nbad", ["pos", "neg"]),  # no end of the last line
        (b"\xef\xbb\xbfgood\r\nbad\r\n", ["pos", "neg"]),
        ("good\x0cfilm\x1c\u2028so\x85good\rbad bad\ngood", ["neg", "pos"]),  # str.splitlines: seven lines
    ],
)
def test_a_label_for_each_line(predicted, small_model, content, labels):
    code, out, err = predicted(content)
    assert (code, out.split("\n"), err) == (0, [*labels, ""], "")


def test_lines_without_a_known_word_are_labelled_and_named(predicted, small_model):
    code, out, err = predicted("good\n\nbad\n \t\nunseen\n\n")
    assert (code, out) == (0, "pos\nneg\nneg\nneg\nneg\nneg\n")
    assert "Warning: Lines 2, 4, 5, 6: empty, or no word that the model knows. Labelled neg" in err
    assert "19, 20 and 3 more: empty" in predicted("\n" * 23)[2]


def test_labels_into_a_file_of_their_own(predicted, tmp_path, small_model):
    text, out, nowhere = "good\nbad\n\n", tmp_path / "labels.txt", tmp_path / "new"
    code, said, err = predicted(text, "--out", str(out))
    assert (code, said, out.read_bytes()) == (0, f"3 labels in {out}\n", b"pos\nneg\nneg\n")
    assert "Line 3:" in err
    file, away = tmp_path / "reviews.txt", f"there is no folder {nowhere}. Make it"
    faults = {file: "is the file of texts itself", tmp_path: "is no ordinary file", nowhere / "x.txt": away}
    for wrong, message in faults.items():
        code, _, err = predicted(text, "--out", str(wrong))
        assert (code, message in err) == (1, True)
    assert file.read_text(encoding="utf-8") == text
    assert not nowhere.exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no file"),
        (b"", "is empty. Write one text a line"),
        (b"good\nbad\ncaf\xe9\n", "line 3, is not UTF-8: byte 0xe9 in column 4. Save the file as UTF-8."),
        ("good\n".encode("utf-16"), "line 1, is not UTF-8"),
    ],
)
def test_faults_of_the_file_and_an_unknown_task(predicted, tmp_path, small_model, content, message):
    code, out, err = predicted(content)
    assert (code, out) == (1, "")
    assert message in err
    assert str(tmp_path / "reviews.txt") in err
    assert predicted("good\n", task="sst2") == (1, "", "There is no task 'sst2'. There are: imdb.\n")


# ---- in Korean


@pytest.fixture
def any_language(monkeypatch):
    """What `--language` sets holds for this test only."""
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    yield
    use(None)


def test_the_command_speaks_korean(monkeypatch, capsys, any_language):
    for arguments in (("--language", "ko", "--help"), ("--language", "ko", "slides", "--help")):
        code, out, _ = course(monkeypatch, capsys, *arguments)
        assert (code, "슬라이드로 만듭니다" in out) == (0, True)
    use(None)
    monkeypatch.setenv("COURSE_LANGUAGE", "ko")
    assert "슬라이드로 만듭니다" in course(monkeypatch, capsys, "--help")[1]
    monkeypatch.setenv("COURSE_LANGUAGE", "kr")
    assert "COURSE_LANGUAGE is 'kr'" in course(monkeypatch, capsys, "--help")[2]
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    assert "There is no edition in 'kr'" in course(monkeypatch, capsys, "--language", "kr", "claims")[2]


def test_lab_opens_the_korean_chapter_and_the_english_where_there_is_none(
    monkeypatch, capsys, project, started, any_language
):
    folder = project / "notebooks"
    (folder / "ko").mkdir()
    for file in (folder / "04_elmo.ipynb", folder / "05_ulmfit.ipynb", folder / "ko" / "04_elmo.ipynb"):
        file.touch()
    said = [course(monkeypatch, capsys, "--language", "ko", "lab", *chapter)[2] for chapter in (["4"], ["5"], [])]
    assert [command[-1] for command in started] == [
        str(place) for place in (folder / "ko" / "04_elmo.ipynb", folder / "05_ulmfit.ipynb", folder / "ko")
    ]
    assert ["5장은 아직 한국어로 없습니다" in words for words in said] == [False, True, False]
    assert os.environ["COURSE_LANGUAGE"] == "ko"  # the kernels speak it too
