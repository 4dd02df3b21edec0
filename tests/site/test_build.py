"""The whole way: small notebooks with every kind of cell, then the course itself."""

import json
import re
from dataclasses import replace

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbformat import v4

from course.site import build
from course.site.build import build_site, code_colours, front_page
from course.site.cells import Chapter, Heading, Shown
from course_lib.config import project_dir
from course_lib.errors import CourseError
from tests.site.small import FRAME, PIXEL, README, display, project
from tests.test_cli import course  # noqa: F401 (a fixture)

CELLS = (
    v4.new_markdown_cell("## 0.1 A formula\n\n$$x^2$$"),
    v4.new_code_cell("print(1)  # <b>", metadata={"tags": ["by-hand"]}, outputs=[v4.new_output("stream", text="1\n")]),
    v4.new_code_cell("plot()", metadata={"jupyter": {"source_hidden": True}}, outputs=[display(image_png=PIXEL)]),
    v4.new_markdown_cell("**Notice.** It is small.\n\n### A part"),
    v4.new_code_cell("widget", outputs=[display(text_html=FRAME.format("w"))]),
    v4.new_code_cell(""),
)


def read(path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


def test_pages_hold_what_the_notebooks_hold_in_their_order(tmp_path):
    said = build_site(project(tmp_path, *CELLS), tmp_path / "site")
    assert said.startswith("site: 4 pages, ")
    first, last = (read(tmp_path / "site" / f"{name}.html") for name in ("00_begin", "01_end"))
    assert first.title.get_text().startswith("0 · Begin – ")
    order = [tag.name for tag in first.main.find_all(["h1", "h2", "h3", "math", "pre", "img", "iframe"])]
    assert order == ["h1", "h2", "math", "pre", "pre", "pre", "img", "h3", "pre", "iframe"]
    assert first.main.pre.get_text() == "print(1)  # <b>\n"
    assert first.img["alt"] == "It is small."
    folded = [" ".join(fold.get_text().split()[:3]) for fold in first.select(".cell details")]
    assert folded == ["Code, 1 lineplot()", "Code, 1 linewidget"]
    assert [a["href"] for a in first.select(".toc a")] == ["#0.1-a-formula", "#a-part"]
    assert [a["href"] for a in first.select(".toc a") if a.select(".mark")] == ["#a-part"]  # where the widget stands
    assert [(a["rel"], a["href"]) for a in first.select(".steps a")] == [(["next"], "01_end.html")]
    assert [(a["rel"], a["href"]) for a in last.select(".steps a")] == [(["prev"], "00_begin.html")]
    assert last.main.p.a["href"] == "00_begin.html"


KOREAN = (
    v4.new_markdown_cell("# 0 · 시작\n\n## 0.1 식\n\n$x^2$과 `code`를 봅니다."),
    v4.new_code_cell("plot()", outputs=[display(image_png=PIXEL)]),
    v4.new_markdown_cell("**살펴보기.** 작습니다.\n\n### 한 부분"),
)


def test_a_korean_edition_stands_beside_the_english_one(tmp_path):
    small, out = project(tmp_path, *CELLS), tmp_path / "site"
    (small / "notebooks" / "ko").mkdir()
    nbformat.write(v4.new_notebook(cells=list(KOREAN)), small / "notebooks" / "ko" / "00_begin.ipynb")
    assert build_site(small, out).startswith("site: 7 pages, ")
    english, korean, other = (read(out / name) for name in ("00_begin.html", "ko/00_begin.html", "01_end.html"))
    assert (english.html["lang"], korean.html["lang"]) == ("en", "ko")
    there, back = (page.select_one(".language") for page in (english, korean))
    assert (there["href"], back["href"]) == ("ko/00_begin.html", "../00_begin.html")
    places = [["0-begin", "0-시작"], ["0.1-a-formula", "0.1-식"], ["a-part", "한-부분"]]
    assert json.loads(there["data-places"]) == places
    assert other.select_one(".language") is None
    assert korean.img["alt"] == "작습니다."
    assert korean.select_one(".toc summary").get_text() == "이 페이지의 내용"
    assert korean.select_one(".keep").get_text().endswith("과")
    assert "code\u2060를" in korean.main.get_text()
    front = read(out / "ko" / "index.html")
    assert [(a["href"], a.get_text()) for a in front.select(".map a")] == [("00_begin.html", "시작")]
    assert front.select_one(".language")["href"] == "../index.html"
    assert read(out / "index.html").select_one(".language")["href"] == "ko/index.html"


def test_a_second_build_changes_nothing_and_old_chapters_go(tmp_path):
    small, out = project(tmp_path, *CELLS), tmp_path / "site"
    build_site(small, out)
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    (out / "02_gone.html").write_text("old")
    (out / "mine.html").write_text((out / "index.html").read_text(encoding="utf-8"), encoding="utf-8")
    build_site(small, out)
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.name != "mine.html"} == before
    assert (out / "mine.html").exists()


@pytest.mark.parametrize(
    ("markdown", "title", "fault"),
    [
        (
            "[down](#nowhere)\n\n#### Too deep",
            "# 0",
            r"(?s)2 faults(?=.*00_begin.html: link to #nowhere).*00_begin.html: heading “Too deep",
        ),
        (r"$\nosuch x$", "# 0", r"^00_begin.ipynb: The formula \$\\nosuch x\$"),
        ("words", "text", r"00_begin.ipynb does not begin with a title"),
    ],
)
def test_a_fault_in_a_text_is_named_with_its_page(tmp_path, markdown, title, fault):
    small = project(tmp_path, v4.new_markdown_cell(markdown), title=title)
    with pytest.raises(CourseError, match=fault):
        build_site(small, tmp_path / "site")


def test_what_is_no_notebook_is_named_and_without_any_there_is_no_site(tmp_path):
    (tmp_path / "notebooks").mkdir()
    with pytest.raises(CourseError, match="no notebook"):
        build_site(tmp_path, tmp_path / "site")
    (tmp_path / "notebooks" / "02_bad.ipynb").write_text("{")
    with pytest.raises(CourseError, match=r"02_bad.ipynb is not a notebook"):
        build_site(tmp_path, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_the_ledger_s_verdicts_have_their_signs_and_cells_their_names():
    rows = "| C1 | a | contradicted | |\n| C2 | b | cannot judge | yes |"
    table = README[README.index("| | chapter |") : README.index("</details>")]
    readme = README.replace(table, f"| | claim | verdict | live |\n| --- | --- | --- | --- |\n{rows}\n\n")
    page = BeautifulSoup(front_page(readme, CHAPTERS), "html.parser")
    cells = [[(cell.get_text(), cell.get("class"), cell.get("data-label")) for cell in row.select("td")]
             for row in page.select("table.claims tbody tr")[:2]]  # fmt: skip
    assert cells[0][:2] == [("C1", None, None), ("a", None, "claim")]
    assert cells[0][2:] == [("✕ contradicted", ["verdict", "contradicted"], None), ("", None, "live")]
    assert cells[1][2][:2] == ("– cannot judge", ["verdict", "cannot-judge"])


def test_code_can_be_read_in_each_of_its_colours():
    """WCAG's contrast of 4.5 on the ground of code, in both schemes."""

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    faint = []
    for rule in code_colours().splitlines():
        pair = re.findall(r"light-dark\((.*),(.*)\)", rule)[:1] or [("", "")]
        for colour, ground in zip(pair[0], ("#f6f7f9", "#1a1e23"), strict=True):
            if not colour.startswith("#") or rule.startswith(".code .w{"):  # ink, or a blank, which has no letters
                continue
            above, below = sorted((light(colour), light(ground)), reverse=True)
            if (above + 0.05) / (below + 0.05) < 4.5:
                faint.append((rule, colour))
    assert faint == []


def test_the_command_builds_where_it_is_told(course, monkeypatch, tmp_path):  # noqa: F811
    small = project(tmp_path)
    monkeypatch.setattr("course_lib.config.project_dir", lambda: small)
    for arguments, out in ((["--out", str(tmp_path / "there")], "there"), ([], "build/site")):
        assert "4 pages" in course("site", *arguments)[1]
        assert (tmp_path / out / "index.html").is_file()


CHAPTERS = [Chapter("00_begin", "0 · Begin here", "", ()), Chapter("01_end", "1 · End", "", ())]


@pytest.mark.parametrize(("readme", "folder"), [("README.md", "notebooks"), ("README.ko.md", "notebooks/ko")])
def test_the_map_names_every_stored_notebook_and_its_number(readme, folder):
    rows = build._ROW.findall((project_dir() / readme).read_text(encoding="utf-8"))
    stored = sorted(path.stem for path in (project_dir() / folder).glob("*.ipynb"))
    assert [name for _, _, name, _ in rows] == stored
    assert all(name.partition("_")[0].lstrip("0") in (number, "") for number, _, name, _ in rows)


def test_the_page_shows_the_map_the_claims_and_the_commands():
    page = BeautifulSoup(front_page(README, CHAPTERS), "html.parser")
    headings = [heading.get_text().removesuffix("¶") for heading in page.find_all(["h1", "h2"])]
    assert headings == ["A course", "The chapters", "Claims, not slogans", "Two commands"]
    [row] = page.select("ol.map li")  # the other chapter is not stored
    assert (row.a["href"], row.a.get_text()) == ("00_begin.html", "Begin <here>")
    assert row.p.get_text() == "You can afterwards say what it asks."
    assert row.p.em.get_text() == "what"
    assert page.details.a["href"] == "00_begin.html"
    assert "Nothing of this" not in page.get_text()
    live = BeautifulSoup(front_page(README, CHAPTERS, live=True), "html.parser")
    assert [len(shown.select('a[href="ask_bert.html"]')) for shown in (page, live)] == [0, 1]


def test_the_first_widget_stands_where_readme_has_its_picture():
    widget = Shown('<div class="widget">alive</div>', Heading(2, "", "", ""))
    shown = [replace(CHAPTERS[0], shown=(widget,)), CHAPTERS[1]]
    readme = README.replace("What it is about.", "What it is about.\n\n[![A still](a.png)](b.ipynb)\n\n> Afterwards")
    words = BeautifulSoup(front_page(readme, shown), "html.parser").get_text(" ", strip=True)
    assert words.index("What it is about.") < words.index("alive") < words.index("Afterwards") < words.index("Begin")
    assert "A still" not in words
