"""Exercises that a page of the site checks itself, by keyboard alone: Python comes with the first press."""

import pytest
from playwright.sync_api import expect

from course.check import registry
from tests.browser.conftest import hurried, reader
from tests.browser.test_site import STICKS_OUT, address
from tests.site.test_exercises import cell

pytestmark = pytest.mark.browser

PATIENCE = {"timeout": 60_000}  # a busy machine starts Python in ten times the usual two seconds


def typed(page, exercise_id, source):
    """The exercise's cell, after `source` was typed into it and checked."""
    shown = page.locator(f'[data-exercise="{exercise_id}"]')
    shown.locator("textarea").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")
    return shown


def test_mistakes_are_named_a_loop_without_end_is_stopped_and_what_was_typed_and_solved_is_kept(site, chromium):
    head = "def negative_distribution(counts, power):\n    "
    plain, endless, right = (
        f'{head}{body}\ncheck("1.2", negative_distribution)'
        for body in (
            "return {word: n / sum(counts.values()) for word, n in counts.items()}",
            "while True:\n        pass",
            "all = sum(n**power for n in counts.values())\n    return {w: n**power / all for w, n in counts.items()}",
        )
    )
    with reader(chromium, 360) as page:
        page.goto(address(site, "01_word_vectors"))
        assert page.evaluate("performance.getEntriesByType('resource').filter(e => e.name.includes('/python/'))") == []
        output = typed(page, "1.2", plain).locator(".output")
        expect(output).to_contain_text("not yet: the power is missing", **PATIENCE)
        assert page.evaluate(STICKS_OUT) == []
        page.keyboard.press("Tab")  # out of the text, to the buttons
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(output).to_contain_text("hint 1 of 3")
        with hurried(page, 6):
            typed(page, "1.2", endless)
            expect(output).to_contain_text("no end after 6 s", **PATIENCE)
        for number, source in (("1.2", right), ("1.8", cell(registry.find("1.8")))):
            output = typed(page, number, source).locator(".output")
            expect(output).to_contain_text(f"Exercise {number}: right.", **PATIENCE)
        page.reload()
        shown = page.locator('[data-exercise="1.2"]')
        expect(shown.locator(".loads")).to_contain_text("Solved")
        expect(shown.locator(".output")).to_be_empty()  # the stored one says that it is not solved
        assert shown.locator("textarea").input_value() == right
        page.goto(address(site, "index"))
        row = page.locator('.map li[data-page="01_word_vectors"]')
        assert "exercises 2 of" in row.locator(".done").inner_text()
        assert row.evaluate("row => parseFloat(row.style.getPropertyValue('--p'))") > 0


def test_the_korean_page_answers_in_korean(site, chromium):
    with reader(chromium, 360) as page:
        page.goto(address(site, "ko/09_one_table"))
        shown = typed(page, "9.1", 'def paired_interval(*given):\n    given = 0\ncheck("9.1", paired_interval)')
        expect(shown.locator(".output")).to_contain_text("아무것도 돌려주지 않습니다", **PATIENCE)
        shown.get_by_role("button", name="힌트 1").press("Enter")
        expect(shown.locator(".output")).to_contain_text("힌트 3개 가운데 1번")
