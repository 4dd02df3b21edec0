"""The map of words in a real JupyterLab: drawn = computed, every control by keyboard, nothing leaves the machine."""

import numpy as np
import pytest

from course.widgets.word_map import cosines
from tests.browser.conftest import IN_KERNEL, is_dark, kernel_comes_to
from tests.widgets.gallery import HOSTILE

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-map", "shown"


def listed(panel):
    return [(li.get_attribute("data-word"), float(li.get_attribute("data-cosine"))) for li in panel.locator("li").all()]


def expected(widget, pairs):
    return [(widget.words[i], pytest.approx(cosine, abs=1e-5)) for i, cosine in pairs]


def answers(shown):
    """The five words nearest to a - b + c, each of length 1."""
    table = shown.shipped[shown.window].astype(float)
    a, b, c = (table / np.linalg.norm(table, axis=1, keepdims=True))[shown.sum]
    scores = cosines(table, a - b + c).tolist()
    may = set(range(len(table))) - (set() if shown.inputs_may_answer else {*shown.sum})
    return [(i, scores[i]) for i in sorted(may, key=lambda i: -scores[i])[:5]]


def test_lists_places_and_finding_equal_pythons_numbers(root, shown):
    assert listed(root.locator("ol").nth(0)) == expected(shown, shown.neighbours())
    assert listed(root.locator("ol.answers")) == expected(shown, answers(shown))
    assert root.locator(".say").inner_text() == shown.finding()
    places = [(float(d.get_attribute("data-x")), float(d.get_attribute("data-y"))) for d in root.locator(".dot").all()]
    width, height = (float(root.locator("svg.map").get_attribute(name)) for name in ("width", "height"))
    for (x, y), (right, up) in zip(places, shown.map[0].tolist(), strict=True):
        assert x == pytest.approx(width / 2 + right / 9999 * (width / 2 - 46), abs=0.1)
        assert y == pytest.approx(height / 2 - up / 9999 * (height / 2 - 18), abs=0.1)


def test_the_window_moves_to_both_ends_by_keyboard_and_python_knows(lab, root, shown):
    slider = root.locator("input[type=range]")
    slider.focus()
    for key, place in (("End", 3), ("Home", 0), ("ArrowRight", 1), ("ArrowUp", 2)):
        slider.press(key)
        shown.window = place
        assert root.locator(".say").inner_text() == shown.finding()
        assert listed(root.locator("ol").nth(0)) == expected(shown, shown.neighbours())
    kernel_comes_to(lab, "print(shown.window)", "2")
    assert slider.evaluate("node => node === document.activeElement")  # JupyterLab did not take the arrow keys


def test_arrow_keys_on_the_map_go_from_word_to_word(lab, root, shown):
    chart = root.locator("svg.map")
    chart.focus()
    seen = set()
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp") * 3:
        before = chart.get_attribute("data-chosen")
        place = {w: i for i, w in enumerate(shown.words)}
        chart.press(key)
        after = chart.get_attribute("data-chosen")
        seen.add(after)
        if after != before:
            axis, sign = int(key in ("ArrowUp", "ArrowDown")), 1 if key in ("ArrowRight", "ArrowUp") else -1
            moved = shown.map[0][place[after]][axis] - int(shown.map[0][place[before]][axis])
            assert moved * sign > 0
    assert len(seen) >= 4
    shown.chosen = shown.words.index(chart.get_attribute("data-chosen"))
    assert root.locator(".say").inner_text() == shown.finding()
    kernel_comes_to(lab, "print(shown.chosen)", str(shown.chosen))


def test_a_click_and_the_find_box_choose_a_word_and_unknown_text_is_not_taken(root, shown):
    find = root.get_by_label("find a word")
    find.fill("word17")
    shown.chosen = 17
    assert root.locator(".say").inner_text() == shown.finding()
    find.fill("no such word")
    assert root.locator("svg.map").get_attribute("data-chosen") == "word17"
    assert "unknown" in find.get_attribute("class")
    root.locator("ol").nth(0).locator("button").first.click()
    assert root.locator("svg.map").get_attribute("data-chosen") == shown.words[shown.neighbours()[0][0]]


def test_the_sum_and_its_cheat(root, shown):
    root.get_by_label("a", exact=True).fill("word9")
    shown.sum = [9, 5, 6]
    assert listed(root.locator("ol.answers")) == expected(shown, answers(shown))
    switch = root.get_by_role("switch")
    switch.focus()
    switch.press("Space")
    shown.inputs_may_answer = True
    assert listed(root.locator("ol.answers")) == expected(shown, answers(shown))
    assert "one of the three you asked with" in root.locator(".claim").inner_text()
    root.get_by_role("button", name="reset").press("Enter")
    assert root.get_by_label("a", exact=True).input_value() == "word4"
    assert not switch.is_checked()


def test_python_moves_the_page(lab, root, shown):
    kernel_comes_to(lab, "print(shown.chosen)", str(shown.chosen))
    lab.page.evaluate(IN_KERNEL, "shown.chosen = 11")
    lab.page.wait_for_function("() => document.querySelector('.cw-map svg.map').dataset.chosen === 'word11'")
    shown.chosen = 11
    assert root.locator(".say").inner_text() == shown.finding()


def test_hostile_words_stay_text(lab):
    odd = lab.page.locator(".cw-map").nth(1)
    assert [d.get_attribute("data-word") for d in odd.locator(".dot").all()] == HOSTILE
    for word in HOSTILE:
        odd.get_by_label("find a word").fill(word)
        assert odd.locator("svg.map").get_attribute("data-chosen") == word
        assert odd.locator(".say").inner_text().startswith(f"Window 5: nearest to “{word}”")


@pytest.mark.parametrize("theme", ["JupyterLab Dark", "JupyterLab Light"])
def test_both_themes(lab, root, theme):
    lab.page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    lab.page.wait_for_function(
        "dark => (document.body.dataset.jpThemeLight === 'false') === dark", arg=theme.endswith("Dark")
    )
    colour, paper = root.evaluate("node => [getComputedStyle(node).color, getComputedStyle(node).backgroundColor]")
    assert is_dark(root) is theme.endswith("Dark")
    assert colour != paper
