"""Widgets on a chapter's page of the site: what a reader types is answered by the models in the page, as by Python."""

import shutil
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat import v4
from playwright.sync_api import expect

from course.lab import generations
from course.lab.probes import sense_split
from course.lab.review_words import ReviewWords
from course.lab.widget_inputs import sentence_reader, shipped_model
from course.live.page import WIDGETS
from course.site.build import build_site
from course.widgets import ask_review, ask_words, fill_mask, scalar_mix
from course.widgets.mask_play import FillMask
from course.widgets.sense_mix import ScalarMixWidget
from course.widgets.typed_words import AskReview, AskWords
from course.widgets.word_stories import WordGenerations
from course_lib.config import data_dir
from course_lib.language import speaking
from tests.browser.conftest import load, reader
from tests.site.small import display, project

pytestmark = pytest.mark.browser

LOADED = "performance.getEntriesByType('resource').filter(one => one.name.includes('/models/')).length"
HOSTILE = "<img src=x onerror=window.hit=1> the [MASK] </script>"


@pytest.fixture(scope="module")
def gaps():
    return fill_mask(shipped_model(), ["She paid her wages in at the bank.", "배 가 보였다 ."])


@pytest.fixture(scope="module")
def told():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(generations, "WORDS", {"en": ("bank", "seal"), "ko": ("배",)})
        return generations.one_word_through_the_generations("bank")


@pytest.fixture(scope="module")
def mixer():
    """As in chapter 4, with fewer sentences."""
    lm = load("bilm-en")
    shown = [e for e in sense_split("two roles").train if e.word in ("work", "show")]
    rows = zip(lm.encode([e.sentence for e in shown]), shown, strict=True)
    layers = dict(zip(lm.layer_names, np.stack([row[:, e.position] for row, e in rows], 1), strict=True))
    places, read = [e.position for e in shown], sentence_reader(lm, [e.word for e in shown])
    return scalar_mix(layers, [e.sentence.words for e in shown], places, [e.sense for e in shown], read=read)


@pytest.fixture(scope="module")
def typed():
    near = ask_words(load("skipgram-en").word_vectors(), ["bank", "king - man + woman"])
    return [near, ask_review(ReviewWords.load(data_dir("checkpoints", "reviews-en")), ["Not bad at all!"])]


@pytest.fixture(scope="module")
def chapter(tmp_path_factory, gaps, told, mixer, typed):
    """The address of a chapter with the live widgets, in a site that is built like the course's."""
    folder = tmp_path_factory.mktemp("live")
    cells = [
        v4.new_code_cell("shown", outputs=[display(text_html=widget.page())]) for widget in (gaps, told, mixer, *typed)
    ]
    course = project(folder, *cells)
    for name in ("06_transformer", "07_bert"):  # Ask BERT has links to them
        nbformat.write(v4.new_notebook(cells=[v4.new_markdown_cell("# 1 · T")]), course / "notebooks" / f"{name}.ipynb")
    (course / "data").mkdir()
    (course / "data" / "checkpoints").symlink_to(data_dir("checkpoints"))
    build_site(course, folder / "site")
    return (folder / "site" / "00_begin.html").as_uri()


@pytest.fixture
def page(chapter, chromium):
    with reader(chromium) as page:
        page.goto(chapter)
        yield page


def widget(page, title: str):
    frame = page.locator(f"iframe[title='{title}']")
    frame.scroll_into_view_if_needed()
    return frame.content_frame.locator(".cw")


def test_the_page_answers_the_widgets_of_these_titles():
    known = (FillMask, WordGenerations, ScalarMixWidget, AskWords, AskReview)
    assert set(WIDGETS) == {one.title for one in known}


def test_gaps_of_a_typed_sentence_are_filled_as_by_python(page, gaps):
    root = widget(page, FillMask.title)
    root.locator(".token").nth(2).click()  # stored: no model is asked
    root.locator(".token").nth(4).click()
    assert page.evaluate(LOADED) == 0
    root.get_by_role("button", name="reset").click()
    box = root.get_by_label("or type a sentence")
    texts = (
        "The [MASK] was full of [MASK].",
        "He scored two goals today.",
        "아버지 와 [MASK] 는 함께 살았다 .",
        "고양이가 학교에서 먹었지만 하는 [MASK]을 바다로",  # particles are cut off
        HOSTILE,
        "a ☃",
    )
    for number, text in enumerate(texts):
        box.fill(text)
        box.press("Enter")
        gaps.request = {"id": str(number), "text": text}
        expect(root.locator(".say")).to_have_text(gaps.finding(), timeout=60_000)
        found = root.locator(".guess").evaluate_all("rows => rows.map(row => [row.dataset.piece, +row.dataset.p])")
        expected = gaps.answer["sides"][0]["guesses"][0]
        assert [piece for piece, _ in found] == [piece for piece, _ in expected]
        assert [p for _, p in found] == pytest.approx([p for _, p in expected], abs=1e-5)
    assert "does not know: ☃" in root.inner_text()
    assert root.locator("img, script").count() == 0
    assert root.evaluate("() => window.hit") is None
    root.locator(".token").first.press("Enter")  # a second gap of one's own
    gaps.request = {"id": "two", "sides": [{"tokens": ["a", "[UNK]"], "masked": [0, 1], "unknown": ["☃"]}]}
    expect(root.locator(".say")).to_have_text(gaps.finding())
    box.fill("the " * 41)
    box.press("Enter")
    expect(root.locator(".trouble")).to_contain_text("41 tokens; at most 40 fit. Shorten it.")
    assert page.evaluate("document.querySelector('.loads').textContent") == ""


def rings(root) -> list[list[int]]:
    seen = root.locator(".ring").locator("visible=true").all()
    return [[int(ring.get_attribute(f"data-{axis}")) for axis in "xy"] for ring in seen]


def test_two_sentences_of_one_s_own_join_the_picture_where_python_puts_them(page, told):
    root = widget(page, WordGenerations.title)
    assert page.evaluate(LOADED) == 0
    box = root.get_by_label("your own sentence with the word")

    def place(text):
        told.typed = text
        box.fill(text)
        box.press("Enter")
        expect(root.locator(".read")).to_contain_text(told.trouble or text, timeout=60_000)

    def agrees(missing):
        for number, stop in enumerate(told.stories[told.word]["stops"]):
            root.locator(".bars button").nth(number).click()
            expected = [] if stop["name"] in missing else [one["places"][number] for one in told.own]
            found = rings(root)
            assert len(found) == len(expected), stop["name"]
            assert np.abs(np.array(found) - np.array(expected)).max(initial=0) <= 1, stop["name"]  # of 999
            for at, own in enumerate(told.own if expected else []):
                kind = own["kinds"][number]
                said = "no kind is nearer" if kind < 0 else f"with {told.stories[told.word]['senses'][kind]}"
                assert f"ring {at + 1}: {said}." in root.locator(".read").inner_text()

    # by a key: the frame above may still grow, and a click between press and release of a moving button is none
    root.locator(".bars button").last.press("Enter")  # MiniLM is not in the page yet: the last that is shows it
    place("We rested on the grassy bank of the river.")
    expect(root.locator(".bars .on")).to_contain_text("BERT, ours")
    place("The Bank raised its rates again!")
    agrees({"an untrained network", "MiniLM, published"})
    page.get_by_role("button", name="ask minilm-en, too (").press("Enter")
    page.wait_for_function("() => document.querySelector('.loads').textContent === ''", timeout=60_000)
    agrees({"an untrained network"})
    place("바다에 배가 떠 있다")
    expect(root.locator("svg.map")).to_have_attribute("data-stop", str(len(told.stories[told.word]["stops"]) - 1))
    agrees({"an untrained network"})
    place("<b>nothing</b>")
    assert told.trouble.startswith("None of this picture's words")
    root.get_by_role("button", name="reset").click()
    assert rings(root) == []


def test_a_typed_sentence_is_one_more_dot_of_the_mixer_where_python_puts_it(page, mixer):
    root = widget(page, ScalarMixWidget.title)
    box = root.get_by_label("your own sentence with one of these words")
    box.fill("They <b>show</b> him the way to the <i>old bridge.")
    box.press("Enter")
    root.locator(".ring").wait_for(state="visible", timeout=60_000)
    *_, vectors = mixer._read("They <b>show</b> him the way to the <i>old bridge.")
    tables = mixer._tables
    for key in ("", "top layer only"):
        if key:
            root.get_by_role("button", name=key).click()
        mixer.raw = dict(mixer.presets)[key] if key else mixer.raw
        rows, mine = (np.tensordot(mixer.weights(), table, 1) for table in (tables, vectors))
        _, _, directions = np.linalg.svd(rows - rows.mean(0), full_matrices=False)
        expected = (np.vstack([rows, mine]) - rows.mean(0)) @ directions[:2].T
        marks = root.locator("svg.map").locator(".dot, .ring").all()
        drawn = np.array([[float(mark.get_attribute(f"data-{axis}")) for axis in "xy"] for mark in marks])
        apart = [np.linalg.norm(places - places[-1], axis=1) for places in (drawn, expected)]  # turned and mirrored
        np.testing.assert_allclose(*apart, atol=5e-3 * apart[1].max())
        near = int(np.linalg.norm(rows - mine, axis=1).argmin())
        said = f"nearest: “{' '.join(mixer.sentences[near])}”, {mixer.senses[near]}."
        assert said in root.locator(".mine").inner_text()
    assert root.locator(".mine b").inner_text() == "show"
    assert root.locator(".mine i").count() == 0
    box.fill("nothing")
    box.press("Enter")
    expect(root.locator(".mine")).to_have_text(
        "None of this picture's words stands in that sentence. Use one of: work, show."
    )
    root.get_by_role("button", name="reset").click()
    expect(root.locator(".mine")).to_have_text("")


WORDS = ("paris", "paris − france+Italy", "money - ", "Queen", "london + thames - paris")
REVIEWS = ("I don't like it.", "Great fun<br/>and <b>never</b> dull!", "배", "a great, great, awful film " * 60)


@pytest.mark.parametrize(("at", "texts"), [(0, WORDS), (1, REVIEWS)])
def test_lists_follow_every_key_and_are_python_s(page, typed, at, texts):
    shown = typed[at]
    root = widget(page, shown.title)
    for button in root.locator(".given button").all():
        button.press("Enter")  # the frames above may still grow, and a click would miss it
    assert page.evaluate(LOADED) == 0  # what is given has its answer stored
    box = root.locator(".word")
    for text in texts:
        box.fill(text)
        shown.typed = text
        assert shown.trouble == ""
        expect(root.locator(".say")).to_have_text(shown.finding(), timeout=60_000)
        rows = root.locator("li").evaluate_all("all => all.map(one => [one.dataset.word, +one.dataset.number])")
        assert [word for word, _ in rows] == [word for word, _ in shown.answer["rows"]]
        assert [x for _, x in rows] == pytest.approx([x for _, x in shown.answer["rows"]], abs=1e-5)
    assert root.locator("b, br").count() == 0
    if at == 0:
        box.fill("<i>zebra")
        expect(root.locator(".trouble")).to_have_text("“<i>zebra” is not among the 20,000 words of this table.")
    box.fill("")
    expect(root.locator(".trouble")).to_have_text("")


def test_a_korean_page_is_answered_in_korean(page, chapter, typed):
    korean = Path(chapter.removeprefix("file://")).with_name("korean.html")
    korean.write_text(
        korean.with_name("00_begin.html").read_text("utf-8").replace('lang="en"', 'lang="ko"', 1), "utf-8"
    )
    page.goto(korean.as_uri())
    for shown, text in zip(typed, ("london - paris", "It is not dull."), strict=True):
        root = widget(page, shown.title)
        root.locator(".word").fill(text)
        with speaking("ko"):
            says = shown._said(text)["says"]
        expect(root.locator(".say")).to_have_text(says, timeout=60_000)


def test_a_model_that_does_not_come_is_said_and_can_be_asked_again(chapter, chromium, tmp_path):
    shutil.copytree(chapter.removeprefix("file://").rsplit("/", 1)[0], tmp_path / "site")
    part = tmp_path / "site" / "models" / "bert-en" / "3.js"
    whole = part.read_text("utf-8")
    part.write_text("")
    with reader(chromium) as page:
        page.goto((tmp_path / "site" / "00_begin.html").as_uri())
        root = widget(page, FillMask.title)
        box = root.get_by_label("or type a sentence")
        box.fill("The [MASK] barked.")
        box.press("Enter")
        expect(root.locator(".trouble")).to_contain_text("models/bert-en/3.js is damaged", timeout=60_000)
        part.write_text(whole)
        box.press("Enter")
        expect(root.locator(".say")).to_contain_text("For the gap in “the [MASK] barked .”", timeout=60_000)
