"""The course's drawings, from a few primitives: boxes, arrows, rows of words and of numbers. One SVG each.

`transformer(lit="feed-forward")` draws the whole of it with that part lit. Letters are large enough for a page that is
360 pixels wide; a drawing brings its own ground, light or dark as the reader's system is, and says in words what it
shows.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path

from course_lib.errors import CourseError
from course_lib.language import key, t

WIDTH = 560
_STYLE = "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")


class Drawing:
    """An SVG that is drawn piece by piece; places and sizes in its own units, 560 to a line.

    says: the drawing in words, for who does not see it. style: rules of this drawing alone.
    """

    def __init__(self, says: str, height: int, style: str = ""):
        self.says, self.height, self.style, self.parts = says, height, style, []

    def box(self, x: float, y: float, width: float, height: float, text: str = "", lit=False, look="") -> Drawing:
        """look: "new" or "gone"."""
        kind = f"box{' lit' * lit} {look}".strip()
        self._add(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="6"/>')
        return self.text(x + width / 2, y + height / 2, text, bold=lit, look="soft" if look == "gone" else "")

    def frame(self, x: float, y: float, width: float, height: float) -> Drawing:
        """What belongs together."""
        return self._add(f'<rect class="frame" x="{x}" y="{y}" width="{width}" height="{height}" rx="10"/>')

    def text(self, x: float, y: float, text: str, *, at: str = "middle", bold: bool = False, look: str = "") -> Drawing:
        """Lines around (x, y). look: "soft" or "mark"."""
        lines = text.split("\n") if text else []
        for number, line in enumerate(lines):
            middle = y + 5 + 19 * (number - (len(lines) - 1) / 2)
            kind = f'text-anchor="{at}" class="{look}{" bold" * bold}"'
            self._add(f'<text x="{x:g}" y="{middle:g}" {kind}>{html.escape(line)}</text>')
        return self

    def arrow(self, *points: tuple[float, float], on: bool = False) -> Drawing:
        """A way through the points, with a head at the last one."""
        (x0, y0), (x, y) = points[-2:]
        size = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5 or 1.0
        dx, dy = (x - x0) / size, (y - y0) / size
        back = (x - 9 * dx, y - 9 * dy)
        way = " ".join(f"{a:g},{b:g}" for a, b in (*points[:-1], back))
        head = f"{x:g},{y:g} {back[0] - 5 * dy:g},{back[1] + 5 * dx:g} {back[0] + 5 * dy:g},{back[1] - 5 * dx:g}"
        self._add(f'<polyline class="way{" on" * on}" points="{way}"/>')
        return self._add(f'<polygon class="head{" on" * on}" points="{head}"/>')

    def cells(self, x: float, y: float, n: int, *, lit: bool = False, size: float = 16) -> Drawing:
        """A row of numbers."""
        for i in range(n):
            self._add(f'<rect class="cell{" lit" * lit}" x="{x + i * size:g}" y="{y}" width="{size}" height="{size}"/>')
        return self

    def bar(self, x: float, y: float, width: float, height: float) -> Drawing:
        return self._add(f'<rect class="bar" x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="2"/>')

    def words(self, x: float, y: float, width: float, words: Sequence[str], lit: Sequence[int] = ()) -> list[float]:
        """Words side by side; the middle of each. lit: their numbers."""
        step = width / len(words)
        middles = [x + step * (i + 0.5) for i in range(len(words))]
        for i, (middle, word) in enumerate(zip(middles, words, strict=True)):
            self.text(middle, y, word, bold=i in lit, look="mark" if i in lit else "")
        return middles

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" style="max-width:100%;height:auto">'
            f"<title>{html.escape(self.says)}</title>"
            f'<style>{_STYLE}{self.style}</style><rect width="100%" height="100%" fill="var(--paper)" rx="8"/>'
            f"{''.join(self.parts)}</svg>"
        )

    def _add(self, part: str) -> Drawing:
        self.parts.append(part)
        return self

    def __repr__(self) -> str:
        return self.says

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"text/plain": self.says, "image/svg+xml": self.svg()}


def sliding_window() -> Drawing:
    """Skip-gram's window, from word to word, inside the sentence; it stands in the middle where no motion is wanted."""
    sentence, reach = t("the boat touched the far bank again"), 2
    words = sentence.split()
    n, step, seconds = len(words), WIDTH / len(words), 1.4
    told = t(
        "A window slides over “{sentence}”. The word in its middle is paired with each of the {reach} words on "
        "both sides, as far as the sentence has them: every pair is one thing to learn from.",
        sentence=sentence,
        reach=reach,
    )
    motion = (
        f".stop{{opacity:0;animation:stop {seconds * n:.1f}s step-end infinite}}"
        f"@keyframes stop{{0%{{opacity:1}}{100 / n:.3f}%{{opacity:0}}}}"
        "@media (prefers-reduced-motion:reduce){.stop{animation:none}.stop.middle{opacity:1}}"
    )
    drawing = Drawing(told, 190, motion)
    for stop in range(n):
        near = range(max(0, stop - reach), min(n, stop + reach + 1))
        middle, x = " middle" * (stop == n // 2), stop * step
        drawing._add(f'<g class="stop{middle}" style="animation-delay:{seconds * stop:.1f}s">')
        wide = f'x="{near[0] * step + 3:.1f}" y="84" width="{len(near) * step - 6:.1f}"'
        drawing._add(f'<rect class="box" {wide} height="46" rx="8"/>')
        drawing.box(round(x + 3, 1), 84, round(step - 6, 1), 46, lit=True)
        for other in near:
            away, start = other - stop, (x + step / 2, 80)
            if away:
                bend = (x + step * (0.5 + away / 2), 66 - 8 * abs(away))
                drawing.arrow(start, bend, (x + step * (0.5 + away), 80), on=True)
        drawing._add("</g>")
    drawing.words(0, 107, WIDTH, words)
    drawing.text(WIDTH / 2, 22, t("the centre word is paired with every word in its window"), look="soft")
    return drawing.text(WIDTH / 2, 162, t("then the window moves on by one word"), look="soft")


def skip_gram() -> Drawing:
    """The network of skip-gram: a row of v, a score with each row of u, a softmax."""
    words, centre, shares = t("garden key opens the").split(), 1, (0.15, 0.05, 0.5, 0.3)
    told = t(
        "Skip-gram's network. The row of the centre word “{word}” is taken out of the table v and multiplied with "
        "each row of the table u. The scores, one for each word, go through a softmax: the probabilities of the "
        "context word.",
        word=words[centre],
    )
    drawing = Drawing(told, 90 + 40 * len(words))
    for x, text in ((106, "v"), (262, "u"), (350, t("scores")), (466, t("probabilities (softmax)"))):
        drawing.text(x, 22, text, look="soft")
    top, bottom = 46, 46 + 40 * (len(words) - 1)
    middle = (top + bottom) / 2 + 10
    for i, word in enumerate(words):
        y, is_centre = top + 40 * i, i == centre
        drawing.text(66, y + 10, word, at="end", bold=is_centre, look="mark" if is_centre else "")
        drawing.cells(76, y, 3, lit=is_centre, size=20)
        drawing.cells(232, y, 3, size=20).arrow((298, y + 10), (324, y + 10))
        drawing.box(328, y, 44, 20).arrow((376, y + 10), (402, y + 10))
        drawing.bar(408, y + 2, 130 * shares[i], 16)
        drawing.text(412 + 130 * shares[i], y + 10, word, at="start", look="soft")
    drawing.arrow((140, top + 40 * centre + 10), (180, middle), (222, middle), on=True)
    drawing.text(106, bottom + 48, t("as a centre"), look="soft")
    return drawing.text(262, bottom + 48, t("as a context"), look="soft")


def look_up() -> Drawing:
    """An embedding layer: each row of the table times its 0 or 1, and their sum, which is one row."""
    words, chosen = ("the", "boat", "bank", "far", "mud"), 2
    told = t(
        "Left, the one-hot vector of “{word}”: a 1 at place {n} and zeros elsewhere. Each row of the table is "
        "multiplied by its number and all rows are added up: what comes out is the row of “{word}”.",
        word=words[chosen],
        n=chosen,
    )
    drawing = Drawing(told, 60 + 40 * len(words))
    for x, says in ((103, t("one-hot")), (243, t("the table W")), (474, t("the sum: its row"))):
        drawing.text(x, 22, says, look="soft")
    for i, word in enumerate(words):
        y, is_it = 46 + 40 * i, i == chosen
        drawing.text(78, y + 12, f"{i}  {word}", at="end", bold=is_it, look="mark" if is_it else "")
        drawing.cells(90, y, 1, lit=is_it, size=26).text(103, y + 13, str(int(is_it)), bold=is_it)
        drawing.text(134, y + 13, "×", look="soft").cells(152, y, 7, lit=is_it, size=26)
    y = 46 + 40 * chosen + 13
    drawing.arrow((340, y), (390, y), on=True)
    return drawing.cells(398, y - 11, 7, lit=True, size=22)


def rnn_labels(words: Sequence[str], labels: Sequence[str]) -> Drawing:
    """Embedding layer, RNN, softmax: each word's row goes into a state, and each state gives the word a label."""
    told = t(
        "From below: the words “{words}”, the row of the embedding layer for each, a state of the RNN that is made "
        "from this row and from the state to its left, and a softmax that gives the word a label: {labels}.",
        words=" ".join(words),
        labels=", ".join(labels),
    )
    drawing = Drawing(told, 372)
    rows = ((338, t("words")), (278, t("embedding\nlayer")), (196, "RNN"), (116, t("linear layer\nand softmax")))
    for y, says in (*rows, (52, t("the labels"))):
        drawing.text(8, y, says, at="start", look="soft")
    middles = drawing.words(104, 338, 452, words)
    drawing.words(104, 52, 452, labels, lit=[i for i, label in enumerate(labels) if label != "-"])
    for i, x in enumerate(middles):
        drawing.cells(x - 28, 270, 4, size=14).arrow((x, 324), (x, 288)).arrow((x, 268), (x, 220))
        drawing.box(x - 30, 174, 60, 44, f"h{'₁₂₃₄₅₆₇₈₉'[i]}", lit=True).arrow((x, 174), (x, 136))
        drawing.box(x - 30, 98, 60, 36).arrow((x, 98), (x, 68))
        for j, height in enumerate((5, 9, 24, 4)):  # probabilities
            drawing.bar(x - 21 + 11 * j, 129 - height, 8, height)
        if i:
            drawing.arrow((middles[i - 1] + 30, 196), (x - 30, 196), on=True)
    return drawing


def taglm() -> Drawing:
    """TagLM: a tagger that reads its own word vectors and a language model's states (Peters and others 2017)."""
    told = t(
        "TagLM has two sources for each word. Left, its own: word vector and characters go into a first LSTM that "
        "reads both ways. Right, two language models, one for each direction, that were trained before on plain "
        "text and are frozen. Both are laid side by side, a second LSTM reads them, and a chain of tags comes out."
    )
    drawing = Drawing(told, 430)
    drawing.words(60, 408, 440, ["Ducks", "slept", "in", "Seoul"])
    drawing.box(40, 322, 220, 52, t("word vector,\ncharacters")).box(40, 238, 220, 52, t("LSTM, both ways"))
    drawing.box(300, 238, 220, 136, t("two language models,\none each way,\ntrained on plain text,\nfrozen"), lit=True)
    drawing.arrow((150, 396), (150, 376)).arrow((410, 396), (410, 376)).arrow((150, 322), (150, 292))
    drawing.box(100, 150, 360, 48, t("both, side by side"))
    drawing.arrow((150, 238), (190, 200)).arrow((410, 238), (370, 200), on=True)
    drawing.box(100, 86, 360, 40, t("LSTM, both ways")).arrow((280, 150), (280, 128))
    drawing.box(100, 24, 360, 40, t("a chain of tags (CRF)")).arrow((280, 86), (280, 66))
    return drawing.text(476, 44, "O O O\nB-LOC", at="start", look="mark")


def elmo(lit: str = "") -> Drawing:
    """ELMo: two one-way readers, and a mix of their layers (Peters and others 2018). lit: "streams" or "mix"."""
    _known(lit, ("", "streams", "mix"))
    told = t(
        "ELMo reads with two networks. One goes from left to right and guesses the next word, one from right to "
        "left and guesses the word before; they meet only at the end. Each word starts from its characters. A "
        "word's vector is a weighted sum of three layers, both directions side by side."
    )
    drawing = Drawing(told, 484)
    words, bank = ["muddy", "bank", "gave", "way"], 1
    for x, says, way in ((8, t("reads to the right"), 1), (292, t("reads to the left"), -1)):
        drawing.frame(x, 200, 260, 276)
        middles = drawing.words(x + 4, 436, 252, words, lit=[bank])
        drawing.text(x + 130, 460, says, bold=lit == "streams")
        for i, middle in enumerate(middles):
            for y, name in ((380, "a b c"), (306, ""), (236, "")):
                streams = lit == "streams" and name == ""
                drawing.box(middle - 24, y - 17, 48, 34, name, lit=streams or (i == bank and lit == "mix"))
            drawing.arrow((middle, 363), (middle, 325)).arrow((middle, 289), (middle, 255))
            if (i < 3) if way > 0 else (i > 0):
                for y in (306, 236):
                    drawing.arrow((middle + 24 * way, y), (middle + 38 * way, y), on=lit == "streams")
        drawing.frame(middles[bank] - 29, 211, 58, 194)  # all three layers go into the mix
        drawing.arrow((middles[bank], 211), (x + 130 + 40 * way, 152), on=lit == "mix")
    drawing.box(60, 106, 440, 44, t("γ ( s₀ characters + s₁ layer 1 + s₂ layer 2 )"), lit=lit == "mix")
    drawing.box(130, 24, 300, 44, t("ELMo vector of “bank”"), lit=lit == "mix")
    return drawing.arrow((280, 106), (280, 70), on=lit == "mix")


def stacked() -> Drawing:
    """How a word reaches its own prediction: bidirectional layers, stacked, beside two one-way stacks."""
    told = t(
        "Two networks, of each the state from which “bank” is predicted. Left, stacked bidirectional layers: the "
        "second layer at “the” reads both states of the first, and one of these has come from the right and has "
        "read “bank”. Right, a biLM: the second layer reads the state that has come from the left, and nothing "
        "leads from “bank” to its prediction."
    )
    drawing = Drawing(told, 310)
    for x, says, leaks in ((8, t("stacked: both directions meet"), True), (292, t("biLM: they stay apart"), False)):
        the, bank = x + 76, x + 190  # the middles of the two words
        drawing.frame(x, 8, 260, 266).text(x + 130, 294, says, bold=True)
        drawing.text(the, 252, "the").text(bank, 252, "bank", bold=True, look="mark")
        for middle in (the, bank):
            drawing.box(middle - 50, 138, 40, 32, "→").box(middle + 10, 188, 40, 32, "←", lit=leaks)
            drawing.arrow((middle - 30, 238), (middle - 30, 172))
            drawing.arrow((middle + 30, 238), (middle + 30, 222), on=leaks and middle == bank)
        drawing.arrow((the - 10, 154), (bank - 52, 154)).arrow((bank + 10, 204), (the + 52, 204), on=leaks)
        drawing.box(the - 50, 74, 100 if leaks else 40, 32, "→").arrow((the - 30, 138), (the - 30, 108))
        if leaks:
            drawing.arrow((the + 30, 188), (the + 30, 108), on=True)
        drawing.arrow((the - 30, 74), (the - 30, 44), on=leaks)
        drawing.text(the - 46, 28, t("predicts “bank”"), at="start", look="mark" if leaks else "")
    return drawing


def ulmfit() -> Drawing:
    """ULMFiT's three stages (Howard and Ruder 2018): what is new in each, what goes on, what is thrown away."""
    told = t(
        "ULMFiT in three stages. First a language model is trained from random numbers on an encyclopaedia. Then "
        "the same network goes on with the texts of the task, and still predicts the next word. At last its "
        "softmax is thrown away, a new head is put on, and labels train all of it, the LSTMs and the word vectors "
        "too."
    )
    drawing = Drawing(told, 372)
    new, on, gone = {"look": "new"}, {"lit": True}, {"look": "gone"}
    stages = (
        (t("1  all text"), t("next word"), t("Wikipedia"), new, new),
        (t("2  the task's text"), t("next word"), t("stage|reviews"), on, on),
        (t("3  the task"), t("good or bad"), t("reviews\nwith labels"), new, on),
    )
    for i, (name, top, text, of_top, of_body) in enumerate(stages):
        x = 14 + 184 * i
        drawing.text(x + 82, 22, name, bold=True)
        drawing.box(x, 92, 164, 44, top, **of_top)
        drawing.box(x, 164, 164, 40, t("LSTMs"), **of_body).box(x, 210, 164, 40, t("word vectors"), **of_body)
        drawing.arrow((x + 82, 164), (x + 82, 138)).arrow((x + 82, 284), (x + 82, 252))
        drawing.text(x + 82, 304, text, look="soft")
        if i < 2:
            drawing.arrow((x + 164, 207), (x + 184, 207), on=True)
    drawing.box(382, 44, 164, 34, t("softmax"), **gone)
    legend = ((14, t("from random numbers"), new), (214, t("goes on learning"), on), (398, t("thrown away"), gone))
    for x, says, look in legend:
        drawing.box(x, 340, 22, 18, **look).text(x + 30, 349, says, at="start", look="soft")
    return drawing


_ATTENTIONS = (key("self-attention"), key("masked self-attention"), key("cross-attention"))
TRANSFORMER_PARTS = ("embedding", key("positions"), *_ATTENTIONS, "add and norm", key("feed-forward"), key("output"))


def transformer(lit: str = "") -> Drawing:
    """The whole Transformer (Vaswani and others 2017, figure 1). lit: one of TRANSFORMER_PARTS."""
    _known(lit, ("", *TRANSFORMER_PARTS))
    told = t(
        "The Transformer. Left the encoder reads the source: embedding plus position, then layers of "
        "self-attention and feed-forward, each with a way around it that is added and normalised. Right the "
        "decoder writes the target word by word: masked self-attention over what it has written, cross-attention "
        "to the encoder's states, feed-forward, and at the end a probability for each word that may follow."
    )
    told += f" {t('Lit: {part}.', part=t(lit))}" if lit else ""
    drawing = Drawing(told, 620, "text,.soft{font-size:18px}")  # it fills a slide: letters must be large at once
    width = 216

    def layer(x: float, y: float, name: str) -> None:
        """A sublayer and the way around it, from y + 94 up to y; what comes from the sublayer below."""
        around, middle = lit == "add and norm", x + width / 2
        drawing.box(x, y + 38, width, 38, t(name), lit=lit == name).box(x, y, width, 28, t("add and norm"), lit=around)
        drawing.arrow((middle, y + 38), (middle, y + 29)).arrow((middle, y + 94), (middle, y + 78))
        drawing.arrow((middle, y + 87), (x - 14, y + 87), (x - 14, y + 14), (x - 1, y + 14), on=around)
        if y < 344:
            drawing.arrow((middle, y + 108), (middle, y + 94))

    left, right = 28, 326
    encoder, decoder = left + width / 2, right + width / 2
    drawing.frame(left - 26, 224, width + 42, 224).frame(right - 26, 116, width + 42, 332)
    drawing.text(left - 10, 212, "× N", at="start", look="soft").text(right - 10, 104, "× N", at="start", look="soft")
    for x, text, below in ((left, t("text|source"), "The boat left ."), (right, t("target, shifted"), "<s> 배 가")):
        middle = x + width / 2
        drawing.box(x, 518, width, 32, t("embedding"), lit=lit == "embedding")
        drawing.box(x, 468, width, 32, t("+ positions"), lit=lit == "positions")
        drawing.arrow((middle, 572), (middle, 552)).arrow((middle, 518), (middle, 502))
        drawing.arrow((middle, 468), (middle, 440))
        drawing.text(middle, 584, below, bold=True).text(middle, 606, text, look="soft")
    layer(left, 344, "self-attention")
    layer(left, 236, "feed-forward")
    layer(right, 344, "masked self-attention")
    layer(right, 236, "cross-attention")
    layer(right, 128, "feed-forward")
    bridge = lit == "cross-attention"
    drawing.arrow((encoder, 236), (encoder, 192), (282, 192), (282, 293), (right - 1, 293), on=bridge)
    drawing.text(encoder, 174, t("keys and values"), look="mark" if bridge else "soft")
    drawing.box(right, 54, width, 36, t("linear, softmax"), lit=lit == "output")
    drawing.arrow((decoder, 128), (decoder, 92)).arrow((decoder, 54), (decoder, 30))
    return drawing.text(decoder, 15, "떠났다 0.62  왔다 0.21 …", bold=lit == "output")


def attention() -> Drawing:
    """One word asks: a query, keys that fit it more or less, shares, values, and what comes back."""
    told = t(
        "The word “its” has the query (2, 0). Every word has a key and a value. Where query and key fit, the share "
        "is large: bakery gets 0.74. The shares add up to 1; the output is the sum of the values, each times its "
        "share: (0.94, 8.28)."
    )
    drawing = Drawing(told, 412)
    words, shares = ["the", "bakery", "changed", "its"], [0.04, 0.74, 0.18, 0.04]
    keys, values = ["(0, 1)", "(2, 0)", "(1, 1)", "(0, 0)"], ["(1, 0)", "(0, 10)", "(5, 5)", "(0, 1)"]
    for y, says in ((326, ""), (286, t("attention|key")), (218, t("attention|share")), (118, t("attention|value"))):
        drawing.text(8, y, says, at="start", look="soft")
    middles = drawing.words(64, 326, 488, words, lit=[3])
    for i, (middle, part) in enumerate(zip(middles, shares, strict=True)):
        drawing.box(middle - 46, 270, 92, 32, keys[i], lit=i == 1).box(middle - 46, 102, 92, 32, values[i], lit=i == 1)
        drawing.bar(middle - 18, 248 - 84 * part, 36, 84 * part)
        drawing.text(middle, 234 - 84 * part, f"{part:.2f}", bold=i == 1)
        drawing.arrow((middles[3], 364), (middle, 338), on=i == 1)
        drawing.arrow((middle, 102), (middle, 64), on=i == 1)
    drawing.box(middles[3] - 130, 366, 190, 34, t("query of “its”: (2, 0)"), lit=True)
    return drawing.box(16, 22, 528, 40, t("output: 0.74 × (0, 10) + 0.18 × (5, 5) + … = (0.94, 8.28)"))


def bert(guesses: Sequence[tuple[str, float]] = (("store", 0.45), ("park", 0.2), ("shop", 0.1))) -> Drawing:
    """BERT: a sentence with a gap goes in, chances come out above the gap (Devlin and others 2018)."""
    words = ["[CLS]", "she", "went", "to", "the", "[MASK]", "[SEP]"]
    told = t(
        "BERT. A sentence with one word hidden goes in, each piece as word plus place plus segment. Layers follow, "
        "in which every piece looks at all others, left and right. Above the gap stand the chances of the hidden "
        "word; above [CLS] one vector for the whole."
    )
    drawing = Drawing(told, 420)
    middles = drawing.words(4, 398, 552, words, lit=[5])
    drawing.box(20, 326, 520, 40, t("word + place + segment, added"))
    drawing.box(20, 196, 520, 96, t("every piece looks at all, left and right;\nlayer by layer"))
    for middle in middles:
        drawing.arrow((middle, 384), (middle, 368)).arrow((middle, 326), (middle, 294))
    gap = middles[5]
    drawing.arrow((gap, 196), (gap, 168), on=True).arrow((middles[0], 196), (middles[0], 168))
    drawing.text(middles[0] + 4, 150, t("the whole"), look="soft")
    drawing.text(gap - 44, 26, t("guesses for the gap"), look="soft")
    for row, (word, chance) in enumerate(guesses):
        y = 50 + 36 * row
        drawing.text(gap - 54, y + 12, word, at="end", bold=row == 0).bar(gap - 44, y, 200 * chance, 24)
    return drawing


def four_heads() -> Drawing:
    """One body, four heads (Devlin and others 2018, figure 4)."""
    heads = (
        (t("a sentence"), t("sentence|good"), 1),
        (t("a pair"), t("follows"), 1),
        (t("each word"), "O O PLACE", 2),
        (t("an answer"), t("from 3 to 5"), 3),
    )
    told = t(
        "One body, four heads. The same pre-trained network reads; a small layer on top of it judges a sentence, a "
        "pair of sentences, every word, or finds where an answer begins and ends."
    )
    drawing = Drawing(told, 300)
    drawing.box(20, 176, 520, 72, t("one pre-trained body"), lit=True)
    drawing.text(280, 276, "[CLS] who paid ? [SEP] she paid her wages in [SEP]", look="soft")
    for i, (task, out, n_arrows) in enumerate(heads):
        x = 20 + 133 * i
        drawing.box(x, 84, 121, 48, task).text(x + 60, 40, out, bold=True)
        drawing.arrow((x + 60, 84), (x + 60, 56))
        for arrow in range(n_arrows):
            at = x + 60 + 26 * (arrow - (n_arrows - 1) / 2)
            drawing.arrow((at, 176), (at, 134))
    return drawing


def _known(lit: object, parts: Sequence) -> None:
    if lit not in parts:
        raise CourseError(f"There is no part {lit!r} in this drawing. Parts: {', '.join(map(repr, parts))}.")
