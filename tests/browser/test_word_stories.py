"""One word through the generations in a real JupyterLab: drawn = computed, by keyboard."""

from itertools import pairwise

import numpy as np
import pytest
from playwright.sync_api import expect

from course.widgets.word_stories import word_generations
from tests.browser.conftest import kernel, kernel_comes_to, reader
from tests.widgets.test_word_stories import random_story

pytestmark = pytest.mark.browser
WIDGET = ".cw-gen"


def dots(root):
    return [[int(dot.get_attribute(name)) for name in ("data-x", "data-y")] for dot in root.locator(".dot").all()]


def agrees(lab, root):
    """Places, counts and finding on the page are the kernel's."""
    told = kernel(lab, "[generations.stories[generations.word], generations.stop, generations.finding()]")
    story, stop, finding = told
    assert dots(root) == story["stops"][stop]["places"]
    assert root.locator(".say").inner_text() == " ".join(finding.split())
    n = len(story["sentences"])
    counts = [row.inner_text() for row in root.locator(".bars li > span:last-child").all()]
    assert counts == [f"{one['right']:g} of {n}" for one in story["stops"]]


def test_every_stop_draws_pythons_numbers_by_keyboard(lab, root):
    slider = root.locator("input[type=range]")
    slider.focus()
    for key, stop in (("Home", 0), ("ArrowRight", 1), ("End", 2)):
        slider.press(key)
        assert root.locator("svg.map").get_attribute("data-stop") == str(stop)
        kernel_comes_to(lab, "print(generations.stop)", str(stop))
        agrees(lab, root)
    root.locator("svg.map").focus()
    root.locator("svg.map").press("1")
    assert root.locator("svg.map").get_attribute("data-stop") == "0"


def test_arrow_keys_on_the_map_read_one_sentence_after_the_other(lab, root):
    chart = root.locator("svg.map")
    chart.focus()
    read = set()
    for _ in range(9):
        chart.press("ArrowRight")
        read.add(root.locator(".dot.on title").text_content())
        assert root.locator(".read b").count() == 1
    assert len(read) > 1
    x1, y1, x2, y2 = (float(root.locator(".thread").get_attribute(name)) for name in ("x1", "y1", "x2", "y2"))
    assert np.hypot(x2 - x1, y2 - y1) > 0


def test_a_typed_sentence_is_placed_and_an_unknown_one_told(lab, root):
    box = root.get_by_label("your own sentence with the word")
    box.fill("at the top")
    box.press("Enter")
    expect(root.locator(".read")).to_contain_text("Your sentence, ring 1: ")
    assert kernel(lab, "generations.word") == 1
    box.fill("over the top")
    box.press("Enter")
    root.locator(".ring").nth(1).wait_for(state="visible")
    places = kernel(lab, "[own['places'][generations.stop] for own in generations.own]")
    drawn = [[int(ring.get_attribute(f"data-{axis}")) for axis in "xy"] for ring in root.locator(".ring").all()]
    assert drawn == places
    box.fill("<b>nothing</b>")
    box.press("Enter")
    root.get_by_text("No word in").wait_for()


BUSY = """IntersectionObserver = class extends IntersectionObserver {
    constructor(seen, how) { super(entries => seen([{ intersectionRatio: 0 }, ...entries]), how); }
}"""  # what came before is told late
TENFOLD = "setInterval = (real => (f, ms) => real(f, (window.waits = ms) / 10))(setInterval)"  # faster
WITHOUT = {"chance": 5.5, "the mean of ten words around it": 7.0, "the mean of the sentence": 7.0}


def stored(page, script="", **state):
    """The widget's frame on a page of its own, a screen below the top; `script` runs in it first."""
    story = random_story(stops=random_story().stops, baselines=WITHOUT)
    widget = word_generations([story], **state)
    page.add_init_script(script)
    page.set_content(f"<div style='height:1200px'></div>{widget.framed('border:0;width:100%;height:1200px')}")
    frame = page.locator("iframe").content_frame
    frame.locator(".bars li").first.wait_for(state="attached")
    return frame


def comes_into_sight(page, long=0):
    """long: ms in which what must not begin would have begun."""
    page.evaluate("scrollTo(0, 1200)")
    page.wait_for_timeout(long)


def test_play_ends_at_the_last_stop(chromium):
    with reader(chromium) as page:
        frame = stored(page, TENFOLD)
        play = frame.locator(".time button").first
        play.click()
        expect(play).to_have_text("❚❚ pause")
        expect(frame.locator("svg.map")).to_have_attribute("data-stop", "2")
        expect(play).to_have_text("▶ play")


@pytest.mark.parametrize(("width", "page_is"), [(360, ""), (1000, ""), (1000, BUSY)], ids=["360", "1000", "busy"])
def test_it_plays_once_when_it_comes_into_sight(chromium, width, page_is):
    with reader(chromium, width) as page:
        frame = stored(page, f"{TENFOLD};{page_is}", plays=True)
        chart, play = frame.locator("svg.map"), frame.locator(".time button").first
        assert play.inner_text() == "▶ play"  # out of sight
        chart.evaluate("""chart => {
            window.seen = [];
            const place = () => chart.getRootNode().querySelector(".time button").getBoundingClientRect().y;
            new MutationObserver(() => seen.push([chart.dataset.stop, place()]))
                .observe(chart, { attributeFilter: ["data-stop"] });
        }""")
        comes_into_sight(page)
        expect(chart).to_have_attribute("data-stop", "2")
        expect(play).to_have_text("▶ play")
        seen = chart.evaluate("seen")
        assert [stop for stop, _ in seen] == ["1", "2"]
        assert chart.evaluate("window.waits") == 3000
        assert len({place for _, place in seen}) == 1  # nothing jumps under a thumb
        page.mouse.wheel(0, -3000)
        comes_into_sight(page, 400)
        expect(chart).to_have_attribute("data-stop", "2")


@pytest.mark.parametrize("touch", ["legend", "map", "key", "pause", "still", "other"])
def test_it_does_not_play_for_who_touched_it_or_wants_no_motion(chromium, touch):
    options = {"reduced_motion": "reduce"} if touch == "still" else {}
    slow = "setInterval = (real => (f, ms) => real(f, 100 * ms))(setInterval)"  # no stop passes while it is touched
    with reader(chromium, 1000, **options) as page:
        frame = stored(page, slow, plays=touch != "other")
        comes_into_sight(page, 400 if touch in ("still", "other") else 0)
        play = frame.locator(".time button").first
        if touch not in ("still", "other"):
            expect(play).to_have_text("❚❚ pause")
        if touch == "key":
            frame.locator("svg.map").press("ArrowRight")
        elif touch == "pause":
            play.click()
        elif touch in ("legend", "map"):
            frame.locator(f".{touch}").click()
        page.wait_for_timeout(100)
        expect(frame.locator("svg.map")).to_have_attribute("data-stop", "0")
        expect(play).to_have_text("▶ play")


@pytest.mark.parametrize("width", [360, 1000])
def test_each_mark_on_the_bars_has_its_name_at_rest(chromium, width):
    with reader(chromium, width) as page:
        frame = stored(page)
        comes_into_sight(page)
        rows = frame.locator(".counts ul li")
        assert [row.locator("span").first.inner_text() for row in rows.all()] == list(WITHOUT)
        marks = frame.locator(".bars li").first.locator("b")
        for row, mark in zip(rows.all(), marks.all(), strict=True):
            assert row.locator("b").bounding_box()["x"] == pytest.approx(mark.bounding_box()["x"], abs=1)
        boxes = [row.locator("span").first.bounding_box() for row in rows.all()]
        assert all(a["y"] + a["height"] <= b["y"] for a, b in pairwise(boxes))
        assert frame.locator("svg.map").bounding_box()["y"] < frame.locator(".time").bounding_box()["y"]


def test_on_a_phone_a_tapped_dot_and_its_sentence_are_on_one_screen(chromium):
    with reader(chromium, 390, height=844, has_touch=True) as page:
        frame = stored(page, stop=2)
        comes_into_sight(page)
        frame.locator(".dot").last.tap()
        expect(frame.locator(".read b")).to_have_count(1)
        chart, read = (frame.locator(part).bounding_box() for part in ("svg.map", ".read"))
        assert 0 <= chart["y"] < chart["y"] + chart["height"] < read["y"] < read["y"] + read["height"] <= 844
