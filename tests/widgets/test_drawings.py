"""The drawings: whole, inside their frame, with words for who does not see them."""

import re
from xml.etree import ElementTree

import pytest

from course_lib.widgets import drawings
from course_lib.widgets.drawings import TRANSFORMER_PARTS, WIDTH
from tests.mistakes import mistakes

ALL = {
    **{f"transformer {part}": (drawings.transformer, part) for part in ("", *TRANSFORMER_PARTS)},
    **{f"elmo {part}": (drawings.elmo, part) for part in ("", "streams", "mix")},
    **{
        draw.__name__: (draw,)
        for draw in (drawings.sliding_window, drawings.look_up, drawings.taglm, drawings.stacked, drawings.ulmfit)
    },
    **{draw.__name__: (draw,) for draw in (drawings.attention, drawings.bert, drawings.four_heads)},
}
SVG = "{http://www.w3.org/2000/svg}"


def wide(text: str) -> float:
    """Pixels of a line of 16, rather too many."""
    return sum(9.8 if letter.isupper() or letter in "mw%" else 8.2 for letter in text)


@pytest.mark.parametrize("name", ALL)
def test_everything_lies_inside_and_the_drawing_is_told_in_words(name):
    draw, *given = ALL[name]
    drawing = draw(*given)
    root = ElementTree.fromstring(drawing.svg())
    assert root.find(f"{SVG}title").text == repr(drawing) == drawing.says
    assert len(drawing.says) > 60
    for text in root.iter(f"{SVG}text"):
        x, y, half = float(text.get("x")), float(text.get("y")), wide(text.text) / 2
        left = {"start": x, "middle": x - half, "end": x - 2 * half}[text.get("text-anchor")]
        assert left >= -6, text.text
        assert left + 2 * half <= WIDTH + 6, text.text
        assert 12 <= y <= drawing.height, text.text
    for box in root.iter(f"{SVG}rect"):
        if box.get("x"):
            assert 0 <= float(box.get("y")) <= float(box.get("y")) + float(box.get("height")) <= drawing.height


@pytest.mark.parametrize("part", TRANSFORMER_PARTS)
def test_a_lit_part_is_lit_and_said(part):
    drawing = drawings.transformer(part)
    plain = drawings.transformer()
    assert drawing.svg().count("lit") + drawing.svg().count(" on") > plain.svg().count("lit") + plain.svg().count(" on")
    assert drawing.says.endswith(f"Lit: {part}.")


def test_the_window_stops_once_at_each_word_and_not_where_no_motion_is_wanted():
    svg = drawings.sliding_window("one two three", reach=1).svg()
    stops = [float(x) for x in re.findall(r"translateX\((-?[\d.]+)px\)", svg)]
    assert stops == pytest.approx([-WIDTH / 3, 0, WIDTH / 3], abs=0.1)
    assert "prefers-reduced-motion" in svg


def test_words_are_text():
    assert "<img" not in drawings.look_up(("<img src=x>", "b"), 0).svg()


test_a_part_that_is_not_there_is_named = mistakes(
    (lambda: drawings.transformer("head"), "no part 'head'"), (lambda: drawings.elmo("x"), "no part 'x'")
)
