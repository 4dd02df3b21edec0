"""The mix of layers in a real JupyterLab: drawn = computed for every control and key."""

import numpy as np
import pytest

from course.widgets.sense_mix import map_places, mixed_gram
from tests.browser.conftest import kernel, kernel_comes_to

pytestmark = pytest.mark.browser
WIDGET = ".cw-mix"


def agree(lab, root):
    """Bars, gauge, map and finding are those of Python's numbers for the widget's present state."""
    pulled = root.locator("input[type=range]").evaluate_all("n => n.map(x => +x.value)")  # ten times each w, then gamma
    kernel_comes_to(lab, "print([round(10 * value) for value in [*mix.raw, mix.gamma]])", str(pulled))
    weights = [float(part.get_attribute("data-value")) for part in root.locator(".part").all()]
    assert weights == pytest.approx(kernel(lab, "mix.weights().tolist()"), abs=1e-5)
    gauge = float(root.locator(".gauge").get_attribute("data-value"))
    assert gauge == pytest.approx(kernel(lab, "mix.sense_score()"), abs=1e-5)
    assert root.locator(".say").inner_text() == kernel(lab, "mix.finding()")
    dots = root.locator("svg.map .dot").all()
    drawn = np.array([[float(dot.get_attribute(f"data-{axis}")) for axis in "xy"] for dot in dots])
    gram = mixed_gram(np.array(kernel(lab, "mix.grams.tolist()")), kernel(lab, "mix.weights().tolist()"))
    wanted = kernel(lab, "mix.gamma") * map_places(gram)
    for places in (drawn, wanted):  # the same up to turning and mirroring: compare distances
        places -= places.mean(0)
    apart = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (drawn, wanted)]
    np.testing.assert_allclose(*apart, atol=0.02 * apart[1].max())


def test_sliders_to_both_ends_by_keyboard(lab, root):
    agree(lab, root)
    for number, key in ((2, "End"), (0, "Home"), (1, "ArrowRight"), (2, "ArrowLeft")):
        slider = root.locator("input[type=range]").nth(number)
        slider.focus()
        slider.press(key)
        agree(lab, root)
    assert kernel(lab, "mix.raw") == [-4.0, 0.1, 3.9]


def test_plus_one_on_all_moves_nothing_and_gamma_keeps_the_score(lab, root):
    before = [part.get_attribute("data-value") for part in root.locator(".part").all()]
    root.get_by_role("button", name="+1 to all").press("Enter")
    assert [part.get_attribute("data-value") for part in root.locator(".part").all()] == before
    assert "moves nothing" in root.locator(".say").inner_text()
    slider = root.get_by_label("γ, the scale")
    slider.focus()
    slider.press("End")
    assert "5.0 times as far out" in root.locator(".say").inner_text()
    agree(lab, root)


def test_presets_and_the_four_steps(lab, root):
    root.get_by_role("button", name="learned").click()
    agree(lab, root)
    weights = kernel(lab, "mix.weights().tolist()")
    rows = [
        [float(c.inner_text().replace("−", "-")) for c in strip.locator(".cell").all()]
        for strip in root.locator(".strip").all()
    ]
    strips = np.array(kernel(lab, "[layer[mix.chosen] for layer in mix.strips]"))
    np.testing.assert_allclose(rows[:3], strips, atol=0.051)
    np.testing.assert_allclose(rows[3], np.array(weights) @ strips, atol=0.051)


def test_arrow_keys_choose_an_occurrence_and_its_sentence_is_read(lab, root):
    chart = root.locator("svg.map")
    chart.focus()
    for key, chosen in (("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowLeft", 0), ("ArrowLeft", 10)):
        chart.press(key)
        assert chart.get_attribute("data-chosen") == str(chosen)
    assert root.locator(".read b").inner_text() == "배"
