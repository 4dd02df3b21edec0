"""Outputs of cells: pictures are described, frames stay closed and live, text stays text."""

import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat import v4

from course.site.outputs import describe, output_html, widget_html
from course.site.prose import Prose
from course_lib.widgets import one_hot_row
from tests.site.small import FRAME, PIXEL, display


def shown(output, description: str = "words") -> str:
    return output_html(output, Prose(set()), description)


def test_printed_text_is_text():
    assert shown(v4.new_output("stream", text="\x1b[31m<b>red</b>\x1b[0m\n")) == (
        '<pre class="text">&lt;b&gt;red&lt;/b&gt;</pre>'
    )
    error = v4.new_output("error", ename="E", evalue="v", traceback=["\x1b[0;31mE\x1b[0m", "<v>"])
    assert shown(error) == '<pre class="error">E\n&lt;v&gt;</pre>'


def test_the_richest_form_is_shown():
    assert shown(display(text_plain="p", text_html="<b>h</b>")) == "<b>h</b>"
    assert shown(display(text_plain="p", text_markdown="*m*")).strip() == "<p><em>m</em></p>"
    assert shown(display(text_plain="p")) == '<pre class="text">p</pre>'


def test_a_picture_has_its_size_and_its_words():
    picture = BeautifulSoup(shown(display(image_png=PIXEL + "\n", text_plain="<Figure>"), 'a "b"'), "html.parser").img
    assert (picture["alt"], picture["width"], picture["height"]) == ('a "b"', "1", "1")
    assert picture["src"] == f"data:image/png;base64,{PIXEL}"


def test_a_widget_keeps_its_page_its_lock_and_its_still_picture():
    stored = one_hot_row(np.arange(6).reshape(3, 2), ["a", "<img src=x>", "c"], word="a").page()
    before, after = (BeautifulSoup(text, "html.parser") for text in (stored, widget_html(stored)))
    frame = after.select_one("div.widget > iframe")
    assert frame["sandbox"] == before.iframe["sandbox"] == ["allow-scripts"]
    script = "<script>" + frame["srcdoc"].partition("<script>")[2].partition("</script>")[0] + "</script>"
    assert "courseFrameHeight" in script
    assert frame["srcdoc"].replace(script, "", 1) == before.iframe["srcdoc"]  # nothing else has changed
    assert after.img["src"] == before.img["src"]
    assert len(after.find_all("img")) == 1  # the token is text
    assert frame["style"] == "height:520px"


def test_a_frame_alone_gets_a_place_of_its_own():
    page = BeautifulSoup(widget_html(FRAME.format("x")), "html.parser")
    assert page.select_one("div.widget > iframe")["style"] == "height:600px"


@pytest.mark.parametrize(
    ("source", "after", "expected"),
    [
        ('axes.set(title="It falls")', "**Notice.** See $d_k$ grow. Twice. More.", "It falls. See d_k grow. Twice."),
        ('axes.set_title("One")\naxes.set_title(name)', "Next", "One."),
        ("%matplotlib inline", "**Notice.** Yes.\n\nOther", "Yes."),
        ('plot(title=f"{n} words")', "### Next", "Figure of the section “4.1 Why?”."),
    ],
)
def test_a_figure_is_described_by_its_title_and_what_to_notice(source, after, expected):
    assert describe(v4.new_code_cell(source), v4.new_markdown_cell(after), "4.1 Why?") == expected


def test_a_description_is_cut_between_words():
    found = describe(v4.new_code_cell(""), v4.new_markdown_cell("**Notice.** " + "word " * 100), "s")
    assert len(found) <= 200
    assert found.endswith("word …")
