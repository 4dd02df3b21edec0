"""The recall questions in a browser, as an exported page shows them: no kernel, no network."""

import re

import pytest

from course.check import recall, registry
from course.check.questions import questions
from tests.browser.conftest import asked_elsewhere, chromium  # noqa: F401
from tests.check.test_recall_widget import HOSTILE, HOSTILE_FILE

pytestmark = pytest.mark.browser


@pytest.fixture
def show(chromium):  # noqa: F811
    """A function that shows HTML at a width and returns the page and the frame in it; asks nothing of any network."""
    pages, faults = [], []

    def show(text, width=1000, scheme="light"):
        page = chromium.new_page(viewport={"width": width, "height": 700}, color_scheme=scheme)
        pages.append(page)
        faults.append(asked_elsewhere(page))
        page.on("pageerror", lambda error: faults[-1].append(str(error)))
        page.on("dialog", lambda dialog: faults[-1].append(dialog.message))
        page.set_content(text)
        frame = page.frame_locator("iframe")
        frame.locator(".cw-recall .say").wait_for()
        return page, frame

    yield show
    for page in pages:
        page.close()
    assert not any(faults)


def test_choices_feedback_and_progress(show):
    _, frame = show(recall(1).page())
    asked = questions(1)
    say = frame.locator(".say")
    assert say.inner_text() == "0 of 10 answered, 0 right."
    for number, question in enumerate(asked):
        right = [option.right for option in question.options].index(True)
        wrong = (right + 1) % len(question.options)
        assert frame.locator(".question").inner_text() == f"{number + 1}. {question.text}"
        frame.locator(".option").nth(wrong).click()
        assert frame.locator(".because").inner_text() == f"✗ Not so. {question.options[wrong].because}"
        if number < 6:
            frame.locator(".option").nth(right).click()
            assert frame.locator(".because").inner_text() == f"✓ Right. {question.options[right].because}"
        if number < 9:
            frame.get_by_role("button", name="Next").click()
    assert say.inner_text() == "10 of 10 answered, 6 right."
    assert frame.locator(".number").all_inner_texts() == [f"{n} {'✓' if n <= 6 else '✗'}" for n in range(1, 11)]
    frame.get_by_role("button", name="Question 3").click()
    assert frame.locator(".number[aria-current=true]").inner_text() == "3 ✓"
    frame.get_by_role("button", name="Start again").click()
    assert say.inner_text() == "0 of 10 answered, 0 right."
    assert frame.locator(".because").count() == 0


def test_keys_alone_are_enough_and_arrows_do_not_choose(show):
    page, frame = show(recall(1).page())
    frame.locator(".option").first.focus()
    page.keyboard.press("ArrowDown")
    assert frame.locator(".because").count() == 0
    page.keyboard.press("Enter")
    assert frame.locator(".option").nth(1).get_attribute("aria-pressed") == "true"
    assert frame.locator(".option:focus").inner_text() == questions(1)[0].options[1].text  # focus stays
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    assert frame.locator(".option").last.get_attribute("aria-pressed") == "true"
    assert frame.locator(".say").inner_text() == "1 of 10 answered, 0 right."
    frame.get_by_text("Not so.").first.wait_for()
    frame.locator("[aria-live]", has_text="1 of 10 answered").wait_for(state="attached", timeout=3_000)
    missing = frame.locator("button:not([data-lm-suppress-shortcuts])")
    assert missing.count() == 0


# Elements that are wider than their box, or a page wider than its window.
_TOO_WIDE = """body => [...body.querySelectorAll('*:not(.sr)'), body.ownerDocument.documentElement]
  .filter(node => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== 'inline').length"""
_LOWEST_BUTTON = "body => Math.min(...[...body.querySelectorAll('button')].map(node => node.offsetHeight))"
_PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(17, 17, 17)"}


@pytest.mark.parametrize("width", [1000, 700, 360])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows(show, width, scheme):
    _, frame = show(recall(1).page(), width, scheme)
    body = frame.locator("body")
    for number in range(10):
        frame.locator(".number").nth(number).click()
        frame.locator(".option").first.click()
        assert body.evaluate(_TOO_WIDE) == 0
    assert body.evaluate(_LOWEST_BUTTON) >= 28
    assert frame.locator(".cw-recall").evaluate("node => getComputedStyle(node).backgroundColor") == _PAPER[scheme]


def test_hostile_text_is_shown_as_text(show, tmp_path, monkeypatch):
    file = tmp_path / "recall.toml"
    file.write_text(HOSTILE_FILE, encoding="utf-8")
    monkeypatch.setattr(registry, "recall_file", lambda chapter: file)
    _, frame = show(recall(0).page())
    frame.locator(".option").click()
    assert frame.locator(".option").inner_text() == HOSTILE
    assert HOSTILE in frame.locator(".because").inner_text()
    assert frame.locator("img").count() == 0


def test_the_list_shows_where_frame_and_style_are_stripped(show, chromium):  # noqa: F811
    stripped = re.sub(r"<style>.*?</style>|<iframe.*?</iframe>", "", recall(1).page(), flags=re.DOTALL)
    page, _ = show(recall(1).page())
    assert not page.locator(".recall-plain-1").is_visible()
    bare = chromium.new_page()
    bare.set_content(stripped)
    first = bare.locator("summary").first
    assert first.is_visible()
    assert not bare.get_by_text(questions(1)[0].options[0].because).is_visible()
    first.focus()
    bare.keyboard.press("Enter")
    assert bare.get_by_text(questions(1)[0].options[0].because).is_visible()
    bare.close()
