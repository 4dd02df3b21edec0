"""Cells as HTML: addresses, links, formulas; pictures are described, frames stay closed and live, text stays text."""

import base64
import html
import json
from io import BytesIO

import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat import v4
from PIL import Image

from course.site.cells import Prose, describe, output_html, widget_html
from course.widgets import one_hot_row
from tests.site.small import FRAME, PIXEL, display

PAPER = "https://arxiv.org/abs/1706.03762"


@pytest.fixture
def prose():
    return Prose({"04_elmo", "05_ulmfit"})


def test_headings_get_addresses_of_their_own_over_all_cells(prose):
    prose.render("# 4 · ELMo\n\n## 4.1 Why $d_k$?\n\n## Notice\n\ntext")
    assert 'id="notice-2"' in prose.render("## Notice")
    addresses = [(1, "4-elmo"), (2, "4.1-why-dk"), (2, "notice"), (2, "notice-2")]
    assert [(h.level, h.address) for h in prose.headings] == addresses


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("[ELMo](04_elmo.ipynb)", '<a href="04_elmo.html">ELMo</a>'),
        ("[ELMo](notebooks/04_elmo.ipynb#4.1)", '<a href="04_elmo.html#4.1">ELMo</a>'),
        ("[a card](../data/README.md)", "a card (../data/README.md)"),
        ("[LICENSE](LICENSE)", "LICENSE"),
        ("[data/README.md](../data/README.md)", "data/README.md"),
        ("[Ask BERT](../build/site/ask_bert.html)", '<a href="ask_bert.html">Ask BERT</a>'),
        ("[BERT에게 묻기](../../build/site/ask_bert.html)", '<a href="ask_bert.html">BERT에게 묻기</a>'),
        ("[other](09_other.ipynb)", "other (09_other.ipynb)"),
        ("[below](#notice)", '<a href="#notice">below</a>'),
        (f"[paper]({PAPER})", f'<a href="{PAPER}">paper</a>'),
        ("see arXiv:1706.03762.", f'see <a href="{PAPER}">arXiv:1706.03762</a>.'),
        (f"[arXiv:1706.03762]({PAPER})", f'<a href="{PAPER}">arXiv:1706.03762</a>'),
    ],
)
def test_links_lead_into_the_site_or_to_the_web(prose, markdown, expected):
    assert prose.render(markdown).strip() == f"<p>{expected}</p>"


def test_a_page_that_stands_alone_names_the_site_s_pages():
    """A deck lies elsewhere than the site, which may not have been made."""
    assert Prose(set()).render("[Ask BERT](../build/site/ask_bert.html)").strip() == "<p>Ask BERT (ask_bert.html)</p>"


def test_html_in_a_chapter_is_text_but_for_a_line_break(prose):
    shown = prose.render("a <img src=x onerror=alert(1)> b<br>c\n\n<script>alert(2)</script>")
    assert "<img" not in shown
    assert "<script" not in shown
    assert "b<br>c" in shown
    assert "<a" not in prose.render("[x](javascript:alert(1))")


def test_html_goes_through_where_it_is_asked_for():
    assert "<details>" in Prose(set(), raw_html=True).render("<details><summary>s</summary>\n\nx\n\n</details>")


def test_no_line_begins_with_the_comma_after_a_formula(prose):
    shown = prose.render("by $q$, and $k$ too")
    assert shown.count('<span class="keep">') == 1
    assert '</math>,</span> and <math display="inline">' in shown


def test_a_dollar_in_code_is_no_formula(prose):
    assert prose.render("`$x$`").strip() == "<p><code>$x$</code></p>"


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
    kind, _, packed = picture["src"].partition(";base64,")
    assert kind == "data:image/webp"
    pixels = [Image.open(BytesIO(base64.b64decode(data))).convert("RGBA").tobytes() for data in (packed, PIXEL)]
    assert pixels[0] == pixels[1]  # nothing is lost


def test_hangul_in_a_frame_is_spelt_as_it_is_read():
    stored = json.dumps("배 가힣 \\ubc30 <\U0001f600").replace("<", r"\u003c")
    frame = BeautifulSoup(widget_html(FRAME.format(html.escape(f"<body>{stored}"))), "html.parser").iframe
    assert frame["srcdoc"].endswith(r'<body>"배 가힣 \\ubc30 \u003c\ud83d\ude00"</html>')


def test_a_widget_keeps_its_page_its_lock_and_its_still_picture():
    stored = one_hot_row(np.arange(6).reshape(3, 2), ["a", "<img src=x>", "c"]).page()
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
