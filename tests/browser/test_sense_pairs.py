"""Pairs of occurrences in a real JupyterLab: drawn = computed, keyboard."""

import pytest

from tests.browser.conftest import IN_KERNEL, kernel, kernel_comes_to

pytestmark = pytest.mark.browser
WIDGET = ".cw-pairs"


def test_cells_and_means_equal_pythons_numbers(lab, root):
    for system in range(3):
        root.get_by_role("tab").nth(system).click()
        drawn = [float(cell.get_attribute("data-value")) for cell in root.locator(".pair").all()]
        values = kernel(lab, f"pairs.similarity({system}).tolist()")
        assert drawn == pytest.approx([value for row in values for value in row])
        kernel_comes_to(lab, "print(pairs.system)", str(system))
        assert root.locator(".say").inner_text() == kernel(lab, "pairs.finding()")


def test_arrow_keys_move_the_pair_and_brackets_the_system(lab, root):
    grid = root.locator("svg.grid")
    grid.focus()
    up = ("ArrowUp", "0,4")  # the second time it stays in the first row
    for key, cell in (("ArrowDown", "1,5"), ("ArrowLeft", "1,4"), up, up, ("ArrowRight", "0,5")):
        grid.press(key)
        assert grid.get_attribute("data-cell") == cell
    kernel_comes_to(lab, "print(pairs.cell)", "[0, 5]")
    grid.press("]")
    assert grid.get_attribute("data-system") == "biLM"
    grid.press("[")
    assert grid.get_attribute("data-system") == "word alone"


CELLS_SEEN = """grid => { window.cells = []; new MutationObserver(() => window.cells.push(grid.dataset.cell))
    .observe(grid, { attributes: true, attributeFilter: ["data-cell"] }); }"""
SLOW = """import time
nap = lambda change: time.sleep(0.3)
pairs.observe(nap, ["cell", "system"])"""


def test_a_late_echo_of_the_kernel_takes_no_key_press_back(lab, root):
    """A slow kernel repeats the reset after later presses: the page keeps what was pressed, the kernel comes to it."""
    kernel_comes_to(lab, "print(pairs.cell)", "[0, 5]")
    lab.page.evaluate(IN_KERNEL, SLOW)
    grid = root.locator("svg.grid")
    grid.evaluate(CELLS_SEEN)
    presses = [("ArrowDown", "1,5"), ("ArrowDown", "2,5"), ("reset", "0,5"), ("ArrowLeft", "0,4"), ("ArrowDown", "1,4")]
    for key, _ in presses:
        if key == "reset":
            root.get_by_role("button", name="reset").press("Enter")
        else:
            grid.press(key)
    kernel_comes_to(lab, "print(pairs.cell)", "[1, 4]")
    lab.page.wait_for_timeout(500)  # an echo on its way would be here by now
    seen = lab.page.evaluate("() => window.cells")
    assert [cell for i, cell in enumerate(seen) if i == 0 or cell != seen[i - 1]] == [cell for _, cell in presses]
    lab.page.evaluate(IN_KERNEL, "pairs.unobserve(nap, ['cell', 'system'])")


def test_the_two_sentences_are_read_with_the_word_in_bold(lab, root):
    root.locator(".pair").nth(0 * 6 + 3).click()
    sentences, senses = kernel(lab, "pairs.sentences"), kernel(lab, "pairs.senses")
    bold = [node.inner_text() for node in root.locator(".said p b").all()]
    assert bold == [sentences[0][0], sentences[3][0]]
    assert (senses[0] == senses[3]) == ("same sense" in root.locator(".number").inner_text())
