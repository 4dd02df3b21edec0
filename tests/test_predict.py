"""`course predict`: one label per line of the file, whatever the lines hold; faults of the file are named."""

import numpy as np
import pytest

from course_lib.models import predict
from course_lib.models.review_words import ReviewWords
from tests.test_cli import course

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


def test_the_model_that_ships_tells_good_from_bad(monkeypatch, capsys, file):
    shown = [GOOD, BAD, GOOD.upper(), BAD.replace(" ", "<br /><br />"), BAD.title()]
    file.write_text("\n".join(shown) + "\n", encoding="utf-8")
    assert course(monkeypatch, capsys, "predict", "imdb", str(file)) == (0, "pos\nneg\npos\nneg\nneg\n", "")


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        (b"good\nbad", ["pos", "neg"]),  # no end of the last line
        (b"\xef\xbb\xbfgood\r\nbad\r\n", ["pos", "neg"]),
        ("good\x0cfilm\x1c\u2028so\x85good\rbad bad\ngood".encode(), ["neg", "pos"]),  # str.splitlines: seven lines
    ],
)
def test_a_label_for_each_line(monkeypatch, capsys, file, small_model, content, labels):
    file.write_bytes(content)
    code, out, err = course(monkeypatch, capsys, "predict", "imdb", str(file))
    assert (code, out.split("\n"), err) == (0, [*labels, ""], "")


def test_lines_without_a_known_word_are_labelled_and_named(monkeypatch, capsys, file, small_model):
    file.write_text("good\n\nbad\n \t\nunseen\n\n", encoding="utf-8")
    code, out, err = course(monkeypatch, capsys, "predict", "imdb", str(file))
    assert (code, out) == (0, "pos\nneg\nneg\nneg\nneg\nneg\n")
    assert "Warning: Lines 2, 4, 5, 6: empty, or no word that the model knows. Labelled neg" in err
    file.write_text("\n" * 23, encoding="utf-8")
    err = course(monkeypatch, capsys, "predict", "imdb", str(file))[2]
    assert "19, 20 and 3 more: empty" in err


def test_labels_into_a_file_of_their_own(monkeypatch, capsys, file, small_model):
    file.write_text("good\nbad\n\n", encoding="utf-8")
    out = file.with_name("labels.txt")
    code, said, err = course(monkeypatch, capsys, "predict", "imdb", str(file), "--out", str(out))
    assert (code, said, out.read_bytes()) == (0, f"3 labels in {out}\n", b"pos\nneg\nneg\n")
    assert "Line 3:" in err
    code, _, err = course(monkeypatch, capsys, "predict", "imdb", str(file), "--out", str(file))
    assert code == 1
    assert "is the file of texts itself" in err
    assert file.read_text(encoding="utf-8") == "good\nbad\n\n"
    code, _, err = course(monkeypatch, capsys, "predict", "imdb", str(file), "--out", str(file.parent))
    assert code == 1
    assert "is no ordinary file" in err
    code, _, err = course(
        monkeypatch, capsys, "predict", "imdb", str(file), "--out", str(file.parent / "new" / "x.txt")
    )
    assert (code, f"there is no folder {file.parent / 'new'}. Make it" in err) == (1, True)
    assert not (file.parent / "new").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "There is no file"),
        (b"", "is empty. Write one text a line"),
        (b"good\nbad\ncaf\xe9\n", "line 3, is not UTF-8: byte 0xe9 in column 4. Save the file as UTF-8."),
        ("good\n".encode("utf-16"), "line 1, is not UTF-8"),
    ],
)
def test_faults_of_the_file(monkeypatch, capsys, file, small_model, content, message):
    if content is not None:
        file.write_bytes(content)
    code, out, err = course(monkeypatch, capsys, "predict", "imdb", str(file))
    assert (code, out) == (1, "")
    assert message in err
    assert str(file) in err


def test_a_folder_and_an_unknown_task(monkeypatch, capsys, file, small_model):
    assert "cannot be read" in course(monkeypatch, capsys, "predict", "imdb", str(file.parent))[2]
    file.write_text("good\n", encoding="utf-8")
    code, out, err = course(monkeypatch, capsys, "predict", "sst2", str(file))
    assert (code, out, err) == (1, "", "There is no task 'sst2'. There are: imdb.\n")
