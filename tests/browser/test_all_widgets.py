"""What each widget keeps: hostile words stay text, nothing sticks out, it is alive without a kernel; words are large
and dark enough to read, and nothing moves under the finger that presses."""

import pytest

from course.widgets.base import FOLDER
from tests.browser.conftest import is_dark, reader
from tests.widgets.gallery import GALLERY
from tests.widgets.test_all_widgets import LARGE

pytestmark = pytest.mark.browser

INSIDE = "node => node.scrollWidth <= node.clientWidth + 1"
WHOLE = {  # what else of a widget is seen whole at each width
    "cw-map": "node => { const right = one => one.getBoundingClientRect().right;\n"
    "  return right(node.querySelector('svg.map')) <= right(node) + 1; }",
    "cw-mix": f"node => ({INSIDE})(node.querySelector('.strips'))",
    "cw-row": f"node => ({INSIDE})(node.querySelector('.out .name'))",
    "cw-sat": "node => [...node.querySelectorAll('svg')].every(one => one.getBoundingClientRect().width > 100)",
}
PLACES = """root => [...root.querySelectorAll("*")].map(node => {
  const { x, y, width, height } = node.getBoundingClientRect();
  return [node.tagName, x, y, width, height];
})"""


def test_words_are_text_and_nothing_sticks_out_in_jupyterlab(lab):
    """A widget has five seconds to draw itself anew."""
    page = lab.page
    try:
        for width in (1400, 1120, 900, 560):
            page.set_viewport_size({"width": width, "height": 1000})
            for root in page.locator("section.cw").all():
                kind = root.get_attribute("class").split()[-1]
                for _ in range(100):
                    if fits := root.evaluate(INSIDE) and root.evaluate(WHOLE.get(kind, INSIDE)):
                        break
                    page.wait_for_timeout(50)
                assert fits, (kind, width)
                assert root.locator("img, script").count() == 0, kind
    finally:
        page.set_viewport_size({"width": 1200, "height": 1000})
    assert page.evaluate("window.hit") is None


@pytest.fixture(scope="module")
def blank(chromium):
    with reader(chromium) as page:
        page.add_init_script("addEventListener('transitionrun', () => { globalThis.moved = true; })")
        yield page


@pytest.mark.parametrize("name", GALLERY)
def test_a_page_without_kernel_says_the_same_at_each_width_and_in_each_theme(blank, name):
    widget, root = GALLERY[name](), blank.frame_locator("iframe").locator("section.cw")
    html, said = widget.page(), " ".join(widget.finding().split())
    for width, theme in ((360, "dark"), (700, "light"), (1000, "dark")):
        blank.set_viewport_size({"width": width, "height": 800})
        blank.emulate_media(color_scheme=theme)
        blank.set_content(html)
        assert root.locator(".say:not(:empty)").inner_text() == said
        assert is_dark(root) == (theme == "dark")
        assert root.evaluate(INSIDE), (width, theme)
        assert root.locator("img, script").count() == 0
        assert root.evaluate("() => !globalThis.moved"), (width, theme)  # it is drawn in its place
        assert not root.locator(".own").is_visible()  # a field that nothing could answer
        places = root.evaluate(PLACES)
        blank.frames[1].add_style_tag(path=FOLDER / "kit.css")  # as another widget of the notebook brings it
        assert root.evaluate(PLACES) == places, (width, theme)


# Of each text that is seen: [the text, its size on the screen, its contrast with what lies behind it (WCAG, 1.4.3)].
# Marks of a picture are not behind its words; what is disabled may be pale.
SEEN = """() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = {}, colour = css => {
    if (!known[css]) {
      pixel.clearRect(0, 0, 1, 1);
      pixel.fillStyle = css;
      pixel.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pixel.getImageData(0, 0, 1, 1).data;
      known[css] = [r, g, b, a / 255];
    }
    return [...known[css]];
  };
  const over = (top, low) => [0, 1, 2].map(i => top[i] * top[3] + low[i] * (1 - top[3]));
  const light = c => c.map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
  const rows = [];
  for (const node of document.querySelectorAll(".cw *")) {
    if (![...node.childNodes].some(part => part.nodeType === 3 && part.data.trim())) continue;
    const box = node.getBoundingClientRect(), style = getComputedStyle(node), up = [];
    for (let one = node; one; one = one.parentElement) up.push([one, getComputedStyle(one)]);
    if (!box.width || !box.height || style.visibility === "hidden"
      || node.closest(".sr, :disabled, :has(> :disabled), title, option")) continue;
    const scale = node.ownerSVGElement ? Math.sqrt(Math.abs(node.getScreenCTM().a * node.getScreenCTM().d
      - node.getScreenCTM().b * node.getScreenCTM().c)) : 1;
    const ground = up.filter(([one]) => !one.ownerSVGElement).map(([, css]) => colour(css.backgroundColor)).reverse()
      .reduce((low, top) => over(top, low), [255, 255, 255]);
    const ink = colour(node.ownerSVGElement ? style.fill : style.color);
    ink[3] *= up.reduce((all, [, css]) => all * css.opacity, 1);
    const two = [light(over(ink, ground)), light(ground)];
    rows.push([node.textContent.trim().slice(0, 40), parseFloat(style.fontSize) * scale,
      (Math.max(...two) + .05) / (Math.min(...two) + .05)]);
  }
  return rows;
}"""
# Press each button, switch and choice once, ask all of `asked` after it, reset it: [[its name, the answers]].
PRESSED = """async ([most, ...asked]) => {
  const parts = () => [...document.querySelectorAll(".cw :is(button, [role=switch], [type=radio])")],
    calm = () => new Promise(go => setTimeout(go, 5)),
    asks = asked.map(one => eval(one)),
    ask = () => asks.map(one => one()),
    found = [["nothing", ask()]];
  for (let at = 0; at < Math.min(most, parts().length); at++) {
    const part = parts()[at];
    part.click();
    await calm();
    found.push([part.ariaLabel || part.closest("label, button").textContent, ask()]);
    parts().filter(one => /^(reset|처음으로)$/.test(one.textContent)).forEach(one => one.click());
    await calm();
  }
  return found;
}"""
HEIGHT = "() => document.querySelector('.cw').offsetHeight"


def drawn(page, page_html):
    """The document of a widget that is alone in the page."""
    page.set_content(f'<!doctype html><body style="margin:0">{page_html}')
    page.locator("iframe").evaluate("frame => { frame.parentElement.style.height = '3000px'; }")
    frame = page.locator("iframe").element_handle().content_frame()
    frame.locator(".cw .say:not(:empty)").wait_for()
    return frame


@pytest.fixture(scope="module", params=LARGE)
def large(request, calm):
    calm.set_viewport_size({"width": 1000, "height": 800})
    return drawn(calm, LARGE[request.param][0]().page())


DRAWN_ANEW = """async ([width, scheme]) => {
  const next = () => new Promise(requestAnimationFrame);
  while (innerWidth !== width || !matchMedia(`(prefers-color-scheme: ${scheme})`).matches) await next();
  for (let i = 0; i < 3; i++) await next();
}"""


@pytest.fixture
def look(large, calm):
    """A function that gives the shared widget's window a width and a scheme, and waits until it is drawn anew."""

    def look(width, scheme):
        calm.set_viewport_size({"width": width, "height": 800})
        calm.emulate_media(color_scheme=scheme)
        large.evaluate(DRAWN_ANEW, [width, scheme])
        return large

    return look


@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (640, "dark"), (360, "light"), (360, "dark")])
def test_no_letter_is_small_or_pale(look, width, scheme):
    for pressed, (seen,) in look(width, scheme).evaluate(PRESSED, [4, SEEN]):
        assert len(seen) >= 4
        assert [(pressed, *row) for row in seen if row[1] < 11.99 or row[2] < 4.5] == []


@pytest.mark.parametrize("width", [1000, 360])
def test_nothing_moves_when_something_is_pressed(look, width):
    """A reader presses twice at one place: the first press must not push the rest, nor what stands below, away."""
    (_, before), *after = look(width, "light").evaluate(PRESSED, [40, HEIGHT])
    assert [row for row in after if row[1] != before] == []
