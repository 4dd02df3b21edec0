"""Widgets in Korean, in the page: particles as in Python, no English sentence, no syllable cut from its word."""

import html
import re

import numpy as np
import pytest

from course_lib.language import particle, speaking
from course_lib.models.review_words import ReviewWords
from course_lib.models.word_vectors import WordVectors
from course_lib.widgets import (
    ask_review,
    ask_words,
    attention_heatmap,
    drawings,
    embedding_map,
    fill_mask,
    one_hot_row,
    rate_designer,
    scalar_mix,
    softmax_saturation,
)
from course_lib.widgets.answer_spans import span_explorer
from course_lib.widgets.base import FOLDER
from course_lib.widgets.sense_pairs import occurrences
from course_lib.widgets.strip import Frame, token_strip
from tests.test_language import PARTICLES
from tests.widgets.gap_models import counting

pytestmark = pytest.mark.browser

RNG = np.random.default_rng(7)
TOKENS = ["눈이", "길에", "내린다"]
WIDGETS = {
    "ask_review": lambda: ask_review(ReviewWords(TOKENS, np.arange(3) / 2, 0.1, ("neg", "pos")), ["눈이 내린다"]),
    "ask_words": lambda: ask_words(WordVectors(TOKENS, RNG.normal(size=(3, 5))), TOKENS),
    "attention_heatmap": lambda: attention_heatmap(np.full((2, 3, 3, 3), 1 / 3), TOKENS),
    "embedding_map": lambda: embedding_map({2: RNG.normal(size=(3, 5)), 10: RNG.normal(size=(3, 5))}, TOKENS),
    "occurrences": lambda: occurrences({"표": np.eye(3)}, [TOKENS] * 3, [0] * 3, ["하나", "하나", "둘"]),
    "fill_mask": lambda: fill_mask([counting(name, tuple(TOKENS)) for name in "ab"], ["눈이 길에 내린다"]),
    "one_hot_row": lambda: one_hot_row(RNG.normal(size=(3, 4)), TOKENS),
    "rate_designer": lambda: rate_designer(TOKENS, 400),
    "scalar_mix": lambda: scalar_mix(
        {"층": RNG.normal(size=(4, 4)), "윗층": RNG.normal(size=(4, 4))}, [TOKENS] * 4, [0] * 4, ["하나", "둘"] * 2
    ),
    "softmax_saturation": lambda: softmax_saturation(source="ko"),
    "span_explorer": lambda: span_explorer(TOKENS, [1.0, 2, 3], [3.0, 2, 1], gold=(0, 1), null=0.5),
    "token_strip": lambda: token_strip([Frame(TOKENS, "첫 그림입니다."), Frame(TOKENS, "둘째 그림입니다.")]),
}
ENGLISH = re.compile(r"[A-Za-z]{2,}(?: [A-Za-z]{2,}){2}")


def test_particles_of_the_page_are_those_of_python(chromium):
    page = chromium.new_page()
    page.set_content(f"<script>{(FOLDER / 'kit.js').read_text('utf-8')}; window.particle = particle;</script>")
    for word, *_ in PARTICLES:
        for pair in (("은", "는"), ("으로", "로"), ("이", "가")):
            assert page.evaluate("([word, a, b]) => particle(word, a, b)", [word, *pair]) == particle(word, *pair)
    page.close()


def test_drawings_say_korean():
    drawn = ["sliding_window", "look_up", "taglm", "elmo", "ulmfit", "transformer", "attention", "bert", "four_heads"]
    with speaking("ko"):
        says = [getattr(drawings, name)().says for name in drawn]
    assert [words for words in says if ENGLISH.search(re.sub("“.*?”", "", words))] == []


@pytest.mark.parametrize("name", WIDGETS)
def test_a_widget_speaks_korean(chromium, name):
    with speaking("ko"):
        widget = WIDGETS[name]()
        said, page_html = repr(widget), widget.page()
    assert ENGLISH.findall(said) == []
    page = chromium.new_page(viewport={"width": 360, "height": 900})
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_content(f"<!doctype html>{page_html}")
    frame = page.locator("iframe").element_handle().content_frame()
    frame.locator("section.cw .say").wait_for()
    assert frame.locator("html").get_attribute("lang") == "ko"
    shown = frame.locator("section.cw").inner_text()
    labels = frame.evaluate("[...document.querySelectorAll('[aria-label]')].map(e => e.getAttribute('aria-label'))")
    assert [words for words in (shown, *labels) if ENGLISH.search(words)] == []
    assert html.escape(widget.title) in page_html  # by which a live page knows it
    assert frame.evaluate("getComputedStyle(document.querySelector('.cw')).wordBreak") == "keep-all"
    assert faults == []
    page.close()
