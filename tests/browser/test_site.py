"""The course's site as a reader opens it from the disk: on a phone and on a desk, light and dark, without a network."""

import re
from itertools import product
from urllib.parse import unquote

import pytest
from playwright.sync_api import expect

from course.lab.attention_heads import word_weights
from course_lib.config import project_dir
from course_lib.data.records import Sentence
from tests.browser.conftest import load, load_heads, reader

pytestmark = pytest.mark.browser

FULL = ("index", "01_word_vectors", "06_transformer", "ko/06_transformer")  # looked at from top to bottom
STICKS_OUT = """() => [...document.querySelectorAll("body :not(.code *)")]
    .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
    .filter(e => !e.closest(".wide, .formula, .output, .code, .prose pre, .long, .toc, .skip"))  // these scroll
    .map(e => e.outerHTML.slice(0, 80))"""
HELD = """() => [["iframe"], ["img.figure"], [".prose p", p => p.textContent.includes("$")]].map(([one, counts]) =>
    [...document.querySelectorAll(one)].filter(counts ?? Boolean).length)"""  # widgets, figures, formulas not drawn
DRAWN = "body > :not(script)"  # in a widget's frame
SMALL = """() => [...document.querySelectorAll("body :not(math, math *)")].filter(e =>
    [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim()) && e.checkVisibility()
    && parseFloat(getComputedStyle(e).fontSize) < 12).map(e => e.outerHTML.slice(0, 80))"""
DRAWN_SMALL = """() => [...document.querySelectorAll("body :not(script)")].filter(e => e.checkVisibility()
    && [...e.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim())).filter(e => {
      const drawn = e.getScreenCTM?.(), scale = drawn ? Math.hypot(drawn.a, drawn.b) : e.currentCSSZoom ?? 1;
      return parseFloat(getComputedStyle(e).fontSize) * scale < 11.9;
    }).map(e => e.textContent.slice(0, 40))"""
GROUND = "node => getComputedStyle(node).backgroundColor"
AGAIN = "python -m tests.notebooks.pictures measures the frames of notebooks that were built anew"
BRIGHTNESS = """() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)
    .reduce((a, b) => a + b) / 765"""


def address(site, name: str) -> str:
    return (site / f"{name}.html").as_uri()


def test_each_page_holds_all_that_is_stored_and_fits_its_window_in_its_theme(site, chromium):
    """Each is loaded once, every second one by night; then the window changes, of a few the theme, as a reader's do."""
    schemes, widths = ["dark", "light"], [360, 1000]
    with reader(chromium, 360) as page:
        for name in sorted(path.relative_to(site).with_suffix("").as_posix() for path in site.rglob("*.html")):
            page.emulate_media(color_scheme=schemes[0])
            page.goto(address(site, name))
            if (path := project_dir() / "notebooks" / f"{name}.ipynb").is_file():
                stored = path.read_text(encoding="utf-8")
                pictures = stored.count('"image/png"') + stored.count('"image/svg+xml"')
                assert page.evaluate(HELD) == [stored.count("<iframe sandbox="), pictures, 0], name
            if name in FULL:
                page.set_viewport_size({"width": 360, "height": 800})
                for frame in page.locator("iframe").all():  # those in sight are loaded
                    frame.scroll_into_view_if_needed()
                    frame.content_frame.locator(DRAWN).first.wait_for()
                assert page.evaluate(SMALL) == [], name
            for scheme, width in product(schemes if name in FULL else schemes[:1], widths):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=scheme)
                expect(page.locator("html"), name).to_have_attribute("data-theme", scheme)  # a moment later
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
                assert page.evaluate(STICKS_OUT) == [], name
                assert (page.evaluate(BRIGHTNESS) < 0.2) == (scheme == "dark"), name
            schemes.reverse()
            widths.reverse()


@pytest.mark.parametrize("name", ["07_bert", "ko/07_bert"])
def test_no_letter_in_a_frame_is_too_small_on_a_phone(site, chromium, name):
    """BertViz makes all of itself smaller where its frame is narrow: it gets a wide one, which is moved sideways."""
    with reader(chromium, 360) as page:
        page.goto(address(site, name))
        for outer in page.locator("iframe").all():
            outer.scroll_into_view_if_needed()
            outer.content_frame.locator(DRAWN).first.wait_for()
            assert outer.content_frame.locator("body").evaluate(DRAWN_SMALL) == []
        viz = page.locator("iframe[title=BertViz]")
        shown = viz.content_frame.locator("#bertviz, svg").first
        expect(shown).to_be_visible()
        assert shown.bounding_box()["height"] > 0.9 * viz.bounding_box()["height"]
        assert page.evaluate(STICKS_OUT) == []


def test_the_switch_of_languages_keeps_the_place(site, chromium):
    """It is in the header, which stays in sight; nothing floats over the text."""
    first = """() => [...document.querySelectorAll("h2")].find(h => h.getBoundingClientRect().top > -1).textContent"""
    with reader(chromium, 360) as page:
        page.goto(address(site, "00_start_here"))
        page.evaluate("document.querySelectorAll('h2')[3].scrollIntoView()")
        header = page.locator("header.top").bounding_box()
        assert (header["x"], header["y"], header["width"]) == (0, 0, 360)
        link = page.locator("header a.language").bounding_box()
        assert link["y"] + link["height"] <= header["y"] + header["height"] <= 60
        page.locator("a.language").evaluate("link => link.click()")  # Playwright's would scroll first
        page.locator("html[lang=ko]").wait_for()
        page.wait_for_function(f"() => ({first})().startsWith('0.4 ')")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert page.evaluate(STICKS_OUT) == []
        page.evaluate("document.querySelectorAll('h2')[1].scrollIntoView()")
        page.locator("a.language").evaluate("link => link.click()")
        page.locator("html[lang=en]").wait_for()
        page.wait_for_function(f"() => ({first})().startsWith('0.2 ')")


@pytest.fixture(scope="module")
def at_chapter_6(site, chromium):
    """A function that gives the open page of chapter 6 so many pixels and the media of a reader or of paper."""
    with reader(chromium) as page:
        page.goto(address(site, "06_transformer"))

        def look(width, media="screen", color_scheme="light"):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(media=media, color_scheme=color_scheme)
            return page

        yield look


def test_the_contents_say_where_the_reader_is_and_where_a_widget_stands(at_chapter_6):
    page = at_chapter_6(1400)
    here = page.locator(".toc [aria-current]")
    assert here.count() == 0
    for words in ("6.3 ", "One head", "6.1 "):
        heading = page.locator("h2, h3", has_text=words).first
        heading.evaluate("heading => heading.scrollIntoView()")
        expect(here).to_contain_text(words)
        assert here.count() == 1
        assert here.bounding_box()["y"] < 800
    assert page.locator(".toc a", has_text="6.3 Why").get_by_label("with a widget").count() == 1
    assert page.locator(".toc a", has_text="6.1 Everyone").get_by_label("with a widget").count() == 0
    card = page.locator("main .cards")  # of the first widget, within one screen and a half
    assert card.bounding_box()["y"] + page.evaluate("scrollY") < 1200
    card.get_by_role("button").press("Enter")
    card.locator("iframe").content_frame.locator(".cw").wait_for()
    text, foot = (page.locator(which).bounding_box() for which in ("main", "footer"))
    assert text["x"] == foot["x"]
    shown = page.locator("main summary:visible")
    assert min(summary.bounding_box()["height"] for summary in shown.all()) >= 24


def test_on_paper_stands_the_stored_picture_and_all_of_the_code(at_chapter_6):
    page = at_chapter_6(700, media="print", color_scheme="dark")
    assert page.locator("[class^=recall-plain]").is_visible()
    widgets = page.locator(".widget:has(> img)")
    assert widgets.count() >= 4
    assert all(widget.locator("> img").is_visible() for widget in widgets.all())
    assert not any(frame.is_visible() for frame in page.locator("iframe").all())
    cut = "() => [...document.querySelectorAll('pre')].filter(pre => pre.scrollWidth > pre.clientWidth + 1).length"
    assert page.evaluate(cut) == 0
    assert not page.locator("header.top").is_visible()
    assert page.evaluate(BRIGHTNESS) > 0.9  # nobody prints a dark page


def test_claims_are_cards_on_a_phone(site, chromium):
    with reader(chromium, 360) as page:
        for name, says in (("index", "✕ contradicted"), ("ko/index", "✕ 반박")):
            page.goto(address(site, name))
            page.locator("details:has(.claims) summary").press("Enter")  # the frame above may still grow
            rows = page.locator(".claims tbody tr")
            assert rows.count() > 40
            for cell in rows.nth(5).locator("td:not(:empty)").all():
                assert cell.bounding_box()["x"] + cell.bounding_box()["width"] <= 360
            assert page.locator(".claims .contradicted").first.inner_text() == says
            assert page.locator(".claims .open").first.evaluate(GROUND) == "rgba(0, 0, 0, 0)"  # no button
            wide = page.locator(".wide:has(.claims)")
            assert wide.evaluate("wide => wide.scrollWidth - wide.clientWidth") <= 0


def test_formulas_are_drawn_with_the_course_s_own_letters(at_chapter_6):
    page = at_chapter_6(1000)
    page.evaluate("document.fonts.ready.then(() => 1)")
    assert page.evaluate("[...document.fonts].map(f => f.status)") == ["loaded"]
    boxes = page.evaluate("""() => [...document.querySelectorAll("math")].filter(m => !m.closest(".toc"))
        .map(m => m.getBoundingClientRect()).map(b => [b.width, b.height])""")
    assert len(boxes) > 60
    assert all(wide > 2 and high > 4 for wide, high in boxes)
    above = page.evaluate("""() => [...document.querySelectorAll("mfrac")].map(f => [...f.children]
        .map(c => c.getBoundingClientRect())).map(([a, b]) => a.bottom <= b.top + 1)""")
    assert len(above) >= 2
    assert all(above)
    below = page.evaluate("""() => [...document.querySelectorAll("main msub")].map(s => [...s.children]
        .map(c => c.getBoundingClientRect())).map(([a, b]) => b.bottom - a.bottom)""")
    assert min(below) > 0  # an index hangs lower than its letter; without a font for formulas it does not


def test_the_field_of_the_korean_front_page_is_answered(site, chromium):
    with reader(chromium) as page:
        page.goto(address(site, "ko/index"))
        frame = page.locator("iframe").content_frame
        frame.locator(".own input").fill("He sat on the bank of the river.")
        frame.locator(".own button").click()
        expect(frame.locator(".read")).to_contain_text("여러분의 문장, 고리 1:")


@pytest.mark.parametrize(("width", "height", "name"), [(1280, 800, "index"), (360, 740, "ko/index")])
def test_the_first_screen_holds_the_picture_and_the_way_to_ask_bert(site, chromium, width, height, name):
    with reader(chromium, width, height=height) as page:
        page.goto(address(site, name))
        shown = page.locator("a.ask").bounding_box()
        assert shown["y"] + shown["height"] < height
        assert page.locator("iframe").bounding_box()["y"] < height - 100
        told, asks = (page.locator(which).bounding_box()["y"] for which in ("blockquote", "#yours"))
        assert told < asks  # what the picture shows is said before another thing is asked
        model = "bert-ko" if "ko/" in name else "bert-en"
        text = "".join(page.locator("a.ask q").evaluate("q => [...q.childNodes].map(n => n.textContent)"))
        assert page.locator("a.ask u").all_inner_texts() == [token for token, _ in load(model).fill(text, 3)[0]]


@pytest.mark.parametrize("width", [360, 1000])
def test_a_frame_is_as_high_as_what_it_shows(site, chromium, width):
    with reader(chromium, width) as page:
        page.goto(address(site, "06_transformer"))
        for outer in page.locator("iframe").all():
            stored = outer.evaluate("frame => frame.clientHeight")  # else the page jumps under the reader
            outer.scroll_into_view_if_needed()
            inside = outer.content_frame.locator("body")
            outer.content_frame.locator(DRAWN).first.wait_for()
            page.wait_for_function(
                "([frame, high]) => Math.abs(frame.clientHeight - high) <= 2",
                arg=[outer.element_handle(), inside.evaluate("body => body.scrollHeight")],
            )
            assert outer.evaluate("frame => frame.clientHeight") == pytest.approx(stored, abs=30), AGAIN


def test_the_switch_turns_page_and_widgets_dark_and_is_remembered(site, chromium):
    with reader(chromium, scheme="null") as page:  # the system's own, light: a feigned one would reach into frames
        page.goto(address(site, "06_transformer"))
        page.locator("iframe").first.scroll_into_view_if_needed()
        widget = page.locator("iframe").first.content_frame.locator(".cw")
        expect(widget).to_have_css("background-color", "rgb(255, 255, 255)")
        button = page.get_by_role("button", name="dark")
        assert button.get_attribute("aria-pressed") == "false"
        button.press("Enter")
        assert button.get_attribute("aria-pressed") == "true"
        assert page.evaluate(BRIGHTNESS) < 0.2
        expect(widget).to_have_css("background-color", "rgb(17, 17, 17)")
        page.goto(address(site, "index"))
        assert page.evaluate(BRIGHTNESS) < 0.2  # kept from page to page
        page.get_by_role("button", name="dark").press("Enter")
        assert page.evaluate(BRIGHTNESS) > 0.8


def test_links_lead_from_the_front_page_through_all_chapters_and_back(site, chromium):
    with reader(chromium) as page:
        page.goto(address(site, "index"))
        for name in ("Start here", "→"):
            onward = page.get_by_role("link", name=name).last
            target = onward.get_attribute("href")
            onward.press("Enter")  # at the end, below frames that may still grow: a click could miss it
            page.wait_for_url(f"**/{target}")
        page.locator("header.top .home").click()
        page.wait_for_url(address(site, "index"))
    seen = ["00_start_here.html"]
    while onward := re.search(r'<a rel="next" href="(.+?)"', (site / seen[-1]).read_text(encoding="utf-8")):
        seen.append(onward[1])
    assert seen == sorted(path.name for path in site.glob("[0-9A-Z]*_*.html"))


def test_contents_open_and_lead_to_their_section(site, chromium):
    with reader(chromium, 360) as page:
        page.goto(address(site, "06_transformer"))
        page.locator(".toc summary").click()
        page.locator(".toc .level2 a", has_text="6.2").click()
        assert abs(page.locator("h2", has_text="6.2 ").evaluate("e => e.getBoundingClientRect().top")) < 80


def test_without_scripts_the_still_pictures_and_the_text_are_there(site, chromium):
    with reader(chromium, java_script_enabled=False) as page:
        page.goto(address(site, "06_transformer"))
        assert page.locator(".widget > img").first.is_visible()
        assert not page.locator("iframe").first.is_visible()
        assert page.locator("[class^=recall-plain] summary").first.is_visible()


UNDER = """html => {
  const page = new DOMParser().parseFromString(html, "text/html"), headings = [...page.querySelectorAll("h2, h3")];
  return [...page.querySelectorAll(".widget > img")]  // recall alone has no picture
    .map(one => headings.findLast(heading => heading.compareDocumentPosition(one) & 4).id);
}"""


@pytest.mark.parametrize("edition", ["", "ko/"])
def test_play_has_a_card_for_every_widget_and_opens_it_in_place(site, chromium, edition):
    with reader(chromium, 360) as page:
        page.goto(address(site, f"{edition}index"))
        page.locator("header .play").press("Enter")
        page.wait_for_url(address(site, f"{edition}play"))
        assert page.locator(".path > li").count() == 8
        linked = page.locator(".cards a").evaluate_all("all => all.map(a => a.getAttribute('href'))")
        for chapter in (site / edition).glob("[0-9]*.html"):
            places = page.evaluate(UNDER, chapter.read_text(encoding="utf-8"))
            assert {f"{chapter.name}#{place}" for place in places} <= {unquote(link) for link in linked}
        page.locator(".open").nth(1).press("Enter")
        shown = page.locator(".cards iframe")
        shown.content_frame.locator(".cw").wait_for()
        assert shown.evaluate("frame => frame === document.activeElement")


TWENTYFOLD = """Date.now = (now => () => 20 * now())(Date.now);
setTimeout = (real => (f, ms) => real(f, ms / 20))(setTimeout);"""  # faster


def test_the_way_back_a_reader_s_progress_is_kept_and_forgotten(site, chromium):
    with reader(chromium) as page:
        page.add_init_script(TWENTYFOLD)
        page.goto(address(site, "06_transformer"))
        page.locator("h2", has_text="6.3 ").evaluate("heading => heading.scrollIntoView()")
        page.wait_for_timeout(500)  # as long as a section must be in sight
        page.locator("h2", has_text="6.4 ").evaluate("h => scrollBy(0, h.getBoundingClientRect().top - 700)")
        recall = page.locator("iframe").last
        recall.scroll_into_view_if_needed()
        expect(recall.content_frame.locator(".note")).to_contain_text("in this browser")  # the page has answered
        rights = recall.content_frame.locator("body").evaluate("""async () => {
            const press = name => [...document.querySelectorAll("button")].find(b => b.textContent === name).click();
            for (let i = 0; i < 10; i++) {
                document.querySelector(".option").click();
                if (i < 9) press("Next");
            }
            return document.querySelectorAll(".number[data-state=right]").length;
        }""")
        expect(page.locator(".end .score")).to_have_text(f"Recall: {rights} of 10 right")
        for name in ("06_transformer", "ko/06_transformer"):  # the same questions in both languages
            page.goto(address(site, name))
            recall.scroll_into_view_if_needed()
            expect(recall.content_frame.locator(".number[data-state=right]")).to_have_count(rights)
        page.goto(address(site, "index"))
        row = page.locator(".map li[data-page='06_transformer']")
        expect(row.locator(".done")).to_have_text(re.compile(rf"^[1-9] of \d+ sections read · recall {rights} of 10$"))
        assert page.locator(".go a").get_attribute("href").startswith("06_transformer.html#6.")
        assert re.match(r"go on at 6\.\d+ →", page.locator(".go a").inner_text())
        page.locator(".forget").press("Enter")
        expect(page.locator(".go")).to_be_hidden()
        expect(row.locator(".done")).to_be_empty()


REFUSED = """Object.defineProperty(window, "localStorage", { get() { throw new Error("no"); } })"""
DAMAGED = """self === top &&
    localStorage.setItem("course-kept", '{"read": 7, "recall": [{}], "at": {"page": 5}, "code": "<b>"}')"""


@pytest.mark.parametrize("kept", [REFUSED, DAMAGED])
def test_nothing_fails_where_nothing_can_be_kept(site, chromium, kept):
    with reader(chromium) as page:
        page.add_init_script(kept)
        page.goto(address(site, "01_word_vectors"))
        code = page.locator(".cell details.fold")
        page.get_by_role("button", name="show all code").press("Enter")
        opened = code.evaluate_all("all => all.filter(fold => fold.open).length")
        assert opened in (0, code.count())  # damaged: it was shown
        recall = page.locator("iframe").last
        recall.scroll_into_view_if_needed()
        expect(recall.content_frame.locator(".note")).to_contain_text("in this browser")  # the page has answered
        recall.content_frame.locator(".option").first.press("Enter")
        expect(page.locator(".end .score")).to_contain_text("of 10 right")
        page.goto(address(site, "index"))  # `reader` asks for a console without errors
        assert page.locator(".map li").count() > 10


def test_code_is_folded_but_what_is_built_by_hand(at_chapter_6):
    page = at_chapter_6(1000)
    stored = (project_dir() / "notebooks" / "06_transformer.ipynb").read_text(encoding="utf-8")
    assert page.locator(".cell .code:visible").count() == stored.count('"by-hand"') == 7
    page.get_by_role("button", name="show all code").press("Enter")
    own = page.locator(".cell:not([data-exercise]) .code").count()
    assert page.locator(".cell .code:visible").count() == own > 40
    page.reload()
    assert page.locator(".cell .code:visible").count() > 40


def test_a_sentence_is_typed_once_read_by_the_systems_and_offered_in_the_chapters(site, chromium):
    typed = "The <b>bank raised its rates ."
    with reader(chromium, 360) as page:
        page.goto(address(site, "index"))
        field = page.locator("#yours").get_by_label("your sentence")
        field.fill(typed)
        field.press("Enter")
        systems = page.locator("#yours li")
        expected = ("raised →", "from the left:", "look?", "from both sides:", "What weighs most:")
        for number, words in enumerate(expected):
            systems.nth(number).scroll_into_view_if_needed()
            expect(systems.nth(number)).to_contain_text(words, timeout=60_000)
            expect(systems.nth(number).locator(".got s")).to_have_attribute("style", re.compile(r"--p: ?\d"))
        assert [system.locator(".loads").inner_text().split(",")[0] for system in systems.all()] == [
            "skipgram-en", "bilm-en", "bert-en", "bert-en", "reviews-en", "ask minilm-en"
        ]  # fmt: skip
        assert page.locator("#yours li p b").count() == 0  # it stays text
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        said = systems.nth(4).locator("div > p").last.inner_text()
        page.goto(address(site, "08_heads"))
        offer = page.locator(".offer button")
        assert offer.inner_text() == typed
        offer.press("Enter")
        expect(page.locator("iframe:has(~ .offer)").content_frame.locator(".say")).to_have_text(said, timeout=60_000)


EXAMPLES = {"": "Mary lost her keys because she was in a hurry.", "ko/": "그 는 배 를 타고 북쪽 으로 갔다 ."}
MOVED = """globalThis.moved = 0;
new PerformanceObserver(list => {
  for (const one of list.getEntries()) moved += one.hadRecentInput ? 0 : one.value;
}).observe({ type: "layout-shift" });"""


@pytest.mark.parametrize(("width", "folder", "first"), [(360, "ko/", 0), (1280, "", 1)])
def test_each_chapter_s_system_reads_the_sentence_near_its_top(site, chromium, width, folder, first):
    """With none yet, an example stands in the field; what is read then finds its room. Every second chapter is read in
    Korean on a phone, the others in English at a desk: two neighbours have the same system."""
    chapters = sorted(path.stem for path in site.glob("0[1-9]_*.html"))
    assert len(chapters) == 9
    read = chapters[first::2]
    with reader(chromium, width) as page:
        page.add_init_script(MOVED)
        for name in chapters if width == 1280 else read:
            page.goto(address(site, folder + name))
            if width == 1280:
                assert page.locator("#yours").bounding_box()["y"] < 1200, name
            if name not in read:
                continue
            field, systems = page.locator("#yours input").first, page.locator("#yours li")
            if name == read[0]:
                assert field.input_value() == EXAMPLES[folder]
                assert systems.first.is_hidden()
                field.press("Enter")
            field.scroll_into_view_if_needed()
            for system in systems.all()[:2]:
                system.scroll_into_view_if_needed()
                system.locator(".got, .loads button").first.wait_for(timeout=60_000)
            assert systems.count() == {"08": 2, "09": 6}.get(name[:2], 1)
            assert page.evaluate("moved") <= 0.05, name


def test_the_heads_of_chapter_8_read_it_and_a_question(site, chromium):
    typed = "Marie Curie moved from Warsaw to Paris."
    with reader(chromium) as page:
        page.goto(address(site, "08_heads"))
        yours = page.locator("#yours")
        yours.get_by_label("your sentence").fill(typed)
        yours.get_by_role("button", name="read it").press("Enter")
        yours.locator("li").last.scroll_into_view_if_needed()
        yours.get_by_role("button", name="ask minilm-en").press("Enter")
        expect(yours.locator(".name").first).to_have_text("Marie person", timeout=60_000)
        field = yours.get_by_label("a question about it")
        field.fill("Who moved to Paris?")
        field.press("Enter")
        (answer,) = load_heads("heads-en")["span"].predict([("Who moved to Paris?", typed)])
        expect(yours.locator("mark")).to_have_text(answer.text)
        yours.get_by_label("your sentence").fill("배 가 떠난다 .")
        yours.get_by_label("your sentence").press("Enter")
        expect(yours).to_contain_text("These heads have learned English only.")


def test_the_widget_of_heads_takes_the_sentence(site, chromium):
    typed = "Marie said that <she> would come ."
    with reader(chromium) as page:
        page.goto(address(site, "06_transformer"))
        field = page.locator("#yours input")
        field.fill(typed)
        field.press("Enter")
        page.locator(".offer button").press("Enter")
        root = page.locator("iframe:has(~ .offer)").content_frame
        expect(root.locator(".say")).to_contain_text("“Marie”", timeout=60_000)
        words = list(Sentence.of(typed).words)
        weights = word_weights(load("minilm-en").eval(), [words])[0][3, 7]  # head 4.8, with which it opens
        drawn = root.locator("rect.cellrect").evaluate_all("all => all.map(cell => +cell.dataset.v)")
        assert drawn == pytest.approx(list(weights.ravel()), abs=1e-5)
