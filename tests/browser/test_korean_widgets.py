"""Widgets in Korean, in the page: particles as in Python, no English sentence, no syllable cut from its word."""

import html
import json
import re

import numpy as np
import pytest

from course.catalogue import particle
from course.widgets import drawings, scalar_mix
from course.widgets.base import FOLDER
from course_lib.language import speaking
from tests.browser.test_all_widgets import HEIGHT, PRESSED, drawn
from tests.test_language import PARTICLES
from tests.widgets.test_all_widgets import LARGE

pytestmark = pytest.mark.browser

ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2}")


def test_particles_of_the_page_are_those_of_python(calm):
    calm.set_content(f"<script>{(FOLDER / 'kit.js').read_text('utf-8')}; window.particle = particle;</script>")
    asked = [(word, *pair) for word, *_ in PARTICLES for pair in (("은", "는"), ("으로", "로"), ("이", "가"))]
    found = calm.evaluate("asked => asked.map(one => particle(...one))", asked)
    assert found == [particle(*one) for one in asked]


def test_drawings_say_korean():
    names = "sliding_window skip_gram look_up taglm elmo ulmfit transformer attention bert four_heads".split()  # noqa: SIM905
    with speaking("ko"):
        says = [getattr(drawings, name)().says for name in names]
    assert [words for words in says if ENGLISH.search(re.sub("“.*?”", "", words))] == []


WORDS = """() => {
  const named = [...document.querySelectorAll(".cw [aria-label], .cw [title]")].flatMap(e => [e.ariaLabel, e.title]);
  return [document.querySelector(".cw").innerText, ...named].join(" ");
}"""
TORN = """() => [...document.querySelectorAll(".cw *")]
  .filter(e => !e.children.length && !e.ownerSVGElement && /^[−+\\d][\\d.,k%]*$/.test(e.textContent))
  .filter(e => e.offsetHeight && new Set([...(r => (r.selectNodeContents(e), r.getClientRects()))(new Range())]
    .map(box => Math.round(box.top))).size > 1).map(e => e.textContent)"""
# names, tokens, keys and signs that a Korean reader knows so; w0 and the like are a widget's own data
KNOWN = set(re.findall(r"\w+", "JupyterLab Tab Esc Enter Escape MASK UNK CLS SEP She rowed across the river to bank"))


@pytest.mark.parametrize("name", LARGE)
def test_a_widget_speaks_korean_and_nothing_moves(calm, name):
    with speaking("ko"):
        widget = LARGE[name][0]()
        said, page_html = repr(widget), widget.page()
    assert ENGLISH.findall(said) == []
    assert html.escape(widget.title) in page_html  # by which a live page knows it
    given = (getattr(widget, name) for name in widget.keys if name not in ("texts", "_esm", "_css"))
    data = json.dumps([value for value in given if isinstance(value, (list, dict, str))])
    own = {*KNOWN, *re.findall(r"[A-Za-z]+", data)}
    frame = drawn(calm, page_html)
    assert frame.locator("html").get_attribute("lang") == "ko"
    assert frame.evaluate("getComputedStyle(document.querySelector('.cw')).wordBreak") == "keep-all"
    assert frame.evaluate(TORN) == []  # a line of Korean may end anywhere, but not within a number
    (_, (_, before)), *_ = answers = frame.evaluate(PRESSED, [40, WORDS, HEIGHT])
    for pressed, (words, height) in answers:
        assert (pressed, {*re.findall(r"[A-Za-z]{2,}", words)} - own) == (pressed, set())
        assert (pressed, height) == (pressed, before)


def test_the_layers_and_senses_of_a_mix_are_said_in_korean(calm):
    layers = {name: np.random.default_rng(3).normal(size=(4, 6)) for name in ("token", "layer 1")}
    with speaking("ko"):
        widget = scalar_mix(layers, [["the", "work"]] * 4, [1] * 4, ["noun", "noun", "verb", "verb"])
        finding, page_html = widget.finding(), widget.page()
    assert "토큰 층 50%, 1층 50%" in finding
    shown = drawn(calm, page_html).locator("section.cw").inner_text()
    assert "토큰 층 50%, 1층 50%" in shown
    assert [word for word in ("token", "noun", "verb") if word in shown] == []
