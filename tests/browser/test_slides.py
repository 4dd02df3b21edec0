"""The deck of chapter 6 as a lecturer opens it, from the disk, with the network blocked."""

import pytest

from course.site.slides import write_slides
from course_lib.config import project_dir
from tests.browser.conftest import reader

pytestmark = pytest.mark.browser

ROOM = """() => { const slide = Reveal.getCurrentSlide(), sheet = slide.querySelector(".sheet").getBoundingClientRect();
    return { height: sheet.bottom, width: slide.scrollWidth, scrolls: slide.classList.contains("long") } }"""


@pytest.fixture(scope="module")
def slides(chromium, tmp_path_factory):
    """The open deck, 1280 x 720."""
    path = write_slides(project_dir() / "notebooks" / "06_transformer.ipynb", tmp_path_factory.mktemp("deck"))
    with reader(chromium, 1280, height=720) as page:
        page.goto(path.as_uri())
        page.wait_for_function("() => window.Reveal?.isReady()")
        yield page


def go(page, words: str) -> None:
    """To the slide that holds `words`."""
    page.evaluate(
        """words => { const slide = [...document.querySelectorAll(".sheet")].find(s => s.innerHTML.includes(words));
        const { h, v } = Reveal.getIndices(slide.parentElement); Reveal.slide(h, v) }""",
        words,
    )


def settled(page) -> bool:
    """Whether the slide fits into 720 pixels or scrolls; the deck is given time to measure it."""
    from playwright.sync_api import TimeoutError as TooLate

    try:
        page.wait_for_function(
            f"""() => {{ const room = ({ROOM})();
            return (room.height <= 692 || room.scrolls) && room.width <= 1280 }}""",
            timeout=5_000,
        )
    except TooLate:
        return False
    return True


def test_three_steps_by_key(slides):
    slides.evaluate("() => Reveal.slide(0, 0)")
    seen = []
    for _ in range(3):
        seen.append(slides.locator("section.present > .sheet").inner_text().split("\n")[0])
        assert settled(slides), seen
        assert not slides.evaluate(ROOM)["scrolls"], seen
        slides.keyboard.press("Space")
    assert seen[:2] == ["6 · The Transformer", "6.1 Everyone waits in line"]
    assert seen[2] == "3 lines of code"  # folded, with the whole machine drawn below


def test_no_slide_is_cut_off(slides):
    """Each fits into 720 pixels or scrolls; formulas stay inside the edge."""
    slides.evaluate("() => Reveal.slide(0, 0)")
    faults, n_slides = [], slides.evaluate("() => Reveal.getTotalSlides()")
    for number in range(1, n_slides + 1):
        slides.wait_for_timeout(100)
        fits = settled(slides)
        right = slides.evaluate("""() => Math.max(0, ...[...document.querySelectorAll("section.present > .sheet math")]
            .map(formula => formula.getBoundingClientRect().right))""")
        if not fits or right > 1260:
            faults.append((number, slides.evaluate(ROOM), right))
        slides.evaluate("() => Reveal.next()")
    assert faults == []


def test_formulas_are_drawn_and_notices_are_notes(slides):
    go(slides, "Why divide by")
    formula = slides.locator("section.present .formula math").first.bounding_box()
    assert formula["height"] > 20  # drawn, not a line of source
    go(slides, "softmax_saturation")
    assert "a low temperature undoes the division" in slides.evaluate("() => Reveal.getSlideNotes()")
    assert "a low temperature undoes the division" not in slides.locator("section.present > .sheet").inner_text()


def test_a_widget_lives_and_can_be_enlarged(slides):
    go(slides, "softmax_saturation")
    frame = slides.frame_locator("section.present iframe")
    before = frame.locator(".say").inner_text()
    frame.locator("input[type=range]").first.press("End")
    frame.locator(".say", has_text="1024").wait_for()
    assert frame.locator(".say").inner_text() != before
    width = slides.locator("section.present iframe").bounding_box()["width"]
    wide = "width => document.querySelector('section.present iframe').getBoundingClientRect().width > 1.2 * width"
    slides.get_by_role("button", name="larger").click()
    slides.wait_for_function(wide, arg=width)
    slides.get_by_role("button", name="smaller").click()
    slides.wait_for_function(f"width => !({wide})(width)", arg=width)
    assert slides.locator("section.present iframe").bounding_box()["width"] == pytest.approx(width)


def test_folded_code_opens_and_the_slide_still_fits(slides):
    go(slides, "sinusoidal_positions")
    code = slides.locator("section.present > .sheet details pre")
    assert not code.is_visible()
    slides.locator("section.present > .sheet summary").click()
    code.wait_for()
    assert settled(slides)


def test_a_card_is_in_type_for_a_room_and_without_how_it_was_recorded(slides):
    go(slides, "--profile full --record")
    assert settled(slides)
    card = slides.locator("section.present > .sheet .out > div[style*=border-left]").first
    assert card.evaluate("card => parseFloat(getComputedStyle(card).fontSize) * card.currentCSSZoom") > 13
    assert "--record" not in card.inner_text()
