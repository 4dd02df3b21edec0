"""The token strip: frames, findings, the still picture, errors."""

from course_lib.widgets import token_strip
from course_lib.widgets.strip import Frame, Token
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
    assert strip.frames[1][2] == [["[MASK], in %", 11.5, 12.0]]


def test_the_still_picture_counts():
    strip = token_strip(FRAMES)
    strip.frame = 1
    assert "[MASK], in %: 11.5, expected 12" in strip.still()
    assert "배" in strip.still()


def test_a_long_sentence_wraps_inside_the_still_picture():
    strip = token_strip([Frame([Token("something")] * 60, "Long.")])
    assert 'x="7' not in "".join(part for part in strip.still().split("<rect")[2:] if 'x="74' in part)
    assert strip.still().count("<rect") == 61


test_input_that_cannot_be_shown_is_named = mistakes(
    ([], "0 frames"),
    ([Frame(["a"] * 61, "")], "at most 60"),
    ([Frame([Token("a", "red")], "")], "'red'. Use one of: new, hidden"),
    ([Frame(["a"], "", [("n", float("nan"), 1)])], "not finite"),
    of=token_strip,
)
