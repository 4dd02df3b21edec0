"""The widget that fills gaps, in a real JupyterLab: the kernel answers. On a page without one, what is stored."""

import pytest

from tests.browser.conftest import IN_KERNEL, hurried, kernel_comes_to, reader
from tests.widgets.gallery import GIVEN, HOSTILE

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-fill", "gaps"
ANSWERED = "id => document.querySelectorAll('.cw-fill')[id].querySelectorAll('[data-now=false]').length === 0"


@pytest.fixture
def root(root):
    root.locator(".panel").first.locator(".guess").nth(6).wait_for()  # seven are the kernel's, five the stored ones
    return root


def told(root, text):
    """Wait until the finding is this one: it comes with the kernel's answer."""
    root.locator(".say", has_text=text).wait_for(timeout=60_000)
    assert root.locator(".say").inner_text() == text


def check(root, shown):
    """Finding and bars are Python's."""
    told(root, shown.finding())
    for number, side in enumerate(shown.answer["sides"]):
        drawn = root.locator(".panel").nth(number).locator(".guess")
        pairs = drawn.evaluate_all("n => n.map(x => [x.dataset.piece, +x.dataset.p])")
        at = min(shown.gap[number], len(side["masked"]) - 1)
        assert pairs == (side["guesses"][at] if side["masked"] else [])
        widths = root.locator(".panel").nth(number).locator(".track i").evaluate_all("n => n.map(x => x.style.width)")
        assert [float(wide[:-1]) for wide in widths] == pytest.approx([100 * p for _, p in pairs], abs=1e-3)


def sides(shown, tokens, masked):
    return [{"tokens": tokens, "masked": masked, "unknown": []} for _ in shown.names]


def test_tokens_are_hidden_by_mouse_and_by_key_and_python_knows(lab, root, shown):
    check(root, shown)
    root.locator(".token").nth(1).press("Enter")  # hidden at first: now nothing is
    shown.request = {"id": "1", "sides": sides(shown, ["the", "dog", "barked"], [])}
    check(root, shown)
    assert "Nothing is hidden in" in shown.finding()
    held = root.locator(".token:focus")
    assert held.get_attribute("data-text") == "dog"  # the picture was drawn anew, the focus stayed
    held.press("End")
    root.locator(".token:focus").press("Space")
    shown.request = {"id": "2", "sides": sides(shown, ["the", "dog", "barked"], [2])}
    check(root, shown)
    root.locator(".token:focus").press("Home")
    root.locator(".token:focus").press("Enter")
    shown.request = {"id": "3", "sides": sides(shown, ["the", "dog", "barked"], [0, 2])}
    shown.gap = [0, 0]
    check(root, shown)
    root.locator(".panel").first.get_by_role("button", name="gap 2").press("Enter")
    shown.gap = [1, 1]
    check(root, shown)
    kernel_comes_to(lab, "print(gaps.answer['sides'][0]['masked'], gaps.gap)", "[0, 2] [1, 1]")
    kernel_comes_to(lab, "print(gaps.finding())", shown.finding())


def test_a_guess_is_put_in_and_undone(root, shown):
    check(root, shown)
    root.locator(".panel").nth(1).locator(".guess").first.press("Enter")
    piece = shown.answer["sides"][1]["guesses"][0][0][0]
    told(root, f"Nothing is hidden in “the {piece} barked”. Choose a token to hide it.")
    assert root.locator(".token:focus").get_attribute("data-text") == piece
    assert root.get_by_label("given sentence").input_value() == ""  # it is the reader's own now
    root.get_by_role("button", name="undo").press("Enter")
    check(root, shown)
    assert root.get_by_role("button", name="undo").is_disabled()


def test_sentences_are_picked_and_typed(root, shown):
    root.get_by_label("given sentence").select_option(index=3)
    shown.request = {"id": "1", "text": GIVEN[2]}
    check(root, shown)
    box = root.get_by_label("or type a sentence")
    box.fill("the [MASK] slept the 배")
    box.press("Enter")
    shown.request = {"id": "2", "text": "the [MASK] slept the 배"}
    check(root, shown)
    assert "the token that is hidden" not in root.locator(".guess").first.get_attribute("aria-label")
    long = f"the unhappy {'dog ' * 5}[MASK] {'dog ' * 5}unhappy the"  # quoted in part, by whole words
    box.fill(long)
    box.press("Enter")
    shown.request = {"id": "long", "text": long}
    check(root, shown)
    box.fill("the ☃ [MASK]")
    root.get_by_role("button", name="ask", exact=True).click()
    shown.request = {"id": "3", "text": "the ☃ [MASK]"}
    check(root, shown)
    assert "Not known: ☃. A word with what is not known is [UNK]." in root.inner_text()
    before = root.locator(".say").inner_text()
    for text, says in ((" ", "the text is empty"), ("the " * 41, "41 tokens; at most 40 fit")):
        box.fill(text)
        box.press("Enter")
        root.locator(".trouble", has_text=says).wait_for()
        assert root.locator(".say").inner_text() == before
    box.fill("the " * 40)
    box.press("Enter")
    root.locator(".token").nth(39).wait_for()
    assert root.locator(".trouble").inner_text() == ""


def test_python_moves_the_page(lab, root, shown):
    lab.page.evaluate(IN_KERNEL, "gaps.request = {'id': 'mine', 'text': 'cat [MASK] cat'}")
    shown.request = {"id": "mine", "text": "cat [MASK] cat"}
    check(root, shown)


SLOW = """import time
quick = gaps._models
gaps._models = [FillModel(m.name, m.tokenize, lambda *asked, m=m: time.sleep(1) or m.fill(*asked)) for m in quick]"""


def test_a_kernel_that_does_not_answer_is_named_and_the_last_answer_stays(lab, root, shown):
    lab.page.evaluate(IN_KERNEL, SLOW)
    with hurried(lab.page, 4):
        root.locator(".token").first.click()  # two gaps: not stored
        trouble = root.locator(".trouble", has_text="The kernel does not answer: start it and run the cell again.")
        trouble.wait_for(timeout=60_000)
    told(root, "No answer yet to “[MASK] [MASK] barked”. Below stand the last ones.")
    assert "The last answer, to “the [MASK] barked”" in root.locator(".panel").first.inner_text()
    assert root.locator(".guess").first.is_disabled()
    shown.request = {"id": "1", "sides": sides(shown, ["the", "dog", "barked"], [0, 1])}
    check(root, shown)  # it came back
    lab.page.evaluate(IN_KERNEL, "gaps._models = quick")
    assert root.locator(".trouble").inner_text() == ""


def test_each_model_says_what_it_knows(lab, root):
    strange = lab.page.locator(".cw-fill").nth(1)
    wild = [word.replace(" ", "/") for word in HOSTILE]
    for number, known in ((0, [*wild[:-1], "[UNK]"]), (1, wild)):  # the first model does not know the last word
        panel = strange.locator(".panel").nth(number)
        assert panel.locator(".token").evaluate_all("n => n.map(x => x.dataset.text)") == known
    assert strange.locator(".panel h5").first.get_attribute("title") is None
    strange.locator(".panel").nth(1).locator(".token").first.click()
    lab.page.wait_for_function(ANSWERED, arg=1)


def test_a_page_without_kernel_shows_each_single_gap(chromium, shown):
    with reader(chromium) as page:
        page.set_content(shown.page())
        root = page.frame_locator("iframe").locator(WIDGET)
        check(root, shown)
        root.locator(".token").nth(1).click()
        root.locator(".token").nth(2).click()
        shown.k = 5
        shown.request = {"id": "1", "sides": sides(shown, ["the", "dog", "barked"], [2])}
        told(root, shown.finding())
        root.locator(".token").nth(0).press("Enter")
        assert "This page has no kernel." in root.locator(".trouble").inner_text()
        root.get_by_role("button", name="undo").click()
        assert root.locator(".trouble").inner_text() == ""
        told(root, shown.finding())
