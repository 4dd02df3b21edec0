"""`course data list | get | verify`."""

import lzma
import sys

import pytest

from course import cli
from course_lib.data.readers import of_set
from course_lib.data.readers.texts import read_labelled
from tests.data.public_server import TABLE


@pytest.fixture
def course(monkeypatch, capsys, small_sets):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setitem(of_set._BY_FILE, "small_table", lambda path, _: read_labelled(path))

    def run(*arguments):
        """Exit code, standard output, standard error."""
        monkeypatch.setattr(sys, "argv", ["course", "data", *arguments])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        return ended.value.code or 0, *capsys.readouterr()

    return run


def test_list_says_what_is_here(course):
    assert [line.split()[-1] for line in course("list")[1].splitlines() if "small_" in line] == ["no", "no", "no"]
    course("get", "small_table")
    code, out, _ = course("list")
    assert code == 0
    assert [line.split()[-1] for line in out.splitlines() if "small_" in line] == ["cache", "no", "no"]


def test_list_in_a_narrow_terminal_leaves_out_what_a_set_is(course, monkeypatch):
    wide = course("list")[1]
    monkeypatch.setenv("COLUMNS", "80")
    narrow = course("list")[1]
    assert ("what it is" in wide, "what it is" in narrow) == (True, False)
    assert [line.split()[-1] for line in narrow.splitlines() if "small_" in line] == ["no", "no", "no"]
    assert "A terminal of 120 columns" in narrow


def test_get_shows_licence_files_and_the_first_record(course, small_sets):
    code, out, _ = course("get", "small_table")
    assert code == 0
    for part in (
        "train 2 (the unit)",
        "the licence; the conditions",
        "the citation",
        "LabelledText(text='사과 맛있다'",
    ):
        assert part in out
    assert str(small_sets / "small_table" / "table.tsv") in out


def test_get_goes_on_after_a_set_that_cannot_be_had(course):
    code, out, err = course("get", "small_text", "small_table")
    assert code == 1
    assert "train 2" in out
    assert "small_text has no address to download from" in err
    assert course("get", "nowhere")[0] == 1


def test_verify_fails_for_damage_only(course, small_sets, tmp_path, monkeypatch):
    assert course("verify")[0] == 0
    course("get", "small_table")
    assert "5 files: 1 good, 4 missing, 0 damaged" in course("verify")[1]
    (small_sets / "small_table" / "table.tsv").write_bytes(TABLE + b"more")
    code, out, _ = course("verify", "small_table")
    assert code == 1
    assert "1 damaged" in out
    assert "not the registered file" in out
    (tmp_path / "mirror" / "small_table").mkdir(parents=True)
    (tmp_path / "mirror" / "small_table" / "table.tsv.xz").write_bytes(lzma.compress(TABLE))
    monkeypatch.setenv("COURSE_DATA_DIR", str(tmp_path / "mirror"))
    assert course("verify", "small_table")[0] == 0
