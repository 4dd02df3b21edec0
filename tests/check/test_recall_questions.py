"""Recall questions: every chapter's file is complete; choices survive; what a page shows, also in a browser."""

import html
import re

import pytest

from course.check import recall, recall_questions
from course.check.recall_questions import keep_choices, kept_choices, questions
from course.check.registry import chapters_with
from course_lib.errors import CourseError
from tests.browser.conftest import asked_elsewhere, chromium  # noqa: F401

CHAPTERS = chapters_with("recall.toml")
HOSTILE = """</script><img src=x onerror=alert(1)>' " & <!--"""
HOSTILE_FILE = f"""
[[question]]
key = "k"
chapter = 0
text = '''{HOSTILE}'''
option = [{{ text = '''{HOSTILE}''', because = '''{HOSTILE}''', right = true }}]
"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_ten_questions_with_feedback_for_each_option(chapter):
    """Chapter 0, which teaches no model, has fewer."""
    asked = questions(chapter)
    assert len(asked) == 10 or (chapter == 0 and len(asked) >= 5)
    assert len({question.key for question in asked}) == len(asked)
    for question in asked:
        assert question.chapter <= chapter
        assert 3 <= len(question.options) <= 4
        assert [option.right for option in question.options].count(True) == 1
        assert len({option.text for option in question.options}) == len(question.options)
        assert all(len(option.because.split()) >= 5 for option in question.options)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_right_option_cannot_be_guessed_from_place_or_length(chapter):
    asked = questions(chapter)
    places = [[option.right for option in question.options].index(True) for question in asked]
    longest = [max(question.options, key=lambda option: len(option.text)).right for question in asked]
    assert max(map(places.count, places)) <= 0.6 * len(asked)
    assert sum(longest) <= 0.6 * len(asked)


def written(**questions):
    """A file with these questions, by key, and their options."""
    option = "[[question.option]]\ntext = '{}'\nbecause = ''\n".format
    head = "[[question]]\nkey = '{}'\nchapter = 0\ntext = '?'\n".format
    return "".join(head(key) + "".join(map(option, options)) for key, options in questions.items())


OLD = written(one=["a", "b"], two=["c", "d"])
NEW = written(two=["x", "c", "d"], three=["a"], one=["a (reworded)", "b"]).replace("'?'", "'? (reworded)'", 1)


@pytest.fixture
def file(tmp_path, monkeypatch):
    file = tmp_path / "recall.toml"
    file.write_text(OLD, encoding="utf-8")
    monkeypatch.setattr(recall_questions, "recall_file", lambda chapter: file)
    return file


def test_choices_survive_an_update_of_the_questions(file):
    assert kept_choices(0) == [-1, -1]
    assert keep_choices(0, [-1, -1], [0, 1]) == ""
    assert kept_choices(0) == [0, 1]
    file.write_text(NEW, encoding="utf-8")
    assert kept_choices(0) == [2, -1, -1]  # "two" moved, "three" is new, the chosen option of "one" is gone


def test_two_kernels_add_to_each_other(file):
    keep_choices(0, [-1, -1], [1, -1])
    keep_choices(0, [-1, -1], [-1, 0])  # this kernel never saw the first choice
    assert kept_choices(0) == [1, 0]
    keep_choices(0, [1, 0], [-1, -1])
    assert kept_choices(0) == [-1, -1]


def test_a_chapter_without_questions_says_which_have_some():
    with pytest.raises(CourseError, match=r"Chapter 77 has no recall questions. Chapters that have: 0, 1"):
        questions(77)


def test_what_is_stored_in_a_notebook_never_holds_the_readers_choices():
    before = recall(1)._repr_mimebundle_()[0]
    widget = recall(1)
    widget.chosen = [0] * 10
    assert widget.note == ""
    after = recall(1)._repr_mimebundle_()[0]
    assert recall(1).chosen == [0] * 10
    for kind in ("text/html", "text/plain"):
        assert before[kind] == after[kind]
    assert len(after["text/html"].encode()) < 60_000
    assert "✓" not in after["text/plain"]


def test_the_list_for_notebooks_without_trust_holds_all_texts():
    """What Lab's sanitiser leaves of the output: frames and styles go, `details` stay."""
    shown = re.sub(r"<style>.*?</style>|<iframe.*?</iframe>", "", recall(1).page(), flags=re.DOTALL)
    for question in questions(1):
        assert html.escape(question.text) in shown
        for option in question.options:
            assert f"<summary>{html.escape(option.text)}</summary>" in shown
            assert html.escape(option.because) in shown
    assert shown.count("✓ Right.") == 10


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
    assert not any(faults)  # before the pages close: that tears off what a frame still loads
    for page in pages:
        page.close()


@pytest.mark.browser
def test_choices_feedback_and_progress(show):
    page, frame = show(recall(1).page())
    assert not page.locator(".recall-plain-1").is_visible()  # the list for notebooks without trust
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


@pytest.mark.browser
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


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1000, "light"), (700, "dark"), (360, "light")])
def test_nothing_overflows(show, width, scheme):
    _, frame = show(recall(1).page(), width, scheme)
    body = frame.locator("body")
    for number in range(10):
        frame.locator(".number").nth(number).click()
        frame.locator(".option").first.click()
        assert body.evaluate(_TOO_WIDE) == 0
    assert body.evaluate(_LOWEST_BUTTON) >= 28
    assert frame.locator(".cw-recall").evaluate("node => getComputedStyle(node).backgroundColor") == _PAPER[scheme]


@pytest.mark.browser
def test_hostile_text_is_shown_as_text(show, file):
    file.write_text(HOSTILE_FILE, encoding="utf-8")
    page, frame = show(recall(0).page())
    assert page.locator("img").count() == 0
    frame.locator(".option").click()
    assert frame.locator(".option").inner_text() == HOSTILE
    assert HOSTILE in frame.locator(".because").inner_text()
    assert frame.locator("img").count() == 0
    assert "default-src 'none'" in html.unescape(recall(0).page())
