"""BertViz in a real JupyterLab, network blocked: lines are drawn, hostile tokens stay text."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("place", range(3))
def test_lines_are_drawn_and_tokens_stay_text(lab, place):
    frame = lab.page.frame_locator('iframe[title="BertViz"]').nth(place)
    frame.locator("svg").first.wait_for(state="attached", timeout=60_000)
    assert frame.locator("svg line").count() >= 36
    assert frame.locator("img").count() == 0
    assert lab.page.evaluate("() => window.hit") is None
    if place != 1:  # the model view names tokens only in its detail
        texts = " ".join(frame.locator("svg text").all_text_contents())
        assert "배" in texts
        assert "<img src=x …" in texts


def test_the_model_view_shrinks_to_the_page(lab):
    place = lab.page.locator('iframe[title="BertViz"]').nth(1)
    place.scroll_into_view_if_needed()
    frame = place.element_handle().content_frame()
    frame.wait_for_selector("svg", state="attached", timeout=60_000)
    try:
        for width in (700, 1200):
            lab.page.set_viewport_size({"width": width, "height": 1000})
            frame.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth + 1", timeout=60_000)
    finally:
        lab.page.set_viewport_size({"width": 1200, "height": 1000})


@pytest.mark.parametrize(
    ("place", "pressed"), [(0, "[aria-label='head 1'][aria-pressed=true]"), (1, ".detail"), (2, ".minus-sign")]
)
def test_what_the_mouse_reaches_the_keyboard_reaches(lab, place, pressed):
    frame = lab.page.frame_locator('iframe[title="BertViz"]').nth(place)
    stops = frame.locator("svg [tabindex='0']")
    stops.first.wait_for(state="attached", timeout=60_000)
    pressed = frame.locator(pressed).locator("visible=true")
    assert frame.locator("svg [tabindex]:not([aria-label])").count() == pressed.count() == 0
    assert all(select.get_attribute("aria-label") for select in frame.locator("select").all())
    frame.locator("svg [role=button][tabindex='0']").focus()
    for key in ("ArrowRight", "Enter"):
        frame.locator(":focus").press(key)
    pressed.first.wait_for()
    if place != 1:  # the word under the focus is pointed at
        word = frame.locator("svg [role=img]").first
        word.focus()
        assert frame.locator("[style*='opacity: 1']").count() > 0
        frame.locator("svg [role=button][tabindex='0']").focus()
    frame.locator(":focus").press("Enter")
    expect(pressed).to_have_count(0)
