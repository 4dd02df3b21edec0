"""The span explorer in a real JupyterLab: bars and lists are Python's, start and end by key, mouse and list."""

import re

import numpy as np
import pytest

from course.widgets.answer_spans import log_probabilities
from tests.browser.conftest import IN_KERNEL, kernel_comes_to
from tests.widgets.gallery import HOSTILE

pytestmark = pytest.mark.browser
WIDGET, SHOWN = ".cw-spans", "spans"
LAST = 2 * len(HOSTILE) - 1


def check(root, shown):
    assert root.locator(".say").inner_text() == shown.finding()
    marks = [root.locator(f"[data-mark={name}]").get_attribute("aria-valuenow") for name in ("start", "end")]
    assert marks == [str(shown.start + 1), str(shown.end + 1)]
    logs = log_probabilities(shown.table())
    for name, row, chosen in (("start", logs[0], shown.start), ("end", logs[1], shown.end)):
        bars = root.locator(f".bar.{name}").evaluate_all(
            "n => n.map(x => [+x.dataset.log, +x.getAttribute('height'), x.classList.contains('on')])"
        )
        heights = 34 * (np.exp(row) if shown.linear else (1 + row / 8).clip(0))
        assert [log for log, _, _ in bars] == pytest.approx(row, rel=1e-6)
        assert [height for _, height, _ in bars] == pytest.approx(heights)
        assert [place for place, (_, _, on) in enumerate(bars) if on] == [chosen]
    pressed = root.locator(".list [aria-pressed=true]").evaluate_all(
        "n => n.map(x => [+x.dataset.start, +x.dataset.end])"
    )
    listed = [[span.start, span.end] for span in (*shown.refused(), *shown.spans())]
    assert pressed == [pair for pair in listed if pair == [shown.start, shown.end]]


def test_the_list_holds_the_best_no_answer_and_the_refused(root, shown):
    check(root, shown)
    rows = root.locator(".list [data-score]").evaluate_all(
        "n => n.map(x => [x.dataset.start ?? '', x.dataset.end ?? '', +x.dataset.score, x.querySelector('s') !== null])"
    )
    best = [[str(i), str(j), score, False] for i, j, score in shown.spans()]
    place = sum(span.score >= 10.5 for span in shown.spans())
    best.insert(place, ["", "", 10.5, False])
    assert rows == best + [[str(i), str(j), score, True] for i, j, score in shown.refused()]
    assert shown.refused()
    name = root.locator("button.span").first.get_attribute("aria-label")  # no digits that run together
    assert re.fullmatch(r"1\. .*: score [−\d.]+, log-probability [−\d.]+ \(.* %\)", name, re.S)
    spans = set(root.locator(".bracket").evaluate_all("n => n.map(x => x.dataset.span)"))
    assert spans == {f"{i},{j}" for i, j, _ in shown.spans()}


def test_marks_move_by_key_to_both_ends(lab, root, shown):
    places = {"Home": 0, "ArrowRight": 1, "PageUp": 11, "ArrowDown": 10, "End": LAST, "PageDown": 1}
    for name in ("start", "end"):
        mark = root.locator(f"[data-mark={name}]")
        for key, place in places.items():
            mark.press(key)
            setattr(shown, name, place)
            check(root, shown)
        assert mark.evaluate("node => node === document.activeElement")
        assert root.locator(".read").inner_text().startswith(f"“{HOSTILE[1]}” as start: score 5.00")
    kernel_comes_to(lab, "print(spans.start, spans.end)", "1 1")


def test_a_click_above_is_a_start_and_below_an_end_and_marks_are_dragged(lab, root, shown):
    for name, place in (("start", 5), ("end", 2), ("end", 7)):
        root.locator(f"[data-hit='{name} {place}']").click()
        setattr(shown, name, place)
        check(root, shown)
    grip, aim = (root.locator("[data-mark=end] .grip"), root.locator("[data-hit='end 10']"))
    grip.scroll_into_view_if_needed()
    box, to = grip.bounding_box(), aim.bounding_box()
    lab.page.mouse.move(box["x"] + 14, box["y"] + 30)
    lab.page.mouse.down()
    lab.page.mouse.move(to["x"] + to["width"] / 2, to["y"] + 20)
    lab.page.mouse.up()
    shown.end = 10
    check(root, shown)


def test_buttons_list_and_switch(lab, root, shown):
    start, end = shown.table()
    for name, pair in (
        ("best start and best end, apart", (start.argmax(), end.argmax())),
        ("best answer", shown.spans()[0][:2]),
    ):
        root.get_by_role("button", name=name, exact=True).press("Enter")
        shown.start, shown.end = map(int, pair)
        check(root, shown)
    for span in (*shown.refused(), *shown.spans()):
        root.locator(f".list [data-start='{span.start}'][data-end='{span.end}']").press("Enter")
        shown.start, shown.end = span.start, span.end
        check(root, shown)
    switch = root.get_by_role("switch")
    for linear in (True, False):
        switch.press("Space")
        shown.linear = linear
        check(root, shown)
    kernel_comes_to(lab, "print(spans.start, spans.end, spans.linear)", f"{shown.start} {shown.end} False")
    lab.page.evaluate(IN_KERNEL, "spans.start, spans.end = 3, 3")
    shown.start, shown.end = 3, 3
    root.locator("[data-mark=end][aria-valuenow='4']").wait_for()
    check(root, shown)
