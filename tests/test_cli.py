"""The command `course`: what it prints, its exit codes, and that its help is there at once."""

import base64
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import nbformat
import numpy as np
import pytest
from nbformat import v4
from torch import nn

from course import cli, doctor, kept, predict
from course.lab.review_words import ReviewWords
from course_lib.errors import CourseError
from course_lib.language import speaking, use


@pytest.fixture
def course(monkeypatch, capsys):
    """course(*arguments) -> exit code, standard output, standard error."""

    def run(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["course", *arguments])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as ended:
            cli.main()
        said = capsys.readouterr()
        return ended.value.code or 0, said.out, said.err

    return run


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


def test_lab_asks_nothing_about_jupyter_news_and_points_to_the_doctor_if_it_fails(course, monkeypatch, project):
    from jupyterlab_server.config import get_page_config

    seen, ended = {}, subprocess.CompletedProcess([], 0)
    monkeypatch.setattr(subprocess, "run", lambda command, env: seen.update(env) or ended)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "/of/the/reader")
    monkeypatch.setenv("COURSE_BERT", os.curdir)
    assert course("lab")[0] == 0
    ended.returncode = 3
    code, _, err = course("lab")
    assert (code, "ended with code 3. Its last words stand above; `course doctor`" in err) == (1, True)
    assert seen["JUPYTER_CONFIG_PATH"].endswith(f"{os.pathsep}/of/the/reader")
    assert seen["COURSE_BERT"] == os.getcwd()  # a folder from here is that folder in the notebook, too
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", seen["JUPYTER_CONFIG_PATH"])
    assert "@jupyterlab/apputils-extension:announcements" in get_page_config([])["disabledExtensions"]


def test_root_gets_its_lab_and_a_warning(course, monkeypatch, project, started):
    """JupyterLab refuses root, as most containers are, without --allow-root."""
    assert course("lab") == (0, "", "")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    code, _, err = course("lab")
    assert (code, "You are root" in err) == (0, True)
    monkeypatch.delattr(os, "geteuid")  # as on Windows
    assert course("lab") == (0, "", "")
    assert [command[-1] == "--allow-root" for command in started] == [False, True, False]


def test_an_error_is_printed_as_it_is(course, monkeypatch):
    said = "[bold]brackets[/bold] stay text\nand \x1b[2J a sign"
    monkeypatch.setattr("course_lib.config.project_dir", Mock(side_effect=CourseError(said)))
    assert course("lab") == (1, "", f"{said}\n".replace("\x1b", "?"))  # a terminal would obey


def test_models_lists_checkpoints_with_their_size(course, project):
    assert "No checkpoint" in course("models")[1]
    for name, size in (("bert-en", 2_300_000), ("elmo-ko", 700_000)):
        folder = project / "data" / "checkpoints" / name
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_bytes(bytes(size))
        (folder / "README.md").write_text("# A biLM of [Korean] words\n\nmore\n", encoding="utf-8")
    code, out, _ = course("models")
    assert code == 0
    rows = [" ".join(line.split()) for line in out.splitlines() if line.strip()]
    assert rows[-2:] == ["bert-en A biLM of [Korean] words 2.3", "elmo-ko A biLM of [Korean] words 0.7"]


@pytest.mark.parametrize(("remedy", "exit_code"), [(None, 0), ("Close other programs.", 1)])
def test_doctor_prints_what_to_do(course, monkeypatch, remedy, exit_code):
    findings = [doctor.Finding("Python", "3.11.7", None), doctor.Finding("memory", "0.7 GB free", remedy)]
    monkeypatch.setattr(doctor, "diagnose", lambda: findings)
    code, out, _ = course("doctor")
    assert code == exit_code
    assert "[ok] Python          3.11.7" in out
    assert ("[do] memory          0.7 GB free\n     Close other programs." in out) == bool(remedy)
    assert ("1 of 2 need something" in out) == bool(remedy)


def test_each_readme_leads_to_the_other_and_names_every_command():
    names = [command.name or command.callback.__name__ for command in cli.app.registered_commands]
    assert len(names) > 5
    for page, other in (("README.md", "README.ko.md"), ("README.ko.md", "README.md")):
        said = (Path(cli.__file__).parents[1] / page).read_text(encoding="utf-8").replace("--language ko ", "")
        assert f"]({other})" in said
        assert [name for name in [*names, "data"] if f"| `course {name}" not in said] == []


# -- course predict: one label per line of the file, whatever the lines hold; faults of the file are named
GOOD = "A wonderful film, moving and funny. One of the best I have seen!"
BAD = "The worst movie ever: boring, badly acted, a waste of time."


@pytest.fixture
def file(tmp_path):
    return tmp_path / "reviews.txt"


@pytest.fixture
def small_model(tmp_path, monkeypatch):
    """A model of two words in place of the one that ships."""
    ReviewWords(["good", "bad"], np.array([1.0, -1.0]), -0.125, ("neg", "pos")).save(tmp_path / "reviews-en")
    monkeypatch.setattr(predict, "data_dir", lambda *parts: tmp_path / parts[-1])


def test_the_model_that_ships_tells_good_from_bad(course, file):
    shown = [GOOD, BAD, GOOD.upper(), BAD.replace(" ", "<br /><br />"), BAD.title()]
    file.write_text("\n".join(shown) + "\n", encoding="utf-8")
    assert course("predict", "imdb", str(file)) == (0, "pos\nneg\npos\nneg\nneg\n", "")


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        (b"good\nbad", ["pos", "neg"]),  # no end of the last line
        (b"\xef\xbb\xbfgood\r\nbad\r\n", ["pos", "neg"]),
        (b'"good", he said\nbad, 1:2\nso "bad" "good\n', ["pos", "neg", "neg"]),
        ("good\u00a0film\ngood\u200b\n".encode(), ["pos", "pos"]),
    ],
)
@pytest.mark.parametrize("place", ["file", "-", "pipe"])
def test_a_label_for_each_line(course, file, small_model, monkeypatch, content, labels, place):
    file.write_bytes(content)
    if place == "-":
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        file = "-"
    elif place != "file":
        end, into = os.pipe()
        os.write(into, content)
        os.close(into)
        file = f"/dev/fd/{end}"
    code, out, err = course("predict", "imdb", str(file))
    assert (code, out.split("\n"), err) == (0, [*labels, ""], "")


OTHER_END = "a character inside (such as a carriage return"


@pytest.mark.parametrize(
    ("content", "labels", "warning"),
    [
        ("good\x0cfilm\x1c\u2028so\x85good\rbad bad\ngood", "neg pos", f"Line 1: {OTHER_END}"),  # splitlines: seven
        *((f"good\ngood{end}bad bad\n", "pos neg", f"Line 2: {OTHER_END}") for end in "\0\r\x1e\x85\u2029"),
        ("good\rbad film\rgood\r", "pos neg pos", "Lines 1, 2, 3: no line feed in the whole file"),
        ("good\r\rbad", "pos neg neg", "Line 2: empty"),
        ('good\n"bad film.\nReally bad.",0\n', "pos neg neg", "Line 2: a quotation mark opens"),
        ('1,"bad film.\nReally bad."\n', "neg neg", "Line 1: a quotation mark opens"),
        ("Review\ngood\n", "neg pos", "Line 1: the name of a column?"),
    ],
)
def test_where_other_programs_would_count_other_lines_a_warning_says_so(
    course, file, small_model, any_language, content, labels, warning
):
    file.write_bytes(content.encode())
    code, out, err = course("predict", "imdb", str(file))
    assert (code, out.split()) == (0, labels.split())
    assert f"Warning: {warning}" in err
    code, out, korean = course("--language", "ko", "predict", "imdb", str(file))
    assert (out.split(), korean.count("경고: "), "Line" in korean) == (labels.split(), err.count("Warning: "), False)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", 'Review,sentiment\n"good\nfilm",1\n', r"print(*row['Review'].split())"),
        ("a.txt", "id\tdocument\tlabel\n1\tgood\t1\n", "row['document']"),
        ("a.txt", '"text";"label"\rgood;1\r', "is a table or JSON: each of its lines would get a label"),
        ("a.CSV", "good,1\nbad,0\n", "is a table"),
        ("a.csv", '"good\nfilm"\nbad\n', "is a table"),
        ("a.tsv", "1\tgood\n", None),
        ("a.csv", "good, funny, warm\nbad\n", None),
        ("a.json", '[\n"good",\n"bad"\n]\n', "is a table"),
        ("a.txt", "good\nbad\n".encode("utf-16-le").decode(), "is UTF-16, or no text"),
        ("a.txt", None, "There is no file"),
        (".", None, "There is no file"),
        ("a.txt", "", "is empty"),
        ("a.txt", b"good\nbad\ncaf\xe9\n", "line 3, is not UTF-8: byte 0xe9 in column 4"),
        ("a.txt", "good\n".encode("utf-16"), "line 1, is not UTF-8"),
    ],
)
def test_tables_and_other_formats_are_refused_with_the_way_out(course, file, small_model, name, content, message):
    file = file.parent / name
    if content is not None:
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
    code, out, err = course("predict", "imdb", str(file))
    assert (code, out.count("\n")) == ((0, content.count("\n")) if message is None else (1, 0))
    assert (message or "") in err
    assert message is None or str(file) in err


def test_lines_without_a_known_word_are_labelled_and_named(course, file, small_model):
    file.write_text("good\n\nbad\n \t\nunseen\n\n", encoding="utf-8")
    code, out, err = course("predict", "imdb", str(file))
    assert (code, out) == (0, "pos\nneg\nneg\nneg\nneg\nneg\n")
    assert "Warning: Lines 2, 4, 5, 6: empty, or no word that the model knows. Labelled neg" in err
    file.write_text("\n" * 23, encoding="utf-8")
    err = course("predict", "imdb", str(file))[2]
    assert "19, 20 and 3 more: empty" in err


def test_labels_into_a_file_of_their_own(course, file, small_model):
    def predict_into(out):
        return course("predict", "imdb", str(file), "--out", str(out))

    file.write_text("good\nbad\n\n", encoding="utf-8")
    out = file.with_name("labels.txt")
    code, said, err = predict_into(out)
    assert (code, said, out.read_bytes()) == (0, f"3 labels in {out}\n", b"pos\nneg\nneg\n")
    assert "Line 3:" in err
    faults = {file: "is the file of texts itself", file.parent: "is no ordinary file", file / "x": "there is no folder"}
    for wrong, message in faults.items():
        code, _, err = predict_into(wrong)
        assert (code, message in err) == (1, True)
    assert file.read_text(encoding="utf-8") == "good\nbad\n\n"
    assert course("predict", "sst2", str(file)) == (1, "", "There is no task 'sst2'. There are: imdb.\n")


# ---- what is made of a stored chapter: the number as it is typed, the folder


@pytest.fixture
def chapter(project):
    title = v4.new_markdown_cell("# 6 · Small", metadata={"slideshow": {"slide_type": "slide"}})
    cells = [title, v4.new_code_cell("a = b", metadata={"tags": ["live"]})]
    nbformat.write(v4.new_notebook(cells=cells), project / "notebooks" / "06_small.ipynb")
    return project


@pytest.mark.parametrize("reader", ["en", "ko"])
def test_ask_writes_the_page_of_a_kept_network_and_opens_it(course, monkeypatch, tmp_path, reader):
    shown = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    monkeypatch.setattr("course.site.build.write_live", lambda *given: None)
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))
    with speaking(reader):
        path = kept.keep("own-bert", nn.Linear(2, 2), ["a"])
        code, _, said = course("ask", "nothing", "--out", str(tmp_path / "page"))
        assert (code, "own-bert" in said, shown) == (1, True, [])
        (path.parent / "cut.safetensors").write_bytes(path.read_bytes()[:-4])
        code, _, said = course("ask", "cut", "--out", str(tmp_path / "page"))
        again = {"en": "run the cell that makes it again", "ko": "그것을 만드는 셀을 다시 실행하세요"}
        assert (code, again[reader] in said, shown) == (1, True, [])
        code, out, _ = course("ask", "own-bert", "--out", str(tmp_path / "page"))
    page = tmp_path / "page" / ("ko" * (reader == "ko")) / "ask_bert.html"
    assert (code, str(page) in out, shown) == (0, True, [page.as_uri()])
    written = page.read_text(encoding="utf-8")
    assert f'<script src="{"../" * (reader == "ko")}own.js"></script>' in written
    assert not re.search(r'href="(?!\.\./|#)[^"]*\.html', written)  # no chapter is beside it
    brought = (tmp_path / "page" / "own.js").read_text().removeprefix("globalThis.courseOwn = ").removesuffix(";\n")
    assert base64.b64decode(json.loads(brought)["base64"]) == path.read_bytes()


def test_text_says_what_it_leaves_out_and_where_it_is(course, monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))
    book = tmp_path / "book.txt"
    book.write_text("17\n\nOnce\n\n" + "The quick brown fox jumps .\n\n" * 4_000)
    code, out, _ = course("text", str(book), "--name", "fox")
    assert code == 0
    told = ("Line 1 of book.txt: left out", "under 3 words, left out: 1.", "24,000 words in 4,000 sentences, 6 diff")
    assert [says for says in told if says not in out] == []
    assert (tmp_path / "answers" / "text" / "en" / "fox.txt").read_text().startswith("The quick")
    assert course("text", str(book), "--name", "../fox")[0] == 1
    assert course("text", str(tmp_path / "none.txt"))[0] == 1


@pytest.mark.parametrize("number", ["6", "06"])
def test_slides_and_lecture_go_where_they_are_asked_to(course, chapter, tmp_path, number):
    code, out, _ = course("lecture", number)
    folder = chapter / "build" / "lecture"
    assert (code, str(folder / "lecture_06.ipynb") in out) == (0, True)
    assert sorted(path.name for path in folder.iterdir()) == ["lecture_06.ipynb", "lecture_06_solutions.ipynb"]
    deck = tmp_path / "deck" / "06_small.html"
    code, out, _ = course("slides", number, "--out", str(deck.parent))
    assert (code, str(deck) in out, "6 · Small" in deck.read_text(encoding="utf-8")) == (0, True, True)


@pytest.mark.parametrize("command", [("slides", "6"), ("lecture", "6"), ("site",)])
def test_a_file_is_no_folder(course, chapter, command):
    file = chapter / "notes.txt"
    file.write_text("mine", encoding="utf-8")
    for out in (file, file / "deck"):
        assert course(*command, "--out", str(out)) == (1, "", f"--out: {file} is a file. Name a folder.\n")
    assert file.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", ["slides", "lecture", "lab"])
def test_a_wrong_chapter_is_one_sentence(course, chapter, started, command):
    said = "There is no chapter '66'. Chapters: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, A1, A2, A3.\n"
    assert course(command, "66") == (1, "", said)
    assert "Chapter A1 is not in" in course(command, "A1")[2]
    assert started == []


# ---- in Korean


@pytest.fixture
def any_language(monkeypatch):
    """What `--language` sets holds for this test only."""
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    yield
    use(None)


def test_the_command_speaks_korean(course, monkeypatch, any_language):
    assert "슬라이드로 만듭니다" in course("--language", "ko", "slides", "--help")[1]
    use(None)
    monkeypatch.setenv("COURSE_LANGUAGE", "ko")
    assert "슬라이드로 만듭니다" in course("--help")[1]
    monkeypatch.setenv("COURSE_LANGUAGE", "kr")
    assert "COURSE_LANGUAGE is 'kr'" in course("--help")[2]
    monkeypatch.setenv("COURSE_LANGUAGE", "en")
    assert "There is no edition in 'kr'" in course("--language", "kr", "claims")[2]


def test_lab_opens_the_korean_chapter_and_the_english_where_there_is_none(course, project, started, any_language):
    folder = project / "notebooks"
    (folder / "ko").mkdir()
    for file in (folder / "04_elmo.ipynb", folder / "05_ulmfit.ipynb", folder / "ko" / "04_elmo.ipynb"):
        file.touch()
    said = [course("--language", "ko", "lab", *chapter)[2] for chapter in (["4"], ["5"], [])]
    places = ("notebooks/ko/04_elmo.ipynb", "notebooks/05_ulmfit.ipynb", "notebooks/ko")
    common = ["-m", "jupyterlab", f"--ServerApp.root_dir={project}"]  # chapters link to files beside notebooks/
    assert [command[1:] for command in started] == [
        [*common, f"--LabApp.default_url=/lab/tree/{place}"] for place in places
    ]
    assert ["5장의 한국어판이 아직 없어서" in words for words in said] == [False, True, False]
    assert os.environ["COURSE_LANGUAGE"] == "ko"  # the kernels speak it too
