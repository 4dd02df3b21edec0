"""What every widget keeps: small module and page, a still picture that is one SVG, words as text, states in range."""

from xml.etree import ElementTree

import numpy as np
import pytest

from course import widgets
from course.lab.review_words import ReviewWords
from course.widgets.strip import STATES, Frame, Token
from course_lib.errors import CourseError
from course_lib.models.word_vectors import WordVectors
from tests.widgets.gallery import GALLERY, MORE, counting, weights
from tests.widgets.test_word_stories import random_story

RNG = np.random.default_rng(3)
SENTENCE = [f"word{i}" for i in range(9)]
PIECES = tuple(f"w{i}" for i in range(8))
PLACES = ("[CLS]", *(f"word{i}" * (1 + i % 3) for i in range(5)), "[SEP]")


def stripped(n: int) -> Frame:
    """A frame of n tokens in all states; only later frames have bars."""
    tokens = [Token(f"some{i}", list(STATES)[(i * n) % len(STATES)], f"w{i}") for i in range(n)]
    return Frame(tokens, "w7 " * n, [("w5", n, 30.0)] * (n // 20))


MIXED = (dict(zip("abc", RNG.normal(size=(3, 11, 14)), strict=True)), [SENTENCE] * 11, [1] * 11)
REVIEWS = ReviewWords(SENTENCE, np.arange(9) / 2, 0.1, ("neg", "pos"))
GOLD, WIDE = {"w8": [(1, 0), (3, 2)], "w9": [(4, 4)]}, {w: RNG.normal(size=(130, 24)) for w in (1, 2, 5, 10)}
AS_LARGE = {  # as the chapters show; no word is English (tests/browser)
    "ask_review": lambda: widgets.ask_review(REVIEWS, ["word3 word4"]),
    "ask_words": lambda: widgets.ask_words(WordVectors(SENTENCE, RNG.normal(size=(9, 5))), SENTENCE),
    "attention_heatmap": lambda: widgets.attention_heatmap(weights(2, 12, 7, 7), list(PLACES), gold=GOLD),
    "embedding_map": lambda: widgets.embedding_map(WIDE, [f"word{i}" for i in range(130)]),
    "fill_mask": lambda: widgets.fill_mask([counting(name, PIECES) for name in "ab"], [" ".join(PIECES * 2)] * 6),
    "one_hot_row": lambda: widgets.one_hot_row(np.full((12, 8), -1.13), [f"word{i}" for i in range(12)]),
    "rate_designer": lambda: widgets.rate_designer([f"layer {i}" for i in range(12)], 5_000),
    "scalar_mix": lambda: widgets.scalar_mix(*MIXED, ["one"] * 5 + ["two"] * 6, {"w1": [-4.0, 0.0, 4.0]}),
    "softmax_saturation": lambda: widgets.softmax_saturation(source="ko", d_k=1024),
    "span_explorer": lambda: widgets.span_explorer(["somethin5"] * 200, *RNG.normal(size=(2, 200)), null=1.0),
    "word_generations": lambda: widgets.word_generations([random_story("spring"), random_story("seal")]),
    "token_strip": lambda: widgets.token_strip([*map(stripped, range(1, 31))], title="w0?", step="w1"),
}
MOST = {"fill_mask": 65, "softmax_saturation": 66, "word_generations": 70, "scalar_mix": 80}
LARGE = {name: (make, 1_000 * MOST.get(name, 60)) for name, make in AS_LARGE.items()}  # and the most bytes of its page


@pytest.mark.parametrize("name", LARGE)
def test_module_and_page_are_small_and_the_still_picture_is_one_svg(name):
    make, most = LARGE[name]
    widget = make()
    assert len(widget._esm) < (29_500 if name == "softmax_saturation" else 27_500)
    assert len(widget.page().encode()) < most
    assert repr(widget) == f"{widget.title}: {widget.finding()}"
    assert widget.page() == widget.page()  # since it is stored
    assert "http" not in str(widget._esm).replace("http://www.w3.org/2000/svg", "")
    ElementTree.fromstring(widget.still())  # a share of "< 0.1 %" is no markup


@pytest.mark.parametrize(
    "name", ["odd", "table", "mix", "heads", "rates", "strip", "strange", "spans", "generations", "asked"]
)
def test_hostile_words_never_become_markup(name):
    widget = {**GALLERY, **MORE}[name]()
    still, page = widget.still(), widget.page()
    ElementTree.fromstring(still)
    assert "&lt;img" in still
    assert not any(mark in still for mark in ("<img", "<script"))
    document = page[page.index('srcdoc="') :]
    assert "<img" not in page.replace("<img alt=", "", 1)
    assert document.count("&lt;/script&gt;") == 1  # the one that ends the module's own element


@pytest.mark.parametrize(
    ("name", "trait", "value", "says"),
    [
        ("attention_heatmap", "layer", 2, "Use 0 to 1"),
        ("embedding_map", "chosen", 130, "Use 0 to 129"),
        ("embedding_map", "chosen", -1, "Use 0 to 129"),
        ("embedding_map", "window", 4, "Use 0 to 3"),
        ("one_hot_row", "word", 12, "Use 0 to 11"),
        ("rate_designer", "opens", [0, 0], "Give 12 steps from 0 to 5000"),
        ("rate_designer", "opens", [5_001] * 12, "Give 12 steps from 0 to 5000"),
        ("rate_designer", "factor", 0.5, "Use 1 to 5"),
        ("rate_designer", "cut", 0.0, "Use 0.01 to 0.9"),
        ("scalar_mix", "raw", [0.0], "3 finite numbers"),
        ("scalar_mix", "chosen", 11, "Use 0 to 10"),
        ("softmax_saturation", "source", "de", "Use one of en, ko"),
        ("softmax_saturation", "d_k", 65, "Use one of 1, 2"),
        ("softmax_saturation", "temperature", 20.0, "Use 0.1 to 10"),
        ("span_explorer", "start", -1, "Use 0 to 199"),
        ("span_explorer", "end", 200, "Use 0 to 199"),
        ("token_strip", "frame", 30, "Use 0 to 29"),
    ],
)
def test_a_state_out_of_range_is_refused(name, trait, value, says):
    widget = LARGE[name][0]()
    before = getattr(widget, trait)
    with pytest.raises(CourseError, match=rf"{name}.{trait} is .*{says}"):
        setattr(widget, trait, value)
    assert getattr(widget, trait) == before
