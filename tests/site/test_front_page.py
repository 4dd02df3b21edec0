"""The first page is made of README.md; a chapter that is not in its table is there all the same."""

import pytest
from bs4 import BeautifulSoup

from course.site.front_page import MapRow, course_map, front_page
from course.site.page import Chapter
from course_lib.config import project_dir
from course_lib.errors import CourseError
from tests.site.small import README

CHAPTERS = [Chapter("00_begin", "0 · Begin here", "", ()), Chapter("01_end", "1 · The <end>", "", ())]


def test_the_map_is_the_table_of_readme():
    assert course_map(README) == {"00_begin": MapRow("0", "Begin", "(draft)", "say *what* it asks")}


def test_the_map_names_every_stored_notebook_and_its_number():
    rows = course_map((project_dir() / "README.md").read_text(encoding="utf-8"))
    stored = {path.stem: path for path in (project_dir() / "notebooks").glob("*.ipynb")}
    assert set(rows) <= set(stored)
    assert len(rows) >= 8
    assert all(name.partition("_")[0].lstrip("0") in (row.number, "") for name, row in rows.items())


def test_the_page_shows_the_map_the_claims_and_the_commands():
    page = BeautifulSoup(front_page(README, CHAPTERS), "html.parser")
    assert [heading.get_text().removesuffix("¶") for heading in page.find_all(["h1", "h2"])] == [
        "A course",
        "The chapters",
        "Claims, not slogans",
        "Two commands",
    ]
    first, second = page.select("ol.map li")
    assert first.a["href"] == "00_begin.html"
    assert first.p.get_text() == "You can afterwards say what it asks."
    assert first.p.em.get_text() == "what"
    assert (second.a.get_text(), second.select_one(".note").get_text()) == ("The <end>", "(being written)")
    assert page.details.a["href"] == "00_begin.html"
    assert "Nothing of this" not in page.get_text()


@pytest.mark.parametrize("part", ["## The chapters", "## Claims, not slogans", "## Two commands"])
def test_a_readme_without_a_part_is_named(part):
    with pytest.raises(CourseError, match=part):
        front_page(README.replace(part, "## Other"), CHAPTERS)


def test_a_readme_without_the_table_is_named():
    with pytest.raises(CourseError, match="no table of chapters"):
        course_map("# A course")
