import base64
import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from course.ledger import show
from course.ledger.card import card_html
from course.ledger.forest_plot import COLOURS, WIDTH, Row, forest_svg
from course.ledger.report import claims_markdown, run_and_record
from course_lib.evaluation.intervals import Interval
from course_lib.language import speaking

SVG = "{http://www.w3.org/2000/svg}"


class Tags(HTMLParser):
    """The tags that a page would see, and its text."""

    def __init__(self, html: str):
        super().__init__()
        self.tags, self.text, self.sources = [], "", []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.sources += [value for name, value in attributes if name in ("src", "href")]

    def handle_data(self, data):
        self.text += data


def test_a_card_tells_everything_in_text(ledger):
    run_and_record("C9.1")
    drawn = card_html(show("C9.1", shift=-4.0))
    page = Tags(drawn)
    for part in (
        "Up <b>is</b> up, 배도 그렇다.", "✕ contradicted", "● holds", "(live, quick profile, on the world: 5 seeds)",
        "(recorded, on a <real> set: 8 seeds)", "control +0.0", "majority 52", "top & bottom +1.05 [", "ratio 1.25",
        "Again: course claims C9.1 --run --profile full --record", "71.3 & more",
        "Smallest interesting difference: 2 points", "Control: no cause",
    ):  # fmt: skip
        assert part in page.text
    assert "<summary>Rule</summary>" in drawn
    assert "13.17" not in page.text


def test_names_and_data_are_text_and_nothing_is_fetched(ledger):
    run_and_record("C9.1")
    page = Tags(card_html(show("C9.1")))
    assert set(page.tags) <= {"div", "b", "span", "br", "img", "i", "code", "details", "summary"}
    assert page.tags.count("b") == 4  # id, sentence, a word for live and for recorded: the sentence's own is text
    assert all(source.startswith("data:image/svg+xml;base64,") for source in page.sources)
    assert len(card_html(show("C9.1"))) < 10_000


def test_what_does_not_hold_says_where_the_reason_lies(ledger):
    """A live verdict alone decides where nothing is recorded; then the recorded one does."""
    said = "We see the reason in the scale: Too <small> to show."
    assert said in Tags(card_html(show("C9.1", shift=-4.0))).text
    assert "we see the reason in the scale" in repr(show("C9.1", shift=-4.0))
    run_and_record("C9.1")
    assert said not in Tags(card_html(show("C9.1", shift=-4.0))).text


def test_a_record_by_an_earlier_rule_says_so(ledger):
    run_and_record("C9.1")
    rules = ledger / "claims.toml"
    rules.write_text(rules.read_text(encoding="utf-8").replace("delta = 2.0", "delta = 13.0"), encoding="utf-8")
    card = show("C9.1")
    assert card.record.outdated
    assert "| holds (earlier rule) |" in claims_markdown()
    assert "The rule has changed since" in Tags(card_html(card)).text
    assert "[judged by an earlier rule]" in repr(card)


def test_the_plot_draws_each_interval_where_it_lies(ledger):
    card = show("C9.1")
    encoded = re.search(r"data:image/svg\+xml;base64,([^\"]+)", card_html(card)).group(1)
    plot = ElementTree.fromstring(base64.b64decode(encoded).decode())
    labels = [text.text for text in plot.iter(f"{SVG}text")]
    assert labels[:2] == ["live", "its control"]
    assert labels[-1] == "points (grey band: too small to matter)"
    numbers = [text for text in plot.iter(f"{SVG}text") if text.get("text-anchor") == "middle"][:-1]
    first, second = [(float(text.text), float(text.get("x"))) for text in numbers[:2]]
    scale = (second[1] - first[1]) / (second[0] - first[0])  # pixels per point
    effect = card.live.findings[0].effect
    circle = plot.find(f"{SVG}circle")
    assert float(circle.get("cx")) == pytest.approx(first[1] + (effect.estimate - first[0]) * scale, abs=0.3)
    band = plot.findall(f"{SVG}rect")[1]
    assert float(band.get("width")) == pytest.approx(4 * scale, abs=0.3)  # -delta .. delta


def test_every_verdict_has_a_shape_of_its_own():
    effect = Interval(1.0, 3.0, 2.0)
    shapes = {word: forest_svg([Row("a", effect, word, 1.0)], "m") for word in COLOURS}
    drawn = {
        word: re.sub(r'="[^"]*"', "", svg).count("<circle") + len(re.findall("l10 10|l6 6l|v10", svg))
        for word, svg in shapes.items()
    }
    assert drawn == dict.fromkeys(shapes, 1)
    assert len({re.sub(r"#\w+", "", svg) for svg in shapes.values()}) == len(COLOURS)  # not by colour alone


@pytest.mark.parametrize("delta", [0.001, 1.0, 1e6])
@pytest.mark.parametrize(("low", "high"), [(-1e-6, 3e-6), (0.5, 0.75), (-2000.0, -1000.0)])
def test_nothing_leaves_the_plot_and_text_is_escaped(low, high, delta):
    svg = forest_svg([Row("<script>배</script>" * 3, Interval(low, high, low), "open", delta, threshold=low)], "a & b")
    root = ElementTree.fromstring(svg)
    numbers = [float(n) for path in root.iter(f"{SVG}path") for n in re.findall(r"[MH]([-\d.]+)", path.get("d"))]
    for rect in root.iter(f"{SVG}rect"):
        numbers += [float(rect.get("x", 0)), float(rect.get("x", 0)) + float(rect.get("width"))]
    assert min(numbers) >= 0
    assert max(numbers) <= WIDTH
    assert not list(root.iter(f"{SVG}script"))


def test_a_card_in_korean_says_the_numbers_of_a_record_that_stays_english():
    with speaking("ko"):
        card = show("C1.1", live=False)
        said, drawn = repr(card), card._repr_mimebundle_()["text/html"]
    english = card.record.verdict.sentence
    assert english.startswith(f"{card.record.verdict.word}: ")
    assert all(word in said for word in ("성립: ", "대조군", *re.findall(r"[-+]?\d+\.\d+", english)))
    assert "<summary>규칙</summary>" in drawn
