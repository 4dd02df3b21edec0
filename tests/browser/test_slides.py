"""Decks as a lecturer opens them, from the disk, with the network blocked; chapter 6's looked at slide by slide."""

from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from course.site.slides import write_slides
from course_lib.config import project_dir
from tests.browser.conftest import reader

pytestmark = pytest.mark.browser

ROOM = """() => { const slide = Reveal.getCurrentSlide(), sheet = slide.querySelector(".sheet").getBoundingClientRect();
    return { height: sheet.bottom, width: slide.scrollWidth, scrolls: slide.classList.contains("long") } }"""
# [px on the screen, words] of what is written; times: how much larger the frame around is shown
LETTERS = """times => [...document.querySelectorAll("body :not(section:not(.present) *)")].filter(e =>
    [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())
    && !e.closest("math, .sr, option, .anchor, .controls") && e.checkVisibility({ visibilityProperty: true })
    && e.getBoundingClientRect().width > 1).map(e => {
    const drawn = e.getScreenCTM?.(), zoom = drawn ? Math.hypot(drawn.a, drawn.b) : e.currentCSSZoom;
    return [parseFloat(getComputedStyle(e).fontSize) * zoom * times, e.textContent.trim().slice(0, 40)] })"""
BEYOND = """() => [...document.querySelectorAll("body *:not(.sr, option)")].filter(e => e.checkVisibility())
    .map(e => [e.getBoundingClientRect(), e.outerHTML.slice(0, 60)])
    .filter(([box]) => box.width > 1 && (box.bottom > innerHeight + 1 || box.right > innerWidth + 1))
    .map(([, words]) => words)"""
COVERED = """() => [...document.querySelectorAll(".ticks span")].filter(tick => tick.checkVisibility()).filter(tick => {
    const a = tick.getBoundingClientRect();
    return [...document.querySelectorAll("button")].map(e => e.getBoundingClientRect())
        .some(b => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) })
    .map(tick => tick.textContent)"""  # the numbers of a slider under which a button stands
WHERE = "() => (({ h, v, f = -1 }) => [h, v, f].join())(Reveal.getIndices())"
GO = "slide => { const { h, v } = Reveal.getIndices(slide); Reveal.slide(h, v) }"
SCALE = "frame => frame.getBoundingClientRect().width / frame.offsetWidth"
ALONE = """() => document.querySelector("section.present > .sheet :is(h1, h2, h3)")?.innerText
    === document.querySelector("section.present").innerText"""  # a heading without what it is of
PLOTTED = """() => [["> img:not([src*=svg])", 1000 / 72], ["[style*=border-left] img", 12]].flatMap(([plots, px]) =>
    [...document.querySelectorAll(`section.present > .sheet .out ${plots}`)].map(plot =>
        [plot.getBoundingClientRect().width / plot.naturalWidth * px, plot.alt]))"""  # a figure's of 10 pt, a card's
LEAST = 17.9  # px at 1280 x 720: what the last row can read
OWN = "06_transformer.ipynb"  # open for all tests
DECKS = sorted(path.name for path in (project_dir() / "notebooks").glob("0*.ipynb") if path.name != OWN)


@contextmanager
def open_deck(chromium, notebook, folder, width: int = 1280):
    path = write_slides(project_dir() / "notebooks" / notebook, folder)
    with reader(chromium, width, height=width * 9 // 16) as page:
        page.goto(path.as_uri())
        page.wait_for_function("() => window.Reveal?.isReady()")
        yield page


@pytest.fixture(scope="module")
def slides(chromium, tmp_path_factory):
    """The open deck, 1280 x 720."""
    with open_deck(chromium, OWN, tmp_path_factory.mktemp("deck")) as page:
        yield page


def go(page, words: str) -> None:
    """To the slide that holds `words`."""
    page.evaluate(
        f"""words => ({GO})([...document.querySelectorAll(".slides > section > section")]
            .find(slide => slide.innerHTML.includes(words)))""",
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
    for _ in range(4):
        seen.append(slides.locator("section.present > .sheet").inner_text().split("\n")[0])
        assert settled(slides), seen
        assert not slides.evaluate(ROOM)["scrolls"], seen
        slides.keyboard.press("Space")
    assert seen[::2] == ["6 · The Transformer", "6.1 One word after the other"]  # the minutes between them
    assert seen[3].startswith("This is the whole Transformer")  # drawn beside it


def test_no_slide_is_cut_off_and_all_can_be_read_from_the_last_row(slides):
    """Each fits into 720 pixels, and so do its formulas; none is empty but for folded code, or a heading alone."""
    slides.evaluate("() => Reveal.slide(0, 0)")
    faults, n_slides = [], slides.evaluate("() => Reveal.getTotalSlides()")
    for number in range(1, n_slides + 1):
        fits, room = settled(slides), slides.evaluate(ROOM)
        fits = fits and not room["scrolls"] and room["height"] > 30
        right = slides.evaluate("""() => Math.max(0, ...[...document.querySelectorAll("section.present > .sheet math")]
            .map(formula => formula.getBoundingClientRect().right))""")
        letters = slides.evaluate(LETTERS, 1) + slides.evaluate(PLOTTED)
        small = [letter for letter in letters if letter[0] < LEAST]
        if not fits or right > 1260 or small or slides.evaluate(ALONE):
            faults.append((number, room, right, small))
        slides.evaluate("() => Reveal.next()")
    assert faults == []


KOREAN = "ko/06_transformer.ipynb"  # of the other edition and width one is enough: a deck is scaled as a whole


def at_rest(page, frame) -> None:
    """Waits until the frame, which takes its size in steps, has kept it, and all it says, for a fifth of a second."""
    before, same = None, 0
    while True:
        now = (frame.evaluate(SCALE), frame.bounding_box(), frame.content_frame.locator("body").inner_text())
        before, same = now, same + 1 if now == before else 0
        if same == 2:
            return
        page.wait_for_timeout(100)


def each_widget_is_read_from_the_last_row(page, width):
    """In each of its parts: no letter is small, and nothing is cut or scrolls."""
    page.evaluate("() => Reveal.slide(0, 0)")
    frames, faults = page.locator("section.alone").count(), []
    assert page.locator(".slides > section > section:not(.alone) iframe").count() == 0
    for number in range(frames):
        page.evaluate(f"number => ({GO})(document.querySelectorAll('section.alone')[number])", number)
        frame = page.locator("section.alone.present iframe")
        frame.content_frame.locator("body.hall > :not(script)").first.wait_for()
        at_rest(page, frame)
        assert page.locator("section.alone.present .said").count() == 0
        while True:
            inside, scale = frame.content_frame.locator("body"), frame.evaluate(SCALE)
            small = [letters for letters in inside.evaluate(f"(_, scale) => ({LETTERS})(scale)", scale)
                     if letters[0] < LEAST * width / 1280]  # fmt: skip
            beyond = inside.evaluate(f"() => ({BEYOND})()") + inside.evaluate(f"() => ({COVERED})()")
            if small or beyond:
                faults.append((number, small[:3], beyond[:3]))
            box = frame.bounding_box()
            assert box["width"] == pytest.approx(width, abs=2)
            assert box["y"] + box["height"] <= width * 9 / 16
            if not page.evaluate("() => Reveal.availableFragments().next"):
                break
            before = page.evaluate(WHERE)
            page.keyboard.press("PageDown")
            page.wait_for_function(f"before => ({WHERE})() !== before", arg=before)
            at_rest(page, frame)
    assert faults == []


@pytest.mark.parametrize(("notebook", "width"), [*((deck, 1280) for deck in DECKS), (KOREAN, 1920)], ids=str)
def test_a_widget_alone_on_its_slide_is_read_from_the_last_row(chromium, tmp_path, notebook, width):
    with open_deck(chromium, notebook, tmp_path, width) as page:
        each_widget_is_read_from_the_last_row(page, width)


def test_a_widget_of_chapter_6_is_read_from_the_last_row(slides):
    each_widget_is_read_from_the_last_row(slides, 1280)


def test_the_remote_control_walks_the_deck_through_touched_widgets(slides):
    """By a remote's two keys, in turn from widget to widget, with a click in each: slide by slide to the deck's end."""
    slides.evaluate("() => Reveal.slide(0, 0)")
    visited, touched = [], 0
    while True:
        visited.append(slides.evaluate("() => Reveal.getSlidePastCount()"))
        frame = slides.locator("section.alone.present iframe")
        if frame.count():
            frame.content_frame.locator(".cw").click(position={"x": 5, "y": 200})
            assert slides.evaluate("() => document.activeElement.tagName") == "IFRAME"
            touched += 1
        if slides.evaluate("() => Reveal.isLastSlide() && !Reveal.availableFragments().next"):
            break
        before = slides.evaluate(WHERE)
        slides.keyboard.press(("PageDown", "ArrowRight")[touched % 2])
        slides.wait_for_function(f"before => ({WHERE})() !== before", arg=before)
    assert sorted(set(visited)) == list(range(slides.evaluate("() => Reveal.getTotalSlides()")))
    assert touched >= 5


def test_keys_that_a_widget_does_not_use_reach_the_deck(slides):
    go(slides, "softmax_saturation")
    frame = slides.locator("section.alone.present iframe").content_frame
    slider, button = frame.locator("input[type=range]").first, frame.get_by_role("button", name="another draw")
    here, value = slides.evaluate(WHERE), slider.input_value()
    slider.press("ArrowRight")
    assert slider.input_value() != value  # the slider's own
    button.press("Space")
    slides.wait_for_timeout(300)
    assert slides.evaluate(WHERE) == here
    slider.press("b")
    slides.wait_for_function("() => Reveal.isPaused()")
    slider.press(".")
    slides.wait_for_function("() => !Reveal.isPaused()")
    button.press("Escape")
    slides.wait_for_function("() => document.activeElement === document.body")
    for key in ("ArrowRight", "Space", "PageUp"):
        frame.locator(".cw").click(position={"x": 5, "y": 200})
        before = slides.evaluate(WHERE)
        slides.keyboard.press(key)
        slides.wait_for_function(f"before => ({WHERE})() !== before", arg=before)
        go(slides, "softmax_saturation")


def test_formulas_are_drawn_and_notices_are_notes(slides):
    go(slides, "the same, on paper")
    formula = slides.locator("section.present .formula math").first.bounding_box()
    assert formula["height"] > 20  # drawn, not a line of source
    go(slides, "softmax_saturation")
    assert "A low temperature makes the" in slides.evaluate("() => Reveal.getSlideNotes()")
    assert "A low temperature makes the" not in slides.locator("section.present > .sheet").inner_text()


def test_a_widget_lives(slides):
    go(slides, "softmax_saturation")
    frame = slides.frame_locator("section.present iframe")
    before = frame.locator(".say").inner_text()
    frame.locator("input[type=range]").first.press("End")
    frame.locator(".say", has_text="1024").wait_for()
    assert frame.locator(".say").inner_text() != before
    # by the mouse's own place: Playwright forgets that the frame is shown larger
    left, top = frame.locator(".views button").last.evaluate(
        "tab => [tab.getBoundingClientRect().left + 5, tab.getBoundingClientRect().top + 5]"
    )
    scale = slides.locator("section.present iframe").evaluate(SCALE)
    slides.mouse.click(left * scale, top * scale)
    expect(frame.get_by_text("1 Scores").first).to_be_hidden()
    assert frame.get_by_text("5 Gradient").first.is_visible()


def test_folded_code_opens_and_the_slide_still_fits(slides):
    go(slides, "the waves, drawn")
    code = slides.locator("section.present > .folded details pre")
    assert not code.is_visible()
    slides.locator("section.present > .folded summary").click()
    code.wait_for()
    assert code.bounding_box()["y"] > 0
    assert settled(slides)


def test_a_card_is_in_type_for_a_room_and_without_how_it_was_recorded(slides):
    go(slides, "--profile full --record")
    assert settled(slides)
    card = slides.locator("section.present > .sheet .out > div[style*=border-left]").first
    assert card.evaluate("card => parseFloat(getComputedStyle(card).fontSize) * card.currentCSSZoom") > 13
    assert "--record" not in card.inner_text()
