"""What a session keeps and scores: whole or not at all, and said when it cannot be taken up."""

import io
import json
import re

import pytest
import safetensors.torch
import torch
from torch import nn

import course_lib
from course import kept
from course.figures import recorded_board
from course_lib.errors import CourseError
from course_lib.language import speaking


@pytest.fixture
def session(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path))
    return course_lib.start(3)


def fill(value):
    return lambda model: nn.init.constant_(model.weight, value)


def test_a_network_is_taken_up_as_it_was_kept(session, tmp_path, capsys):
    first = nn.Linear(3, 5)
    session.keep("forward", first)
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")] == ["kept/en/forward.safetensors"]
    capsys.readouterr()
    second = session.kept("forward", nn.Linear(3, 5), fill(7))
    assert (torch.equal(first.weight, second.weight), second.training) == (True, False)
    assert capsys.readouterr().out == ""
    with speaking("ko"), pytest.raises(CourseError, match="nothing to take up"):
        session.kept("forward", nn.Linear(3, 5))  # of the other edition's text


def test_what_was_not_kept_is_trained_here_and_kept(session, capsys):
    capsys.readouterr()
    model = session.kept("vectors", nn.Linear(2, 2), fill(3))
    assert model.weight.eq(3).all()
    assert capsys.readouterr().out == "vectors: not kept yet, so it is trained here.\n"
    assert session.kept("vectors", nn.Linear(2, 2)).weight.eq(3).all()


NAN = {"weight": torch.full((2, 2), float("nan")), "bias": torch.zeros(2)}
FAULTS = {
    "another network": lambda content: safetensors.torch.save(nn.Linear(4, 2).state_dict()),
    "cut": lambda content: content[:-5],
    "NaN": lambda content: safetensors.torch.save(NAN),
}


@pytest.mark.parametrize("spoil", FAULTS.values(), ids=FAULTS)
def test_what_cannot_be_taken_up_is_trained_anew_and_left_as_it_is(session, spoil, capsys):
    session.keep("old", nn.Linear(2, 2))
    path = kept.folder() / "old.safetensors"
    path.write_bytes(spoil(path.read_bytes()))
    before = path.read_bytes()
    capsys.readouterr()
    assert session.kept("old", nn.Linear(2, 2), fill(5)).weight.eq(5).all()
    said = capsys.readouterr().out
    assert re.match(r"old: trained anew here\. .*old\.safetensors", said)
    assert path.read_bytes() == before
    with pytest.raises(CourseError, match=r"nothing to take up.*old\.safetensors"):
        session.kept("old", nn.Linear(2, 2))


@pytest.mark.parametrize("name", ["", "../up", "a/b", "배", "a" * 61, ".x", 3])
def test_a_name_is_plain(session, name):
    with pytest.raises(CourseError, match="Use letters"):
        session.keep(name, nn.Linear(1, 1))


def test_a_network_that_is_not_a_number_is_not_kept(session):
    model = nn.Linear(2, 2)
    nn.init.constant_(model.weight, float("nan"))
    with pytest.raises(CourseError, match="smaller learning rate"):
        session.keep("bad", model)
    assert not kept.folder().exists() or not list(kept.folder().iterdir())


def test_a_network_that_cannot_be_kept_is_trained_all_the_same(session, capsys):
    kept.folder().parent.mkdir(parents=True)
    kept.folder().write_text("")  # where the folder should be
    assert (session.kept("own", nn.Linear(2, 2), fill(3)).weight == 3).all()
    assert "Could not write" in capsys.readouterr().out


def test_scores_add_up_by_language(session):
    session.score("my vectors, frozen", {20: 54.5, 100: 62})
    mine = r"my $\frac{$"  # no formula, and drawn as it is
    session.score(mine, 71.25)
    session.score("my vectors, frozen", {100: 63})
    assert kept.scores() == {"my vectors, frozen": {20: 54.5, 100: 63}, mine: {100: 71.25}}
    with speaking("ko"):
        assert kept.scores() == {}
    figure = session.board()
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert (names[-1], set(names)) == (mine, {*recorded_board(), mine})
    figure.savefig(io.BytesIO())
    assert [text.get_text() for text in figure.axes[1].texts] == ["63", "71"]


@pytest.mark.parametrize("value", [-1, 101, float("nan"), "54", True, {50: 3}, {}])
def test_a_score_is_a_percentage(session, value):
    with pytest.raises(CourseError, match="F1 in %"):
        session.score("mine", value)
    assert kept.scores() == {}


@pytest.mark.parametrize(
    "content", ['{"a": 3}', '{"a": {"x": 1}}', "{", '{"a": {"20": NaN}}', '{"a": {"50": 3}}', r'{"\ud800": {"20": 3}}']
)
def test_a_damaged_board_is_said_and_not_overwritten(session, content):
    session.score("mine", 50)
    (kept.folder() / "board.json").write_text(content)
    for call in (session.board, lambda: session.score("mine", 60)):
        with pytest.raises(CourseError, match=r"board\.json cannot be read"):
            call()
    assert (kept.folder() / "board.json").read_text() == content


def test_later_systems_are_grey_on_the_recorded_board(session):
    figure = session.board()  # of chapter 3
    greys = [label.get_color() != "black" for label in figure.axes[0].get_yticklabels()]
    assert greys == [chapter > 3 for chapter, _ in recorded_board().values()]
    for edition in ("en", "ko"):
        with speaking(edition):
            scores = [f1 for _, scores in recorded_board().values() for f1 in scores.values()]
        assert all(f1.low <= f1.estimate <= f1.high for f1 in scores)


@pytest.mark.parametrize(
    "name", ["own-bert", "answers/kept/own-bert", "answers/kept/en/own-bert.safetensors", "book/own-bert"]
)
def test_a_kept_file_is_found_by_its_name_or_path(monkeypatch, tmp_path, name):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))
    monkeypatch.chdir(tmp_path)
    with kept.of_text("book" if "book" in name else ""):
        path = kept.keep("own-bert", nn.Linear(2, 3), ["a", "배"])
    assert kept.bytes_of(name) == path.read_bytes()
    with safetensors.safe_open(path, "pt") as file:
        assert json.loads(file.metadata()["words"]) == ["a", "배"]
        assert file.metadata()["language"] == "en"
    path.with_name("notebook.ipynb").write_text("{}")
    with pytest.raises(CourseError, match=r"notebook\.ipynb is not a readable"):
        kept.bytes_of(str(path.with_name("notebook.ipynb")))
    for other in ("nowhere", "answers", "", "/", "answers/kept/en", "no/x"):
        with pytest.raises(CourseError, match=r"is no network that is kept.*own-bert"):
            kept.bytes_of(other)
