"""The models of the site's pages: their words and pieces are the course's, their numbers PyTorch's."""

import base64
import json
import random
import re
from itertools import islice, product

import numpy as np
import pytest
import torch

from course.lab.attention_heads import word_weights
from course.live.checkpoint_scripts import write_model
from course.live.page import script
from course.sources.public import load_public
from course_lib.config import data_dir
from course_lib.data.records import Sentence
from course_lib.text.word_pieces import MASK
from course_lib.text.words import split_sentences
from tests.browser.conftest import load, load_heads, reader
from tests.sources.test_registered_sets import needs_mirror

pytestmark = pytest.mark.browser

NAMES = ("bert-en", "bert-ko", "minilm-en")
ELMO = ("bilm-en", "bilm-ko")
ROWS = {  # with [CLS] and [SEP]: the fewest pieces, an odd number, nearly all that fit
    "bert-en": ["[MASK]", "she paid her wages in at the [MASK] .", "the old man and the sea " * 20 + "[MASK]"],
    "bert-ko": ["바다 멀리 하얀 [MASK] 가 보였다 .", "바다\u200b 멀리\u200b \u200b[MASK]\ufeff 떠\u2060 있다.\u200b"],
    "minilm-en": ["She paid her wages in at the bank."],  # post-norm, and no head for gaps
}
INSIDE = """Object.assign(globalThis, { wordSpans, readText, rowOf, linearInJavaScript, engine });
const bytesOf = array => Array.from(new Uint8Array(array.slice().buffer), byte => String.fromCharCode(byte)).join("");
globalThis.packed = array => btoa(bytesOf(Float32Array.from(array)));
"""  # packed: Playwright takes a second for a hundred thousand numbers
NUMBERS = """async ([name, text]) => {
  const { kind, pieces, forward } = await course.live.load(name),
    ids = rowOf(readText(text, pieces), pieces),
    { attentions, probabilities } = forward(ids, ids.flatMap((id, i) => id === pieces.mask ? [i] : []));
  return { kind, tokens: pieces.tokens(ids), weights: packed(attentions), gaps: probabilities.map(packed) };
}"""
HEADS = """async ([text, question]) => {
  const { classify, tag, answer } = await course.live.load("heads-en");
  return [classify("sentence", text), classify("pair", question, text), tag(text), answer(question, text)];
}"""
WEIGHTS = 'async words => packed((await course.live.load("minilm-en")).wordWeights(words))'
VECTORS = """async ([name, words]) => {
  return (await course.live.load(name)).encode(words).map(layer => layer.map(packed));
}"""
EXPECTED = """async ([name, words]) =>
  (await course.live.load(name)).expect(words).map(places => places.map(packed))"""
PIECES = """async ([name, texts]) => {
  const { pieces } = await course.live.load(name), codes = (text, i) => [...text.slice(0, i)].length;
  return JSON.stringify(texts.map(text => {
    const words = wordSpans(text).map(([word]) => word), split = pieces.split(words);
    return [words, split.map((cut, w) => cut.map(([id, a, b]) => [id, codes(words[w], a), codes(words[w], b)]))];
  }));
}"""
PRODUCTS = """sizes => sizes.map(([n, m, k, gap]) => {
  const { room, linear, kind } = engine(4000);
  const x = room(n * (k + gap)), w = room(m * (k + gap)), bias = room(m), own = room(n * m), twin = room(n * m);
  for (const array of [x, w, bias]) array.forEach((_, i) => { array[i] = Math.random() - 0.5; });
  for (const [into, multiply, b] of [[own, linear, bias], [twin, linearInJavaScript, bias]])
    multiply(into, x, w, b, n, m, k, m, k + gap, k + gap);
  const lists = Object.fromEntries(Object.entries({ x, w, bias, own, twin }).map(([name, a]) => [name, [...a]]));
  linear(own, x, w, null, n, m, k, m, k + gap, k + gap);
  return { kind, ...lists, plain: [...own] };
})"""
ODD = [
    *("", " ", "İstanbul ΑΣ naïve CAFÉ", "a\u0301 \u200b\ufeff\x85 x\u00adx", "x" * 101, "漢字かな 한글 ㄱㅏ"),
    *("don't O'Brien's U.S. 3.14 1,000 !!! … 😀🏽 🇰🇷", "dog'sbody 'tis y'all rock'n'roll it'd've I'M o'clock'ſ"),
    *("a\u166db a\u2e4eb", "e.g. U.S.A x.y. a.b.c.d.e.f.g.", "1,000,5 3.x", "[MASK] <b>&amp;</b>"),
    "안녕\u200b하세요 \ufeff배\u2060가\u200f \u200b .",
    "👩\u200d👧 ❤️\u200d🔥 🏴\U000e0067\U000e007f x\u200dy\u200d \U000e0001",
]
SIGNS = [*"\u200b\ufeff\u00ad\u200c\u200d\u200e\u202e\u2060\u2066\x00\x1c\x96aeS1é가배.,'’-!?🙂👧🏽🏴❤가를 \t"]
SIGNS += ["n't", " the ", *"\u0301\ufe0f\U000e0067\U000e0001中배"]


def unpacked(found) -> np.ndarray:
    """Numbers, or lists of numbers, out of the page."""
    if isinstance(found, str):
        return np.frombuffer(base64.b64decode(found), "<f4")
    return np.array([unpacked(part) for part in found])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("live")
    for name in (*NAMES, *ELMO, "heads-en"):
        write_model(folder / "models" / name, data_dir("checkpoints") / name)
    joined = script().removesuffix("})();\n") + INSIDE + "})();\n"
    (folder / "live.js").write_text(joined, encoding="utf-8")
    (folder / "bare.html").write_text('<!doctype html><meta charset="utf-8"><script src="live.js"></script>', "utf-8")
    return folder


@pytest.fixture(scope="module")
def pages(folder, chromium):
    """With WebAssembly or without: a page that keeps the models it has loaded."""
    with reader(chromium) as quick, reader(chromium) as plain:
        for page, wasm in ((quick, True), (plain, False)):
            page.goto((folder / "bare.html").as_uri())
            page.evaluate("wasm => { course.live.wasm = wasm; }", wasm)
        yield {True: quick, False: plain}


@pytest.fixture
def page(pages):
    return pages[True]


# Without WebAssembly one of a kind: the products are the same (a test below).
@pytest.mark.parametrize(("name", "wasm"), [*product(NAMES, [True]), ("bert-en", False)])
def test_the_numbers_are_pytorch_s(pages, name, wasm):
    model = load(name).eval()
    for text in ROWS[name]:
        found = pages[wasm].evaluate(NUMBERS, [name, text])
        assert found["kind"] == ("WebAssembly" if wasm else "JavaScript")
        parts = [model.pieces.ids(Sentence.of(part).words) if part.strip() else [] for part in text.split(MASK)]
        ids = [model.pieces.cls, *parts[0]]
        for part in parts[1:]:
            ids += [model.pieces.mask, *part]
        ids.append(model.pieces.sep)
        assert found["tokens"] == model.pieces.tokens(ids)
        with torch.no_grad():
            states = model(torch.tensor([ids])).hidden_states
            weights = torch.cat(model.stack.attentions(states)).numpy()
        assert np.abs(unpacked(found["weights"]) - weights.ravel()).max() < 2e-5
        for gap, expected in zip(
            map(unpacked, found["gaps"]), model.fill(text, 8192) if found["gaps"] else [], strict=True
        ):
            assert [model.pieces.tokens([i])[0] for i in np.argsort(gap)[:-11:-1]] == [
                piece for piece, _ in expected[:10]
            ]
            probabilities = dict(zip(model.pieces.tokens(range(len(gap))), gap, strict=True))
            assert max(abs(probabilities[piece] - p) for piece, p in expected) < 1e-5


@pytest.mark.parametrize(("name", "wasm"), [*product((*NAMES, *ELMO), [True]), ("bilm-en", False)])
def test_a_word_s_vectors_are_those_of_encode(pages, name, wasm):
    sentences = [
        ["x"],
        ["바\u200b다", "배\u2060", "\u200b", "s\u00adea"],
        ["She", "said", "Antidisestablishmentarianistically-speaking", "漢", "😀", "배", "가", "있다", "."],
    ]
    for words, expected in zip(sentences, load(name).encode(sentences), strict=True):
        found = pages[wasm].evaluate(VECTORS, [name, words])
        assert np.abs(unpacked(found) - expected).max() < 5e-5


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Marie Curie was born in Warsaw in 1867. She moved to Paris to study physics.", "Where was she born?"),
        ("It wasn't a na\u00efve film , but Antidisestablishmentarianistically dull!", "Was it fun?"),
    ],
)
def test_four_heads_say_what_they_say_in_python(page, text, question):
    heads = load_heads("heads-en")
    *kinds, tags, span = page.evaluate(HEADS, [text, question])
    for found, head, given in zip(kinds, ("sentence", "pair"), (text, (question, text)), strict=True):
        expected = dict(zip(heads[head].labels, heads[head].probabilities([given])[0], strict=True))
        assert dict(map(tuple, found)) == pytest.approx(expected, abs=1e-4)
    rows, labels = heads["tokens"].probabilities([text])[0], heads["tokens"].labels
    assert [(word, label) for word, label, _ in tags] == [
        (word, labels[row.argmax()]) for word, row in zip(Sentence.of(text).words, rows, strict=True)
    ]
    assert [p for *_, p in tags] == pytest.approx(rows.max(-1), abs=1e-4)
    (expected,) = heads["span"].predict([(question, text)])
    assert (span["start"], span["end"]) == (expected.start, expected.end)
    assert span["score"] == pytest.approx(expected.score, abs=1e-3)
    with torch.no_grad():  # the body's own numbers lie in it again
        words = list(Sentence.of(text).words)
        weights = unpacked(page.evaluate(WEIGHTS, words))
        assert np.abs(weights - word_weights(load("minilm-en").eval(), [words])[0].ravel()).max() < 2e-5


@pytest.mark.parametrize(("name", "words"), [("bilm-en", "He sat on the bank ."), ("bilm-ko", "그 는 배 를 타고 갔다")])
def test_each_direction_expects_what_its_softmax_says_of_the_state_before(page, name, words):
    lm, words = load(name).eval(), words.split()
    left, right = unpacked(page.evaluate(EXPECTED, [name, words]))
    top = torch.tensor(lm.encode([words])[0][-1])
    with torch.no_grad():
        after, before = (lm.softmax.log_probs(half).exp().numpy() for half in top.chunk(2, dim=-1))
    assert np.abs(left[1:] - after[:-1]).max() < 1e-5  # a state from the left expects the next word
    assert np.abs(right[:-1] - before[1:]).max() < 1e-5
    assert left.sum(-1) == pytest.approx(np.ones(len(words)), abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_the_pieces_are_the_course_s(page, name):
    pieces, folder = load(name).pieces, data_dir("handmade") / name[-2:]
    lines = [part for file in sorted(folder.iterdir()) for part in re.split(r"[\t\n]", file.read_text("utf-8"))]
    chance = random.Random(name)
    texts = [*filter(str.strip, lines[::5]), *ODD]
    texts += ["".join(chance.choices(SIGNS, k=chance.randrange(1, 30))) for _ in range(3_000)]
    for text, (words, cut) in zip(texts, json.loads(page.evaluate(PIECES, [name, texts])), strict=True):
        expected = Sentence.of(text).words
        assert words == list(expected), text
        assert cut == [[list(piece) for piece in word] for word in (pieces.split(expected) if expected else [])], text


@needs_mirror
@pytest.mark.slow
@pytest.mark.parametrize(("name", "corpus"), [("bert-en", "enwiki2015"), ("bert-ko", "kowiki2022")])
def test_ten_thousand_sentences_are_cut_alike(page, name, corpus):
    pieces = load(name).pieces
    paragraphs = (text for article in load_public(corpus) for text in article.paragraphs)
    texts = list(islice((sentence[:600] for text in paragraphs for sentence in split_sentences(text)), 10_000))
    for start in range(0, len(texts), 500):
        chunk = texts[start : start + 500]
        for text, found in zip(chunk, json.loads(page.evaluate(PIECES, [name, chunk])), strict=True):
            words = Sentence.of(text).words
            assert found == [list(words), [[list(piece) for piece in word] for word in pieces.split(words)]], text


def test_the_assembled_product_is_numpy_s_and_its_twin_s(page):
    sizes = [list(size) for size in product((1, 2, 5), (4, 12), (4, 20), (0, 8))]
    for (n, m, k, gap), found in zip(sizes, page.evaluate(PRODUCTS, sizes), strict=True):
        x, w = (np.array(found[name]).reshape(-1, k + gap)[:, :k] for name in "xw")
        expected = x @ w.T
        assert found["kind"] == "WebAssembly"
        for name, bias in (("own", found["bias"]), ("twin", found["bias"]), ("plain", 0)):
            assert np.allclose(np.array(found[name]).reshape(n, m), expected + bias, atol=1e-6), (name, n, m, k, gap)


@pytest.mark.parametrize(
    ("name", "said"),
    [("bilm-en", "The text has 200 words; at most 128 fit"), ("bert-en", "The words have 200 pieces; at most 126 fit")],
)
def test_what_is_too_long_is_said(page, name, said):
    too_long = "name => course.live.load(name).then(({ encode }) => encode(Array(200).fill('word')))"
    assert said in page.evaluate(f"name => ({too_long})(name).catch(error => error.message)", name)
