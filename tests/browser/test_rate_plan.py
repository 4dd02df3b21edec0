"""The rate designer in a real JupyterLab: shares are Python's, marks by key and by mouse."""

import pytest

from tests.browser.conftest import kernel_comes_to

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-rates", "rates"


def check(root, shown):
    drawn = dict(root.locator("[data-share]").evaluate_all("n => n.map(x => [x.dataset.layer, +x.dataset.share])"))
    assert [drawn[str(i)] for i in range(4)] == pytest.approx(shown.shares(), rel=1e-5, abs=1e-12)
    assert root.locator(".say").inner_text() == shown.finding()


def test_presets_and_sliders_to_both_ends(root, shown):
    check(root, shown)
    for name, state in (
        ("all at once", {"opens": [0] * 4}),
        ("all at once, one rate", {"factor": 1.0, "ratio": 1.0}),
        ("last only", {"opens": [500, 500, 500, 0], "factor": 2.6, "ratio": 32.0}),
        ("paper", {"opens": [187, 125, 62, 0]}),
    ):
        root.get_by_role("button", name=name, exact=True).press("Enter")
        for trait, value in state.items():
            setattr(shown, trait, value)
        check(root, shown)
    for label, trait, low, high in (
        ("each layer below: rate ÷", "factor", 1.0, 5.0),
        ("rising part of the triangle", "cut", 0.01, 0.9),
        ("highest rate ÷ lowest", "ratio", 1.0, 64.0),
    ):
        for key, value in (("Home", low), ("End", high)):
            root.get_by_label(label).press(key)
            setattr(shown, trait, value)
            check(root, shown)


def test_marks_move_by_key_and_by_mouse(lab, root, shown):
    mark = root.get_by_label("opens LSTM 1")
    for key, step in (("ArrowRight", 130), ("PageDown", 80), ("Home", 0), ("End", 500), ("ArrowLeft", 495)):
        mark.press(key)
        shown.opens = [187, step, 62, 0]
        check(root, shown)
        assert mark.get_attribute("aria-valuenow") == str(step)
    box = mark.bounding_box()
    lab.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
    lab.page.mouse.down()
    lab.page.mouse.move(box["x"] - 2_000, box["y"] + 20)
    lab.page.mouse.up()
    shown.opens = [187, 0, 62, 0]
    check(root, shown)
    kernel_comes_to(lab, "print(rates.opens)", "[187, 0, 62, 0]")
