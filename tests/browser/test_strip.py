"""The token strip in a real JupyterLab: frames by button, slider and key."""

import pytest

from tests.browser.conftest import kernel_comes_to
from tests.widgets.gallery import HOSTILE

pytestmark = pytest.mark.browser
WIDGET = ".cw-strip"


def tokens(root):
    return root.locator(".token").evaluate_all("n => n.map(x => [x.dataset.text, x.dataset.state])")


def test_frames_go_forward_and_back(lab, root):
    assert tokens(root) == [[word, ""] for word in HOSTILE]
    assert root.locator(".say").inner_text() == "As it is."
    assert root.locator(".bar").get_attribute("data-seen") == "1.5"
    assert root.get_by_role("button", name="back").is_disabled()
    root.get_by_role("button", name="next").press("Enter")
    assert tokens(root) == [[word, "hidden"] for word in HOSTILE]
    assert root.locator(".say").inner_text() == HOSTILE[0]
    assert root.locator(".bar").count() == 0
    kernel_comes_to(lab, "print(strip.frame)", "1")
    root.get_by_label("step").press("Home")
    assert root.locator(".say").inner_text() == "As it is."


def test_tokens_are_read_by_arrow_keys(root):
    root.get_by_role("button", name="next").click()
    first = root.locator(".token").first
    first.focus()
    first.press("End")
    assert root.locator(".read").inner_text() == f"{HOSTILE[-1]} · hidden · was 배"
