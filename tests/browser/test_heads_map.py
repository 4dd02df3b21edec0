"""The attention heatmap in a real JupyterLab: drawn = computed, every key."""

import pytest

from tests.browser.conftest import IN_KERNEL, kernel_comes_to
from tests.widgets.gallery import HOSTILE

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-heads", "heads"
TOKENS = ["[CLS]", *HOSTILE, "사과"]


def check(root, shown):
    cells = root.locator(".cellrect").evaluate_all("n => n.map(x => [+x.dataset.q, +x.dataset.k, +x.dataset.v])")
    table = shown.table()[shown.layer, shown.head]
    kept = [k for k, token in enumerate(TOKENS) if not (shown.hide and token == "[CLS]")]
    assert [(q, k) for q, k, _ in cells] == [(q, k) for q in kept for k in kept]
    assert [v for *_, v in cells] == pytest.approx([table[q, k] for q in kept for k in kept], abs=1e-5)
    assert root.locator(".say").inner_text() == " ".join(shown.finding().split())
    pairs = root.locator(".goldcell").evaluate_all("n => n.map(x => x.dataset.pair)")
    assert pairs == [f"{q},{k}" for q, k in shown.gold.get(shown.relation, []) if q in kept and k in kept]


def test_cells_gold_and_agreement_are_pythons(root, shown):
    check(root, shown)
    drawn = root.locator(".grid button").evaluate_all("n => n.map(x => +x.dataset.agreement)")
    assert drawn == pytest.approx(shown.summary().agreement.flatten(), abs=1e-5)


def test_keys_move_cell_head_layer_and_gold(lab, root, shown):
    grid = root.get_by_role("application")
    grid.focus()
    for key, state in (
        ("ArrowDown", {"query": 4}),
        ("]", {"head": 1}),
        ("}", {"layer": 1}),
        ("[", {"head": 0}),
        ("{", {"layer": 0}),
        ("g", {"relation": "head"}),
        ("g", {"relation": ""}),
        ("ArrowUp", {"query": 3}),
    ):
        grid.press(key)
        for name, value in state.items():
            setattr(shown, name, value)
        check(root, shown)
    kernel_comes_to(lab, "print(heads.query, heads.layer, repr(heads.relation))", "3 0 ''")
    grid.press("ArrowRight")
    grid.press("Enter")
    assert root.locator(".read").inner_text().endswith(", held.")
    grid.press("Enter")


def test_special_tokens_hide_and_python_can_set_the_state(lab, root, shown):
    root.get_by_role("switch").press("Space")
    shown.hide = True
    check(root, shown)
    kernel_comes_to(lab, "print(heads.layer, heads.head, heads.hide)", "0 0 True")
    lab.page.evaluate(IN_KERNEL, "heads.layer, heads.head = 1, 2")
    root.locator("[aria-label='head 2.3'][aria-pressed=true]").wait_for()
    shown.layer, shown.head = 1, 2
    check(root, shown)
    root.get_by_label("head 1.2").click()
    shown.layer, shown.head = 0, 1
    check(root, shown)


def test_a_decoder_hatches_what_may_not_be_seen(lab):
    root = lab.page.locator(".cw-heads").nth(1)
    assert root.locator(".no").count() == 3
    assert root.locator(".cellrect").count() == 6


def test_the_small_heads_take_the_colour_of_a_new_theme(lab, root):
    colour = "n => [...n.getContext('2d').getImageData(0, 0, n.width, n.height).data].slice(0, 3)"
    canvas = root.locator(".grid canvas").first
    light = canvas.evaluate(colour)
    body = lab.page.locator("body")
    try:
        body.evaluate("b => b.setAttribute('data-jp-theme-light', 'false')")
        lab.page.wait_for_function("([n, light]) => [...n.getContext('2d').getImageData(0, 0, 1, 1).data].slice(0, 3)"
                                   ".join() !== light.join()", arg=[canvas.element_handle(), light])  # fmt: skip
    finally:
        body.evaluate("b => b.setAttribute('data-jp-theme-light', 'true')")
    assert light == pytest.approx([0x08, 0x40, 0x7F], abs=16)  # a faint square is stored with few bits


def test_twelve_heads_stay_beside_the_large_map(lab):
    wide = lab.page.locator(f"{WIDGET} .panels.wide").filter(has=lab.page.locator("[aria-label='head 1.12']"))
    last, large = wide.locator("[aria-label='head 1.12']").bounding_box(), wide.locator(".large").bounding_box()
    assert last["x"] + last["width"] <= large["x"]
