"""The drawings: whole, inside their frame, with words for who does not see them."""

import re
from xml.etree import ElementTree

import pytest

from course.widgets import drawings
from course.widgets.drawings import TRANSFORMER_PARTS, WIDTH
from tests.mistakes import mistakes

ALL = {
    **{f"transformer {part}": (drawings.transformer, part) for part in ("", *TRANSFORMER_PARTS)},
    **{f"elmo {part}": (drawings.elmo, part) for part in ("", "streams", "mix")},
    **{draw.__name__: (draw,) for draw in (drawings.sliding_window, drawings.skip_gram, drawings.look_up)},
    **{draw.__name__: (draw,) for draw in (drawings.taglm, drawings.stacked, drawings.ulmfit)},
    **{draw.__name__: (draw,) for draw in (drawings.attention, drawings.bert, drawings.four_heads)},
    "rnn_labels": (drawings.rnn_labels, ["Minji", "fed", "the", "bird"], ["AGENT", "-", "-", "THING"]),
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


def test_the_window_stops_once_at_each_word_inside_the_sentence_and_not_where_no_motion_is_wanted():
    svg = drawings.sliding_window().svg()
    stops = re.findall(r'<g class="stop( middle)?" style="animation-delay:([\d.]+)s">(.*?)</g>', svg)
    assert [float(delay) for _, delay, _ in stops] == pytest.approx([1.4 * n for n in range(7)])
    assert [bool(middle) for middle, _, _ in stops] == [False] * 3 + [True] + [False] * 3
    assert [stop.count("<polyline") for *_, stop in stops] == [2, 3, 4, 4, 4, 3, 2]  # a pair for each word near
    step = WIDTH / 7
    for number, (*_, stop) in enumerate(stops):
        window = re.search(r'x="([\d.]+)" y="84" width="([\d.]+)"', stop)
        left, width = map(float, window.groups())
        near = range(max(0, number - 2), min(7, number + 3))
        assert (left, left + width) == pytest.approx((near[0] * step + 3, (near[-1] + 1) * step - 3), abs=0.1)
    assert "prefers-reduced-motion:reduce){.stop{animation:none}.stop.middle{opacity:1}}" in svg


def test_skip_grams_bars_are_the_shares_of_the_softmax():
    svg = drawings.skip_gram().svg()
    bars = [float(width) for width in re.findall(r'class="bar" [^>]*width="([\d.]+)"', svg)]
    assert [bar / bars[0] for bar in bars] == pytest.approx([1, 1 / 3, 10 / 3, 2])
    assert svg.count('class="cell lit"') == 3  # one row of v


test_a_part_that_is_not_there_is_named = mistakes(
    (lambda: drawings.transformer("head"), "no part 'head'"), (lambda: drawings.elmo("x"), "no part 'x'")
)
