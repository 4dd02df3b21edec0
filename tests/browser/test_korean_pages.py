"""The site's Korean pages speak Korean: four Latin words in a row are code or data, or nobody has translated them."""

import re

import pytest

from course.ledger.rules import all_claims
from course_lib.config import data_dir

pytestmark = pytest.mark.browser

LATIN = "[A-Za-zÀ-ÿ][A-Za-zÀ-ÿ'’-]*"
RUN = re.compile(rf"{LATIN}(?:[ ,;:]+{LATIN}){{3,}}")
DATA = (  # recall questions, drawings and cards show sentences and words as they are; labels of live measurements
    "She paid her wages in at the bank. The bank was slippery with mud. who paid ? she paid her wages in. "
    "the boat touched the far bank again.",
    "bank, play, spring, seal. tagging: UD English EWT. UD English EWT, CoarseWSD-20. "
    "labelled sentences; vectors of. trained biLM: largest change on the blind side",
)
# What a reader sees or hears of a page: not code, nor what a widget's frame says (test_korean_widgets.py). In prose
# names, titles and examples stand among Korean: a whole paragraph without Hangul is meant. Drawings are pictures.
SAID = """html => {
  const page = new DOMParser().parseFromString(html, "text/html"), said = [];
  const look = (root, off, prose) => {
    const walk = page.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    for (let node = walk.nextNode(); node; node = walk.nextNode()) {
      const at = node.parentElement, block = prose && at.closest(".prose p, .prose td");
      if (!at.closest(off) && !(block && /[가-힣]/.test(block.textContent))) said.push(node.textContent);
    }
  };
  look(page.body, "code, pre, textarea, script, style, math, noscript, .code, [lang=en], .prose em, .prose li", true);
  for (const node of page.querySelectorAll("[aria-label], .output > img[alt]"))
    said.push(node.getAttribute("aria-label") ?? node.alt);
  const svg = "data:image/svg+xml;base64,";
  for (const { src } of page.querySelectorAll(`.output > img[src^="${svg}"]`)) {
    const bytes = Uint8Array.from(atob(src.slice(svg.length)), sign => sign.charCodeAt(0)),
      picture = new DOMParser().parseFromString(new TextDecoder().decode(bytes), "image/svg+xml");
    look(picture.documentElement, "style", false);
  }
  return said;
}"""


def english(page, html: str, data: str) -> list[str]:
    said = (re.sub(r"\s+", " ", text) for text in page.evaluate(SAID, html))
    return [run for text in said for run in RUN.findall(text) if run not in data]


def test_no_english_sentence_stands_on_a_korean_page(site, chromium):
    recorded = (data_dir("recorded", f"{name}.json").read_text("utf-8") for name in ("multi30k", "world-ko-en", "C4.2"))
    sources = (value.source for claim in all_claims().values() for value in (claim, *claim.published))
    data = " ".join([*recorded, *sources, *DATA])
    page = chromium.new_page()
    pages = sorted((site / "ko").glob("*.html"))
    found = {path.stem: english(page, path.read_text("utf-8"), data) for path in pages}
    page.close()
    assert len(found) > 10
    assert {name: runs for name, runs in found.items() if runs} == {}
