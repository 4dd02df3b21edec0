"""Pairs of occurrences in a real JupyterLab: drawn = computed, keyboard, hostile text, widths."""

import json

import pytest

from tests.browser.conftest import HOSTILE
from tests.browser.test_word_map import IN_KERNEL

pytestmark = pytest.mark.browser


@pytest.fixture
def root(lab):
    root = lab.page.locator(".cw-pairs").first
    root.get_by_role("button", name="reset").click()
    return root


def kernel(lab, expression):
    return json.loads(lab.page.evaluate(IN_KERNEL, f"import json; print(json.dumps({expression}))"))


def test_cells_and_means_equal_pythons_numbers(lab, root):
    for system in range(3):
        root.get_by_role("tab").nth(system).click()
        drawn = [float(cell.get_attribute("data-value")) for cell in root.locator(".pair").all()]
        values = kernel(lab, f"pairs.similarity({system}).tolist()")
        assert drawn == pytest.approx([value for row in values for value in row])
        assert root.locator(".say").inner_text() == kernel(lab, "pairs.finding()")
        assert kernel(lab, "pairs.system") == system


def test_arrow_keys_move_the_pair_and_brackets_the_system(lab, root):
    grid = root.locator("svg.grid")
    grid.focus()
    for key, cell in (
        ("ArrowDown", "1,5"),
        ("ArrowLeft", "1,4"),
        ("ArrowUp", "0,4"),
        ("ArrowUp", "0,4"),
        ("ArrowRight", "0,5"),
    ):
        grid.press(key)
        assert grid.get_attribute("data-cell") == cell
    assert kernel(lab, "pairs.cell") == [0, 5]
    grid.press("]")
    assert grid.get_attribute("data-system") == "biLM"
    grid.press("[")
    assert grid.get_attribute("data-system") == "word alone"


def test_the_two_sentences_are_read_with_the_word_in_bold(lab, root):
    root.locator(".pair").nth(0 * 6 + 3).click()
    sentences, senses = kernel(lab, "pairs.sentences"), kernel(lab, "pairs.senses")
    bold = [node.inner_text() for node in root.locator(".said p b").all()]
    assert bold == [sentences[0][0], sentences[3][0]]
    assert (senses[0] == senses[3]) == ("same sense" in root.locator(".number").inner_text())


def test_hostile_text_stays_text_and_nothing_sticks_out(lab, root):
    assert root.locator("img, script").count() == 0
    assert lab.page.evaluate("() => window.hit") is None
    assert HOSTILE[0] in kernel(lab, "pairs.systems")
    for width in (1400, 900, 560):
        lab.page.set_viewport_size({"width": width, "height": 1000})
        lab.page.wait_for_timeout(300)
        assert root.evaluate("node => node.scrollWidth <= node.clientWidth + 1")
    lab.page.set_viewport_size({"width": 1200, "height": 1000})
