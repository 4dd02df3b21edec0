"""`course slides` and `course lecture` as they are typed: the chapter's number, the folder, what is said."""

import nbformat
import pytest
from nbformat import v4

from tests.test_cli import course, project  # noqa: F401 (fixtures)


@pytest.fixture
def chapter(project):  # noqa: F811
    cells = [
        v4.new_markdown_cell("# 6 · Small", metadata={"slideshow": {"slide_type": "slide"}}),
        v4.new_code_cell("a = b", metadata={"tags": ["live"]}),
    ]
    nbformat.write(v4.new_notebook(cells=cells), project / "notebooks" / "06_small.ipynb")
    return project


@pytest.mark.parametrize("number", ["6", "06"])
def test_lecture_writes_two_files(monkeypatch, capsys, chapter, number):
    code, out, _ = course(monkeypatch, capsys, "lecture", number)
    folder = chapter / "build" / "lecture"
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["lecture_06.ipynb", "lecture_06_solutions.ipynb"]
    assert str(folder / "lecture_06.ipynb") in out


def test_slides_go_where_they_are_asked_to(monkeypatch, capsys, chapter, tmp_path):
    code, out, _ = course(monkeypatch, capsys, "slides", "06", "--out", str(tmp_path / "deck"))
    assert code == 0
    assert "6 · Small" in (tmp_path / "deck" / "06_small.html").read_text(encoding="utf-8")
    assert str(tmp_path / "deck" / "06_small.html") in out


@pytest.mark.parametrize("command", [("slides", "6"), ("lecture", "6"), ("site",)])
@pytest.mark.parametrize("inside", [False, True])
def test_a_file_is_no_folder(monkeypatch, capsys, chapter, command, inside):
    file = chapter / "notes.txt"
    file.write_text("mine", encoding="utf-8")
    out = file / "deck" if inside else file
    code, said, err = course(monkeypatch, capsys, *command, "--out", str(out))
    assert (code, said, err) == (1, "", f"--out: {file} is a file. Name a folder.\n")
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", ["slides", "lecture"])
def test_a_wrong_chapter_is_one_sentence(monkeypatch, capsys, chapter, command):
    assert course(monkeypatch, capsys, command, "66")[::2] == (
        1,
        "There is no chapter '66'. Chapters: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, A1, A2.\n",
    )
    assert "Chapter 5 is not in" in course(monkeypatch, capsys, command, "05")[2]
