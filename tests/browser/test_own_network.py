"""The page "Ask BERT" with a network that a reader has kept: its numbers are PyTorch's; what it cannot open it says."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import safetensors.torch
import torch
from playwright.sync_api import expect
from torch import nn

from course import kept
from course.by_hand.bert import Bert
from course.chapters.ch07.build import SPECIALS, OwnBert
from course.chapters.ch07.ex_7_8_encoder_block import encoder_block
from course.site.build import write_ask
from course_lib.language import speaking
from tests.browser.conftest import reader
from tests.browser.test_ask_bert import ANSWERED, typed
from tests.browser.test_korean_widgets import ENGLISH

pytestmark = pytest.mark.browser

WORDS = [*SPECIALS, "Yuna", "was", "in", "the", "garden", "and", "not", "did", ".", "유나", "는", "에"]  # 17
TEXT = "Yuna was [MASK] the harbour garden ."  # one word of it is unknown
IDS = [2, 5, 6, 4, 8, 1, 9, 13, 3]
FORWARD = """ids => {
  const { model: { forward, kind } } = course.live.state(), found = forward(ids, [3, 6]);
  return { kind, states: found.hiddenStates.map(all => [...all]), gaps: found.probabilities.map(all => [...all]) };
}"""


def built(n: int) -> tuple[nn.Module, Callable]:
    model = OwnBert(n, encoder_block)

    def scores(ids):
        states = model(ids, ids != 0)
        return states, states @ model.pieces.T + model.bias

    return model, scores


def by_hand(n: int, **settings) -> tuple[nn.Module, Callable]:
    model = Bert(n, 24, 3, 3, 20, 11, **settings)
    return model, lambda ids: (model.states(ids)[-1], model(model.states(ids)[-1]))


KINDS = {"built": built, "before": lambda n: by_hand(n, pre_norm=True), "after": lambda n: by_hand(n, pre_norm=False)}


def made(kind: str) -> tuple[nn.Module, Callable]:
    torch.manual_seed(5)
    model, scores = KINDS[kind](len(WORDS))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return model, scores


@pytest.fixture(autouse=True)
def answers(monkeypatch, tmp_path):
    monkeypatch.setenv("COURSE_ANSWERS_DIR", str(tmp_path / "answers"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The page in both languages, as `course ask` writes it for a network of build 7.B."""
    folder = tmp_path_factory.mktemp("ask")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COURSE_ANSWERS_DIR", str(folder / "answers"))
        for language in ("en", "ko"):
            with speaking(language):
                kept.keep("own-bert", made("built")[0], WORDS)
                write_ask(folder, "own-bert", kept.bytes_of("own-bert"))
            patch.setattr("course.site.build.write_live", lambda *given: None)  # the models and scripts are the same
    return folder


def opened(page, folder, name="ask_bert.html"):
    page.goto((folder / name).as_uri())
    page.wait_for_function(ANSWERED)


def choose(page, *paths, folder=False):
    page.locator("input[webkitdirectory]" if folder else "input[accept]").set_input_files(*paths)


@pytest.fixture(scope="module")
def both(folder, chromium):
    """The page in English and in Korean, which each file is given to."""
    with reader(chromium) as english, reader(chromium) as korean:
        opened(english, folder)
        opened(korean, folder, "ko/ask_bert.html")
        yield english, korean


@pytest.mark.parametrize("wasm", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_its_numbers_are_pytorch_s(both, kind, wasm):
    model, scores = made(kind)
    name = f"net-{kind}-{wasm}"
    page, _ = both
    page.evaluate("wasm => { course.live.wasm = wasm; }", wasm)
    choose(page, kept.keep(name, model, WORDS))
    expect(page.locator(".typed")).to_contain_text(f"{name} · ")
    found = page.evaluate(FORWARD, IDS)
    with torch.no_grad():
        states, logits = scores(torch.tensor([IDS]))
    assert found["kind"] == ("WebAssembly" if wasm else "JavaScript")
    assert torch.tensor(found["states"][-1]).view_as(states).allclose(states, atol=1e-4)
    assert torch.tensor(found["gaps"]).allclose(logits[0, [3, 6]].softmax(-1), atol=1e-4)


def test_it_opens_with_the_reader_s_network_which_reads_whole_words(folder, chromium):
    with reader(chromium) as page:
        opened(page, folder)
        expect(page.locator(".say")).to_contain_text("own-bert expects")
        assert "Yuna" in page.locator("textarea").input_value()  # of the given sentences it knows that one best
        typed(page, TEXT)
        assert page.evaluate("course.live.state().answer.ids") == IDS
        expect(page.locator("p.soft").first).to_contain_text("own-bert does not know: harbour")
        with torch.no_grad():
            best = made("built")[1](torch.tensor([IDS]))[1][0, 3].argmax()
        assert page.locator(".guess").first.get_attribute("data-piece") == WORDS[best]
        page.get_by_role("button", name="ask bert-en again").click()
        expect(page.locator(".say")).to_contain_text("bert-en expects")


@pytest.mark.parametrize("name", ["ask_bert.html", "ko/ask_bert.html"])
def test_its_page_speaks_of_it_leaves_no_room_empty_and_has_no_link_that_leads_nowhere(folder, chromium, name):
    with reader(chromium, 360) as page:
        opened(page, folder, name)
        assert page.locator(".prose p b").first.inner_text() == "own-bert"
        room, taken = (page.locator(which).bounding_box()["height"] for which in ("#ask-bert", ".cw-ask"))
        assert room - taken < 50
        links = page.locator("a[href]").evaluate_all("all => all.map(link => link.href)")
        assert [link for link in links if not Path(unquote(urlsplit(link).path)).is_file()] == []
        header = page.locator("header")
        assert "▶" not in header.inner_text()  # nor does it name a page that is not there
        assert header.bounding_box()["height"] < 50  # the course's name in one line


def test_of_a_folder_those_are_offered_that_can_be_opened(folder, chromium, tmp_path):
    kept.keep("a", nn.Linear(3, 3))
    for kind in KINDS:
        kept.keep(f"net-{kind}", made(kind)[0], WORDS)
    with reader(chromium) as page:
        opened(page, folder)
        choose(page, tmp_path / "answers", folder=True)
        expect(page.locator(".mine span button")).to_have_count(len(KINDS))
        page.get_by_role("button", name="net-built").click()
        expect(page.locator(".say")).to_contain_text("net-built expects")
        (tmp_path / "empty").mkdir()
        (tmp_path / "empty" / "notes.txt").write_text("no network")
        choose(page, tmp_path / "empty", folder=True)
        expect(page.locator(".refused")).to_contain_text("No file here ends in .safetensors")
        expect(page.locator(".say")).to_contain_text("net-built expects")  # it stays


def changed(**about):
    """The file of build 7.B with other words about it; None: without them."""

    def change(raw: bytes) -> bytes:
        with_these = {key: value for key, value in {**ABOUT, **about}.items() if value is not None}
        return safetensors.torch.save(safetensors.torch.load(raw), with_these)

    return change


def without(name: str):
    return lambda raw: safetensors.torch.save(
        {key: value for key, value in safetensors.torch.load(raw).items() if key != name}, ABOUT
    )


def halved(raw: bytes) -> bytes:
    return safetensors.torch.save({key: value.half() for key, value in safetensors.torch.load(raw).items()}, ABOUT)


ABOUT = {"words": json.dumps(WORDS), "n_heads": "4", "language": "en"}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda raw: b"PK\3\4" + raw, "is damaged"),
        (lambda raw: b"", "is damaged"),
        (lambda raw: raw[:300], "is damaged"),
        (lambda raw: raw[:-40], "was cut short"),
        (halved, "no float32 safetensors file"),
        (without("kinds"), "is a network of another kind"),
        (without("blocks.1.outer"), "is a network of another kind"),
        (lambda raw: safetensors.torch.save({"weight": torch.zeros(2, 2)}, ABOUT), "is a network of another kind"),
        (
            changed(words=None),
            'was kept without its vocabulary, by an earlier version of the course. Keep it again: run check("7.B")',
        ),
        (changed(words=json.dumps(WORDS[:-1])), "16 words for a table of 17 rows"),
        (changed(words=json.dumps([*WORDS[:-1], "did"])), "does not fit"),
        (changed(words=json.dumps(["x", *WORDS[1:]])), "does not fit"),
        (changed(n_heads=None), "is of a size that this page does not compute"),
        (changed(n_heads="32"), "is of a size that this page does not compute"),
    ],
)
def test_what_cannot_be_opened_is_said_in_both_languages(both, tmp_path, change, says):
    path = kept.keep("own-bert", made("built")[0], WORDS)
    path.write_bytes(change(path.read_bytes()))
    for page in both:
        refused = page.locator(".refused")
        refused.evaluate_all("all => all.forEach(one => one.replaceChildren())")  # what it said of the file before
        choose(page, path)
        expect(refused).not_to_be_empty()
    english, korean = (page.locator(".refused").inner_text() for page in both)
    assert says in english
    assert not ENGLISH.search(re.sub(r'check\("7.B"\)|session.keep', "", korean)), korean
