"""The one-hot product in a real JupyterLab: drawn = computed, every control by keyboard."""

import pytest

from tests.browser.conftest import kernel_comes_to

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-row", "table"


def numbers(line):
    return [float(cell.inner_text().replace("−", "-")) for cell in line.locator(".cell").all()]


def test_rows_and_product_equal_pythons_numbers(root, shown):
    lines = root.locator(".line[data-word]").all()
    assert [line.get_attribute("data-word") for line in lines] == shown.words
    for place, (line, row) in enumerate(zip(lines, shown.matrix, strict=True)):
        assert line.locator(".bit").inner_text() == str(int(place == shown.word))
        assert numbers(line) == pytest.approx(row)
    assert numbers(root.locator(".out")) == pytest.approx(shown.matrix[shown.word])
    assert root.locator(".say").inner_text() == shown.finding()


def test_arrow_keys_choose_words_and_python_knows(lab, root, shown):
    lines = root.get_by_role("listbox")
    lines.focus()
    for key, word in (("End", 6), ("ArrowUp", 5), ("Home", 0), ("ArrowDown", 1)):
        lines.press(key)
        shown.word = word
        assert root.locator(".line.on").get_attribute("data-word") == shown.words[word]
        assert root.locator(".say").inner_text() == shown.finding()
    kernel_comes_to(lab, "print(table.word)", "1")


def test_backward_reaches_one_row_and_repeats_add_up(root, shown):
    switch = root.get_by_role("switch")
    switch.focus()
    switch.press("Space")
    shown.backward = True
    for key, times in (("End", 3), ("Home", 1), ("ArrowRight", 2)):
        root.get_by_label("times in the batch").press(key)
        shown.times = times
        assert root.locator(".say").inner_text() == shown.finding()
    texts = [
        [cell.inner_text() for cell in line.locator(".cell").all()] for line in root.locator(".line[data-word]").all()
    ]
    assert texts == [["2g"] * 3 if i == shown.word else ["0"] * 3 for i in range(7)]


def test_the_cost_grows_with_the_vocabulary(root, shown):
    slider = root.get_by_label("words in the vocabulary")
    slider.focus()
    for key, place in (("Home", 0), ("ArrowRight", 1), ("End", 4)):
        slider.press(key)
        shown.size = place
        assert root.locator(".say").inner_text() == shown.finding()
        costs = [int(bar.get_attribute("data-value")) for bar in root.locator(".cost").all()]
        assert costs == [3 * shown.sizes[place], 3]
