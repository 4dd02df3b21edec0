"""The token strip: frames, findings, the still picture, errors."""

import re

from course.widgets import token_strip
from course.widgets.strip import Frame, Token
from tests.mistakes import mistakes

FRAMES = [
    Frame([Token("un"), Token("##happ", "new"), "<b>"], "First."),
    Frame([Token("배", "hidden", "was 사과")], "Second.", [("[MASK], in %", 11.5, 12.0)]),
]


def test_a_frame_says_its_sentence_and_shows_its_tokens():
    strip = token_strip(FRAMES, title="What next?", step="merge")
    assert strip.finding() == "First."
    assert strip.frames[0][0] == [["un", "", ""], ["##happ", "new", ""], ["<b>", "", ""]]
    strip.frame = 1
    assert strip.finding() == "Second."
    assert "[MASK], in %: 11.5, expected 12" in strip.still()
    assert "배" in strip.still()


def test_a_long_sentence_wraps_inside_the_still_picture():
    still = token_strip([Frame([Token("something")] * 60, "Long.")]).still()
    boxes = re.findall(r'<rect x="(\d+)" y="\d+" width="(\d+)"', still)
    assert len(boxes) == 60
    assert max(int(x) + int(width) for x, width in boxes) <= 746


test_input_that_cannot_be_shown_is_named = mistakes(
    ([], "0 frames"),
    ([Frame(["a"] * 61, "")], "at most 60"),
    ([Frame([Token("a", "red")], "")], "'red'. Use one of: new, hidden"),
    ([Frame(["a"], "", [("n", float("nan"), 1)])], "not finite"),
    of=token_strip,
)
