"""Softmax saturation in a real JupyterLab: drawn = computed, each control to both ends and by keyboard."""

import pytest

from tests.browser.conftest import IN_KERNEL, kernel_comes_to

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-sat", "saturated"


def drawn(root, mark, attribute):
    return [
        float(value) for value in root.locator(mark).evaluate_all(f"nodes => nodes.map(n => n.dataset.{attribute})")
    ]


def check(root, shown):
    now = shown.numbers()
    assert drawn(root, ".bar", "y") == pytest.approx(now.weights, rel=1e-5)
    assert drawn(root, ".panel:nth-child(3) [data-v]", "v") == pytest.approx(
        now.jacobian.flatten(), rel=1e-4, abs=1e-12
    )
    assert drawn(root, "[data-norm]", "norm") == pytest.approx([now.norm], rel=1e-4)
    assert root.locator(".say").inner_text() == shown.finding()


def test_d_k_to_both_ends_and_scaling_by_keyboard(lab, root, shown):
    slider, switch = root.get_by_label("d_k, entries of q and k"), root.get_by_role("switch")
    for key, d_k in (("Home", 1), ("End", 1024), ("ArrowLeft", 861)):
        slider.press(key)
        shown.d_k = d_k
        check(root, shown)
    switch.press("Space")
    shown.scaled = True
    check(root, shown)
    kernel_comes_to(lab, "print(saturated.d_k, saturated.scaled)", "861 True")
    lab.page.evaluate(IN_KERNEL, "saturated.d_k = 16")
    root.locator("input[aria-valuetext='16']").wait_for()
    shown.d_k = 16
    check(root, shown)


def test_temperature_draws_and_five_to_all(root, shown):
    heat = root.get_by_label("temperature")
    for key, temperature in (("Home", 0.1), ("End", 10.0)):
        heat.press(key)
        shown.temperature = temperature
        check(root, shown)
    root.get_by_role("button", name="another draw").press("Enter")
    shown.draw = 1
    check(root, shown)
    before = drawn(root, ".bar", "y")
    root.get_by_role("button", name="+5 to all").press("Enter")
    shown.shift = 5
    check(root, shown)
    assert drawn(root, ".bar", "y") == pytest.approx(before, rel=1e-5)


def test_the_notes_scores_times_a_hundred(root, shown):
    root.get_by_label("[0.3, 0.4]").check(force=True)
    shown.source = "notes"
    check(root, shown)
    root.get_by_label("both scores times").press("End")
    shown.factor = 100
    check(root, shown)
    assert root.get_by_label("d_k, entries").is_hidden()
    root.get_by_label("낱말 8개").check(force=True)
    shown.source = "ko"
    check(root, shown)
    assert "배가" in root.inner_text()


def test_a_cell_of_the_gradient_is_read_by_arrow_keys(root, shown):
    grid, now = root.get_by_role("application"), shown.numbers()
    grid.press("ArrowDown")
    assert f"{now.jacobian[0, 0]:.5f}" in root.locator(".read").inner_text()
    grid.press("ArrowRight")
    assert f"{abs(now.jacobian[0, 1]):.5f}, off the diagonal: minus" in root.locator(".read").inner_text()
    grid.press("Escape")
    assert "Point at a cell" in root.locator(".read").inner_text()
