"""Cards, and the table over all of them."""

import pytest

from course.recipes import card
from course.records.label_curves import Cell, Curves
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.models.shipped import shipped_names

ROWS = {
    "model": "net",
    "corpus": "text",
    "tokens": "7",
    "settings": "width 3",
    "device": "cpu",
    "minutes": "0.1",
    "score of a test": "0.5",
    "licence": "CC BY 4.0",
    "command": "`run`",
}


def test_what_is_rendered_can_be_parsed():
    assert card.parse(card.render("A title", ROWS), "here") == ("A title", ROWS)


@pytest.mark.parametrize("name", [*card.FACTS, "corpus"])
def test_a_card_without_a_row(name):
    rows = {key: value for key, value in ROWS.items() if key != name}
    with pytest.raises(CourseError, match=f"has no row for: {name}"):
        card.render("A title", rows)


@pytest.mark.parametrize("value", ["", "two\nlines", "a | b"])
def test_values_that_would_break_the_table(value):
    with pytest.raises(CourseError, match="row 'tokens'"):
        card.render("A title", {**ROWS, "tokens": value})


@pytest.mark.parametrize("text", ["", "# Title\n\nText\n", card.render("T", ROWS) + "more\n"])
def test_what_is_no_card(text):
    with pytest.raises(CourseError, match="here is not a card"):
        card.parse(text, "here")


def test_the_table_has_a_line_for_each_checkpoint(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "card.md").write_text(card.render(f"Title {name}", ROWS))
    lines = card.overview(tmp_path, Curves()).splitlines()[-2:]
    assert lines[1] == (
        "| [two](two/card.md) | Title two | text | 7 | cpu, 0.1 | score of a test: 0.5 | — | 0.0 | CC BY 4.0 |"
    )
    (tmp_path / "two" / "card.md").unlink()
    with pytest.raises(CourseError, match=r"card\.md is missing"):
        card.overview(tmp_path, Curves())


def test_the_table_shows_what_is_recorded_of_public_tasks(tmp_path):
    (tmp_path / "bert-en").mkdir()
    (tmp_path / "bert-en" / "config.json").write_text("{}")
    (tmp_path / "bert-en" / "card.md").write_text(card.render("BERT", ROWS))
    cells = [Cell("rte", system, 7, 0, 7, 3, score, 1.0) for system, score in (("bert", 61.0), ("bert-scratch", 53.0))]
    curves = Curves({"rte": {"metric": "accuracy in %"}}, (), tuple(cells))
    column = "public tasks: fine-tuned / from scratch"
    for found, expected in (
        (Curves(), "not recorded yet"),
        (curves, "RTE, entailment: 61.0 / 53.0 accuracy in % (7 labels, 1 seed)"),
    ):
        *_, head, rule, row = card.overview(tmp_path, found).splitlines()
        assert len({line.count("|") for line in (head, rule, row)}) == 1
        assert row.split(" | ")[head.split(" | ").index(column)] == expected


def test_the_table_in_the_project_is_up_to_date():
    folder = data_dir("checkpoints")
    assert len(shipped_names()) >= 5
    assert (folder / "README.md").read_text(encoding="utf-8") == card.overview(folder), (
        "run: python -m course.recipes table"
    )
