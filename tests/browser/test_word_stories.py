"""One word through the generations in a real JupyterLab: drawn = computed, by keyboard."""

import numpy as np
import pytest

from tests.browser.conftest import kernel

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
        lab.page.wait_for_timeout(300)
        assert root.locator("svg.map").get_attribute("data-stop") == str(stop)
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


def test_play_ends_at_the_last_stop(lab, root):
    play = root.get_by_role("button", name="play")
    root.locator("svg.map").press("1")
    play.click()
    lab.page.wait_for_timeout(3_600)
    assert root.locator("svg.map").get_attribute("data-stop") == "2"
    assert root.get_by_role("button", name="▶ play").is_visible()


def test_a_typed_sentence_is_placed_and_an_unknown_one_told(lab, root):
    box = root.get_by_label("your own sentence with the word")
    box.fill("at the top")
    box.press("Enter")
    root.locator(".ring").first.wait_for(state="visible")
    lab.page.wait_for_timeout(500)
    assert "Your sentence, ring 1: " in root.locator(".read").inner_text()
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
