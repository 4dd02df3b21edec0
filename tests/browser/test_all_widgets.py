"""What each widget of the gallery keeps: hostile words stay text, nothing sticks out, it is alive without a kernel."""

import pytest

from tests.browser.conftest import is_dark, kernel, reader

pytestmark = pytest.mark.browser

INSIDE = "node => node.scrollWidth <= node.clientWidth + 1"
WHOLE = {  # what else of a widget is seen whole at each width
    "cw-map": "node => { const right = one => one.getBoundingClientRect().right;\n"
    "  return right(node.querySelector('svg.map')) <= right(node) + 1; }",
    "cw-mix": f"node => ({INSIDE})(node.querySelector('.strips'))",
    "cw-row": f"node => ({INSIDE})(node.querySelector('.out .name'))",
    "cw-sat": "node => [...node.querySelectorAll('svg')].every(one => one.getBoundingClientRect().width > 100)",
}
SHOWN = "shown odd table pairs mix saturated heads rates strip gaps strange spans generations".split()  # noqa: SIM905


def test_words_are_text_and_nothing_sticks_out_in_jupyterlab(lab):
    """A widget has five seconds to draw itself anew."""
    page = lab.page
    try:
        for width in (1400, 1120, 900, 560):
            page.set_viewport_size({"width": width, "height": 1000})
            for root in page.locator("section.cw").all():
                kind = root.get_attribute("class").split()[-1]
                for _ in range(20):
                    if fits := root.evaluate(INSIDE) and root.evaluate(WHOLE.get(kind, INSIDE)):
                        break
                    page.wait_for_timeout(250)
                assert fits, (kind, width)
                assert root.locator("img, script").count() == 0, kind
    finally:
        page.set_viewport_size({"width": 1200, "height": 1000})
    assert page.evaluate("window.hit") is None


@pytest.mark.parametrize(("width", "theme"), [(360, "light"), (360, "dark"), (700, "dark"), (1000, "light")])
@pytest.mark.parametrize("name", SHOWN)
def test_a_page_without_kernel_says_the_same_at_each_width_and_in_each_theme(lab, chromium, name, width, theme):
    html, said = kernel(lab, f"[{name}.page(), {name}.finding()]")
    with reader(chromium, width, theme) as page:
        page.set_content(html)
        root = page.frame_locator("iframe").locator("section.cw")
        assert root.locator(".say:not(:empty)").inner_text() == " ".join(said.split())
        assert is_dark(root) == (theme == "dark")
        assert root.evaluate(INSIDE)
        assert root.locator("img, script").count() == 0
        assert not root.locator(".own").is_visible()  # a field that nothing could answer
