"""The page "Ask BERT" as a reader opens it from the disk: what it says is what Python says, and nothing is asked of a
network."""

import json
import re
import shutil

import numpy as np
import pytest
import torch
from playwright.sync_api import expect

from course.live.page import sense_sentences
from course_lib.data.records import Sentence
from tests.browser.conftest import load, reader
from tests.browser.test_korean_widgets import ENGLISH

pytestmark = pytest.mark.browser

ANSWERED = "() => course.live.state?.().answer"
GUESSES = "rows => rows.map(row => [row.dataset.piece, +row.dataset.p])"
SAID = "section.cw > :not(.given)"  # the given sentences are in either language
LABELS = "all => all.flatMap(one => [one.ariaLabel, one.title]).filter(label => label)"
TYPE = "one => parseFloat(getComputedStyle(one).fontSize)"
HEADS_CUT = """() => [...document.querySelectorAll(".grid button")].map((_, i) => {
  document.querySelectorAll(".grid button")[i].click();
  return document.querySelectorAll(".grid button")[i].querySelector("span");
}).filter(name => name.scrollWidth > name.clientWidth).map(name => name.textContent)"""
MARY = "Mary lost her keys because [MASK] was in a hurry."


def opened(page, site, link: str = "", name: str = "ask_bert.html"):
    page.goto((site / name).as_uri() + link)
    page.wait_for_function(ANSWERED)


@pytest.fixture(scope="module")
def shared(site, chromium):
    with reader(chromium, 1100) as page:
        opened(page, site)
        yield page


@pytest.fixture
def page(shared):
    """The page with the sentence with which it opens; its model is there."""
    shared.get_by_role("button", name="reset").click()
    expect(shared.locator(".stale")).to_have_count(0)
    return shared


def says(page, words: str) -> None:
    expect(page.locator(".say")).to_contain_text(words)


def typed(page, text: str) -> None:
    """Type it instead of what is there; all that is shown is then of this text."""
    page.locator("textarea").fill(text)
    expect(page.locator(".stale")).to_have_count(0)


def hidden(page) -> list[str]:
    return page.locator(".token.hidden").evaluate_all("all => all.map(token => token.dataset.piece)")


@pytest.mark.parametrize(
    ("name", "text"), [("bert-en", MARY.replace("Mary", "John")), ("bert-ko", "아버지 와 [MASK] 는 함께 살았다 .")]
)
def test_what_is_typed_gets_python_s_guesses(page, name, text):
    typed(page, text)
    (expected,) = load(name).fill(text, 10)
    says(page, f"{name} expects “{expected[0][0]}”")
    found = page.locator(".lists .guess").evaluate_all(GUESSES)
    assert [piece for piece, _ in found] == [piece for piece, _ in expected]
    assert [p for _, p in found] == pytest.approx([p for _, p in expected], abs=1e-5)


def test_a_gap_stays_with_its_word_while_the_text_changes(page):
    field = page.locator("textarea")
    field.press("Home")
    field.type("Yesterday ")
    field.press("End")
    field.type(" So it goes.")
    assert hidden(page) == ["she"]
    field.fill("Yesterday Mary lost her keys because she was in a hurry.")
    for text in ("Yesterday Mary lost her keys because then she was in a hurry.", "because then she was in a hurry."):
        typed(page, text)  # one change at a time: a word right before it, words far before it
        assert hidden(page) == ["she"]
    field.fill("because then he was in a hurry.")
    assert hidden(page) == []


def test_a_guess_goes_into_the_text_and_is_undone(page):
    typed(page, "The dog [MASK] in the garden.")
    page.locator(".guess", has_text="##s").click()
    assert page.locator("textarea").input_value() == "The dogs in the garden."
    page.get_by_role("button", name="undo").click()
    assert page.locator("textarea").input_value() == "The dog [MASK] in the garden."


def test_keys_alone_hide_a_piece_and_change_the_head(page):
    page.locator(".token").first.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    assert hidden(page) == ["her", "she"]
    page.locator(".grid [aria-pressed=true]").focus()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".large h5")).to_contain_text("Head 3.4")
    page.locator(".large canvas").focus()
    page.keyboard.press("[")
    expect(page.locator(".large h5")).to_contain_text("Head 3.3")
    drawn = page.locator(".token").evaluate_all("tokens => tokens.map(token => +token.dataset.weight)")
    ids, query = page.evaluate("() => [course.live.state().answer.ids, course.live.state().query]")
    model = load("bert-en").eval()
    with torch.no_grad():
        weights = model.stack.attentions(model(torch.tensor([ids])).hidden_states)[2][0, 2, query]
    assert drawn == pytest.approx(weights.tolist(), abs=2e-5)


def test_what_a_guess_leans_on_is_python_s_with_that_piece_hidden(page):
    page.wait_for_function("() => document.querySelector('.leans').dataset.leans")
    moves = dict(json.loads(page.locator(".leans").get_attribute("data-leans")))
    words = {piece: shown for piece, shown in moves.items() if piece.isalpha()}
    for piece, shown in words.items():
        start, end = re.search(rf"\b{piece}\b", MARY, re.IGNORECASE).span()
        hidden_too, gap = f"{MARY[:start]}[MASK]{MARY[end:]}", int(start < MARY.index("[MASK]"))
        assert shown == pytest.approx(dict(load("bert-en").fill(hidden_too, 8192)[gap])["she"], abs=1e-5)
    assert words


def test_a_link_brings_sentence_gap_and_head_back(site, chromium):
    with reader(chromium) as page:
        opened(page, site, "#text=The+band+released+their+second+album.&hide=3&head=1.2")
        says(page, "“their”, hidden here, is guess 1")
        expect(page.locator(".large h5")).to_contain_text("Head 1.2")


def test_a_link_with_nonsense_shows_its_text(site, chromium):
    with reader(chromium) as page:
        opened(page, site, "#text=The+band+released+their+album.&hide=15e-1.3.x.-1.1e9.__proto__&head=15e-1.2")
        says(page, "“their”, hidden here, is guess")
        assert hidden(page) == ["their"]
        expect(page.locator(".large h5")).to_contain_text("Head 4.4")


def test_a_piece_can_be_asked_before_its_text_is_read(site, chromium):
    with reader(chromium) as page:
        page.add_init_script("performance.now = (t => () => t += 400)(0)")  # a slow machine: it waits for a pause
        opened(page, site, "#text=The+old+dog+[MASK]")
        says(page, "bert-en expects")
        page.evaluate("""() => {
            const field = document.querySelector("textarea");
            field.value = "The";
            field.dispatchEvent(new Event("input"));
            document.querySelectorAll(".token")[1].focus();
        }""")
        says(page, "Nothing is hidden")


def test_hostile_odd_and_long_text_is_text(page):
    typed(page, "<img src=x onerror=window.hit=1> </script><script>window.hit=1</script>")
    assert page.locator("#ask-bert img, #ask-bert script").count() == 0
    assert page.evaluate("window.hit") is None
    typed(page, "😀🏽 🇰🇷 भाषा and [MASK] x\u0301")
    says(page, "bert-en expects")
    expect(page.locator("p.soft")).to_contain_text("does not know: 😀🏽")
    typed(page, "the old man and the sea and " * 350)
    assert page.evaluate("course.live.state().answer.n") == 128
    expect(page.locator(".trouble")).to_contain_text("Only the first 126 pieces")
    typed(page, "")
    says(page, "Type a sentence.")


def test_the_published_model_comes_when_it_is_asked_for_and_only_looks(page, site):
    assert page.evaluate("performance.getEntriesByType('resource').filter(r => r.name.includes('minilm')).length") == 0
    expect(page.locator(".other")).to_contain_text("it guesses nothing, but shows 72 heads")
    button = page.get_by_role("button", name="ask minilm-en, a published BERT with 72 heads (")
    size = float(re.search(r"([\d.]+) MB", button.inner_text())[1])
    assert size == pytest.approx(
        sum(one.stat().st_size for one in (site / "models/minilm-en").iterdir()) / 1e6, abs=0.05
    )
    place = button.bounding_box()["y"]
    button.click()
    says(page, "minilm-en guesses nothing")
    assert page.locator(".grid button").count() == 72
    expect(page.locator(".sense")).to_have_count(2)  # a sentence came that it can judge
    assert page.locator(".other button").bounding_box()["y"] == pytest.approx(place, abs=2)  # under the finger still
    page.get_by_role("button", name="undo").click()
    assert page.locator("textarea").input_value() == MARY.replace("[MASK]", "she")
    assert hidden(page) == ["she"]
    page.locator(".lists button").click()
    page.locator(".sense").first.wait_for()
    typed(page, "We rested on the grassy Bank of the river.")
    page.locator(".sense").first.wait_for()
    found = page.locator(".sense").evaluate_all("rows => rows.map(row => [row.dataset.sense, +row.dataset.cosine])")
    words, places, senses = zip(*sense_sentences()["bank"], strict=True)
    own = Sentence.of(page.locator("textarea").input_value()).words
    *rows, mine = load("minilm-en").encode([*words, own], layer=-1)
    for sense, cosine in found:
        mean = np.mean([row[at] for row, at, told in zip(rows, places, senses, strict=True) if told == sense], axis=0)
        assert cosine == pytest.approx(mean @ mine[5] / np.linalg.norm(mean) / np.linalg.norm(mine[5]), abs=1e-4)
    assert [sense for sense, _ in found] == ["river", "money"]
    assert "river" in page.locator(".lists").inner_text().rpartition("Nearest:")[2]
    typed(page, "Mary lost her keys because she was in a hurry.")
    expect(page.locator(".lists")).to_contain_text("Type a sentence with one of these words: bank, ")
    page.locator(".token").nth(6).click()
    page.get_by_role("button", name="ask bert-en again").click()
    says(page, "“she”, hidden here")
    assert page.locator(".grid button").count() == 16


def test_the_korean_page_speaks_korean(site, chromium):
    with reader(chromium) as page:
        opened(page, site, name="ko/ask_bert.html")
        assert "배" in page.locator("textarea").input_value()
        for text in ("아버지 와 [MASK] 는 [MASK] 살았다 .", "가 " * 5000, "", MARY):
            typed(page, text)
            if "[MASK]" in text:
                name = "bert-en" if text == MARY else "bert-ko"
                (piece, _), *_ = load(name).fill(text, 1)[0]
                says(page, f"{name}의 예상은 “{piece}”")
                page.wait_for_function("() => document.querySelector('.leans').dataset.leans")
            elif text:
                expect(page.locator(".trouble")).to_contain_text("처음 126개 조각만 읽습니다.")
            said = [
                page.title(),
                *page.locator(SAID).all_inner_texts(),
                *page.locator(f"{SAID} *").evaluate_all(LABELS),
            ]
            assert [words for words in said if ENGLISH.search(re.sub("“.*?”", "", words))] == []
        page.get_by_role("button", name="minilm-en").click()
        says(page, "minilm-en 모델은 빈칸을 채우는 헤드 없이 공개되어 예상하지 않습니다.")
        page.get_by_role("link", name="English").click()
        says(page, "looks most at")  # the sentence that came with minilm-en goes along


def test_a_quotation_begins_and_ends_with_a_whole_word(page):
    typed(page, "The old pottery is full of hot [MASK] and it is a yard now.")
    says(page, "in “pottery is full of hot [MASK] and it is a yard”,")
    assert {"##tery", "##ard"} < set(page.evaluate("course.live.state().answer.names"))


@pytest.mark.parametrize(
    ("width", "scheme", "name"), [(360, "dark", "ko/ask_bert.html"), (700, "light", "ask_bert.html")]
)
def test_it_fits_its_window(site, chromium, width, scheme, name):
    with reader(chromium, width, scheme) as page:
        opened(page, site, name=name)
        for text in ("a", "x" * 90, "the old man and the [MASK] " * 15):
            typed(page, text)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, text
        assert page.locator(".rank").evaluate_all(f"all => Math.min(...all.map({TYPE}))") >= 12
        assert page.evaluate(HEADS_CUT) == []


@pytest.mark.parametrize(("width", "name"), [(1280, "ask_bert"), (1280, "ko/ask_bert"), (360, "index")])
def test_nothing_moves_while_a_page_comes(site, chromium, width, name):
    with reader(chromium, width, "dark") as page:
        page.add_init_script("""window.moved = 0; new PerformanceObserver(all => all.getEntries().forEach(one => {
            window.moved += one.hadRecentInput ? 0 : one.value;
        })).observe({ type: "layout-shift", buffered: true })""")
        page.goto((site / f"{name}.html").as_uri())
        if "ask" in name:
            page.wait_for_function(ANSWERED)
        page.wait_for_timeout(700)
        assert page.evaluate("moved") < 0.1


def test_given_sentences_can_be_read_whole(page):
    assert page.locator(".given > button").evaluate_all("all => all.map(e => e.scrollWidth - e.clientWidth)") == [0] * 5


@pytest.mark.parametrize("missing", ["globalThis.WebAssembly", "Uint8Array.prototype.setFromBase64"])
def test_an_older_browser_answers_too(site, chromium, missing):
    with reader(chromium) as page:
        page.add_init_script(f"delete {missing}")
        opened(page, site)
        says(page, "expects “she”")
        kind = "JavaScript" if missing.endswith("WebAssembly") else "WebAssembly"  # its policy allows it
        assert page.evaluate("course.live.state().model.kind") == kind


def test_a_part_that_is_missing_or_damaged_is_named(site, chromium, tmp_path):
    for name in ("ask_bert.html", "ask.js", "ask.css", "style.css", "page.js"):
        shutil.copy(site / name, tmp_path)
    shutil.copytree(site / "models" / "bert-en", tmp_path / "models" / "bert-en")
    part = tmp_path / "models" / "bert-en" / "3.js"
    whole = part.read_text("utf-8")
    for broken in (None, whole[: len(whole) // 2], re.sub(r'3, "\w+"', '3, "000000000000"', whole)):
        part.unlink(missing_ok=True)
        if broken is not None:
            part.write_text(broken, encoding="utf-8")
        page = chromium.new_page()  # what is broken, its console may say
        page.goto((tmp_path / "ask_bert.html").as_uri())
        expect(page.locator(".trouble")).to_contain_text("models/bert-en/3.js")
        assert page.evaluate("course.live.state().answer") is None
        part.write_text(whole, encoding="utf-8")
        page.locator("textarea").press("End")
        page.locator("textarea").type("!")  # mended: it is asked for again
        page.wait_for_function(ANSWERED)
        page.close()
