"""The deck of a small chapter: where slides begin, what is shown, what is folded, what only the speaker reads."""

import base64
import io

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat import v4
from PIL import Image

from course.site.slides import LINES_SHOWN, deck, lines_shown, write_slides
from course_lib.config import project_dir
from course_lib.errors import CourseError
from tests.site.small import FRAME, PIXEL, display


def kind(slide_type: str, **more) -> dict:
    return {"slideshow": {"slide_type": slide_type}, **more}


def text(source: str, slide_type: str = "-"):
    return v4.new_markdown_cell(source, metadata=kind(slide_type))


def code(source: str, *outputs, slide_type: str = "-", tags: tuple = ()):
    return v4.new_code_cell(source, outputs=list(outputs), metadata=kind(slide_type, tags=list(tags)))


def page(*cells) -> BeautifulSoup:
    return BeautifulSoup(deck(v4.new_notebook(cells=list(cells)), "07_small"), "html.parser")


def shown(sheet) -> str:
    """The text of a slide as the audience has it: neither notes nor folded code."""
    sheet = BeautifulSoup(str(sheet), "html.parser")
    for hidden in sheet.select("aside, .anchor, details > pre"):
        hidden.decompose()
    return " ".join(sheet.get_text(" ").split())


def test_slides_subslides_and_skipped_cells():
    deck = page(
        text("# One", "slide"),
        text("goes on"),
        text("## Two", "subslide"),
        text("secret", "skip"),
        text("later", "fragment"),
        text("# Three", "slide"),
    )
    stacks = deck.select(".slides > section")
    sheets = [[shown(sheet) for sheet in stack.select(":scope > section > .sheet")] for stack in stacks]
    assert sheets == [["One goes on", "Two later"], ["Three"]]
    assert deck.select_one(".fragment").get_text().strip() == "later"
    assert "secret" not in str(deck)
    assert deck.title.get_text() == "One"


def test_a_plot_that_is_too_high_is_shown_in_halves_with_its_axes():
    names = [f"row {n}" for n in range(15)]
    figure, axes = plt.subplots(figsize=(6, 7.5))
    axes.barh(names, range(15), 0.5)
    figure.savefig(file := io.BytesIO(), dpi=100)
    plt.close(figure)
    cell = code("draw()", display(image_png=base64.b64encode(file.getvalue()).decode()))
    halves = [each["src"] for each in page(text("# One", "slide"), cell).select(".out img")]
    whole, upper, lower = (
        np.asarray(Image.open(io.BytesIO(picture)))
        for picture in (file.getvalue(), *(base64.b64decode(half.partition(",")[2]) for half in halves))
    )
    twice = len(upper) + len(lower) - len(whole)  # what is above and below the axes
    assert len(whole) / 2 < len(lower) < len(whole) * 0.7
    assert (upper[:50] == whole[:50, :, :3]).all()
    assert (lower[-50:] == whole[-50:, :, :3]).all()
    assert (upper[-50:] == lower[-50:]).all()
    assert 0 < twice < 200


def test_code_is_cut_and_nothing_is_lost():
    lines = [f"a{i} = '''<b> {i}'''" for i in range(LINES_SHOWN + 5)]
    block = page(text("# One", "slide"), code("\n".join(lines))).select_one(".code")
    parts = [part.get_text().split("\n") for part in block.select("pre")]
    assert parts == [lines[:LINES_SHOWN], lines[LINES_SHOWN:]]
    assert block.select_one("summary").get_text() == "5 more lines of code"
    assert block.select_one("details pre") is not None
    assert block.select("b") == []


@pytest.mark.parametrize(
    ("cell", "n_lines"),
    [
        (code("a = 1\nb = 2"), 2),
        (code("import a\nfrom b import c"), 0),
        (code("import a\n\nsession = course_lib.start(4)"), 0),
        (code("import a\na.run()"), 2),
        (code("draw()", display(image_png=PIXEL)), 0),
        (code("widget()", display(text_html=FRAME.format("x"))), 0),
        (code("draw()", display(image_png=PIXEL), tags=("live",)), 1),
        (code("value", display(text_plain="3")), 1),
    ],
)
def test_what_of_the_code_is_shown(cell, n_lines):
    assert lines_shown(cell) == n_lines


def test_notices_are_for_the_speaker():
    deck = page(
        text("# One", "slide"),
        text("before\n\n**Notice.** It *falls*.\n\nafter"),
        text("**Notice.** Only this.", "subslide"),
        code("draw()\n", display(image_png=PIXEL, text_plain="<Figure>")),
        text("**Notice.** It *rises*.\n\nnext", "subslide"),
    )
    first, second, third = deck.select(".sheet")
    assert shown(first) == "One before after"
    assert first.aside.get_text().split() == ["Notice.", "It", "falls."]
    assert [note.get_text().strip() for note in second.select("aside")] == ["Notice. Only this.", "Notice. It rises."]
    assert shown(third) == "next"
    assert not third.aside


def test_what_is_said_of_a_skipped_picture_is_skipped_with_it():
    """Else the table of one claim stands under the heading of another."""
    deck = page(
        text("**C1.1: one.**", "slide"),
        text("**C1.2: two.**", "skip"),
        code("show()", slide_type="skip"),
        text("**Notice.** Steps:\n\n| a |\n| --- |\n| 1 |\n\nafter"),
        text("on the slide"),
    )
    assert shown(deck.select_one(".sheet")) == "C1.1: one. on the slide"
    assert "Steps" not in str(deck.select_one(".slides"))


def test_formulas_widgets_pictures_and_hostile_text():
    deck = page(
        text("# One", "slide"),
        text(r"A root $\sqrt{d_k}$ and $$x = 1$$"),
        code("print(token)", v4.new_output("stream", text="<img src=x onerror=alert(1)>")),
        code("w", display(text_html=FRAME.format("x"), text_plain="a widget")),
        code("p", display(image_png=PIXEL, text_plain="<Figure>")),
    )
    assert [m.get("display") for m in deck.select("math")] == ["inline", "block"]
    assert "$" not in shown(deck.body.select_one(".sheet"))
    assert len(deck.select("section.alone .stage iframe[srcdoc]")) == 1
    pictures = deck.select("img")
    assert [picture["src"][:22] for picture in pictures] == ["data:image/webp;base64"]
    assert pictures[0]["alt"]


def test_nothing_is_loaded():
    deck = page(text("# One", "slide"), code("p", display(image_png=PIXEL)))
    assert deck.select("link, script[src], iframe[src]") == []
    assert [img["src"] for img in deck.select("img") if not img["src"].startswith("data:")] == []
    assert "Reveal" in deck.select_one("body script").get_text()
    assert "Hakim El Hattab" in str(deck)  # the licence goes with it


def test_a_notebook_without_slides(tmp_path):
    path = tmp_path / "A1_data.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("# A"), text("b", "skip")]), path)
    with pytest.raises(CourseError, match=r"A1_data has no slides.*notebooks/text/A1_data.md"):
        write_slides(path, tmp_path)


@pytest.mark.parametrize("path", sorted((project_dir() / "notebooks").glob("0*.ipynb")), ids=lambda path: path.stem)
def test_the_chapters_decks(path):
    """At most 50 slides, a bounded page, every formula understood."""
    deck_page = deck(nbformat.read(path, as_version=4), path.stem)
    assert 8 <= deck_page.count('class="sheet"') <= 50
    assert len(deck_page.encode()) < 2_500_000
    assert "$$" not in BeautifulSoup(deck_page, "html.parser").select_one(".slides").get_text()


def test_a_korean_deck_says_so_and_keeps_its_notices_as_notes(tmp_path):
    cells = [text("# 0 · 시작\n\n본문\n\n**살펴보기.** 작습니다.", "slide"), code("n = 1\n" * (LINES_SHOWN + 2))]
    folder = tmp_path / "notebooks" / "ko"
    folder.mkdir(parents=True)
    nbformat.write(v4.new_notebook(cells=cells), folder / "00_begin.ipynb")
    deck_page = BeautifulSoup(write_slides(folder / "00_begin.ipynb", tmp_path).read_text("utf-8"), "html.parser")
    assert deck_page.html["lang"] == "ko"
    assert deck_page.aside.get_text().strip() == "살펴보기. 작습니다."
    assert deck_page.summary.get_text() == "코드 2줄 더"
