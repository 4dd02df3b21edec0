"""`ask_words(vectors)` and `ask_review(model)`: type, and read at every key which words are near, or which words weigh.

Answers to the given texts are stored, so that they can be read without a kernel.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import traitlets

from course.widgets.base import CourseWidget, module, percent, style, svg_text
from course_lib.errors import CourseError
from course_lib.language import key, t

MOST, MOST_GIVEN = 10, 12  # words in the list, given texts
FULL = {"neg": key("negative"), "pos": key("positive")}
Said = tuple[str, list[tuple[str, float]]]  # a sentence, and words with their numbers, the weightiest first


class TypedWords(CourseWidget):
    _esm, _css = module("typed_words"), style("typed_words")
    height = 460
    heading = traitlets.Unicode().tag(sync=True)
    label = traitlets.Unicode().tag(sync=True)
    lines = traitlets.Int(1).tag(sync=True)  # of the field
    given = traitlets.List(traitlets.Unicode()).tag(sync=True)
    stored = traitlets.List().tag(sync=True)  # the answer to each given text: {"text", "says", "rows"}
    typed = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)  # the last one
    trouble = traitlets.Unicode().tag(sync=True)  # why what is typed has none

    def __init__(self, read: Callable[[str], Said], given: Sequence[str], label: str, lines: int = 1):
        if not 1 <= len(given) <= MOST_GIVEN:
            raise CourseError(f"{len(given)} texts are given to pick from. Give 1 to {MOST_GIVEN}.")
        self._read, given = read, [str(text) for text in given]
        stored = [self._said(text) for text in given]
        super().__init__(heading=t(self.title), label=label, lines=lines, given=given, stored=stored, answer=stored[0])

    def _said(self, text: str) -> dict[str, Any]:
        says, rows = self._read("".join(sign for sign in text if sign.isprintable() or sign.isspace()))
        return {"text": text, "says": says, "rows": [[word, round(float(number), 6)] for word, number in rows]}

    @traitlets.observe("typed")
    def _answer(self, change) -> None:
        self.trouble = ""
        if self.typed.strip():
            try:
                self.answer = self._said(self.typed)
            except CourseError as error:
                self.trouble = str(error)

    def finding(self) -> str:
        return self.answer["says"]

    def still(self) -> str:
        rows, marks = self.answer["rows"], [svg_text(14, 92, f"“{self.answer['text'][:90]}”")]
        most = max([abs(number) for _, number in rows], default=1) or 1
        for place, (word, number) in enumerate(rows):
            y, wide = 122 + 24 * place, 250 * abs(number) / most
            colour = "#0072b2" if number >= 0 else "#d55e00"
            marks.append(svg_text(150, y, word[:18], ' text-anchor="end"'))
            marks.append(f'<rect x="160" y="{y - 11}" width="{wide:.1f}" height="13" fill="{colour}"/>')
            marks.append(svg_text(f"{168 + wide:.1f}", y, f"{number:.2f}".replace("-", "−")))
        return self._picture(122 + 24 * MOST, "".join(marks))


class AskWords(TypedWords):
    title = key("Which words are near?")


class AskReview(TypedWords):
    title = key("Which words of a review weigh?")


def ask_words(vectors: Any, given: Sequence[str]) -> AskWords:
    """Type a word, or a sum such as king - man + woman; read the ten nearest words, without those asked with.

    vectors  WordVectors (its words, index, unit, row and nearest)
    given    texts to pick from, 1 to 12; their answers are stored
    """

    def read(text: str) -> Said:
        terms, sign = [], 1
        for part in text.replace("+", " + ").split():
            if part in ("+", "-", "−"):
                sign = 1 if part == "+" else -1
                continue
            word = next((w for w in (part, part.lower()) if w in vectors.index), None)
            if word is None:
                of = {"word": part[:60], "n": f"{len(vectors.words):,}"}
                raise CourseError(t("“{word}” is not among the {n} words of this table.", **of))
            terms.append((sign, word))
            sign = 1
        if not terms:
            raise CourseError(t("Type a word."))
        total = sum(sign * vectors.unit[vectors.row(word)] for sign, word in terms)
        near = vectors.nearest(total, MOST, exclude=[word for _, word in terms])
        asked = " ".join(f"{'+' if sign > 0 else '−'} {word}" for sign, word in terms).removeprefix("+ ")
        said = t("list| and ").join(f"“{word}” ({cosine:.2f})" for word, cosine in near[:2])
        return t("Nearest to {asked}: {said}.", asked=asked, said=said), near

    return AskWords(read, given, t("a word, or a sum: king - man + woman"))


def ask_review(model: Any, given: Sequence[str]) -> AskReview:
    """Type a review; it is judged at every key, and the words and word pairs that weigh most are listed.

    model  ReviewWords (its labels, bias and votes)
    given  reviews to pick from, 1 to 12; their answers are stored
    """

    def read(text: str) -> Said:
        votes = model.votes(text)
        score = model.bias + sum(votes.values())
        label, sure = model.labels[score >= 0], 1 / (1 + math.exp(-abs(score)))
        judged = {"label": t(FULL.get(label, label)), "share": percent(sure)}
        rows = sorted(votes.items(), key=lambda vote: -abs(vote[1]))[:MOST]
        if not rows:
            return t("{label}, {share}: it knows no word of this, and only its leaning speaks.", **judged), []
        said = t("list| and ").join(f"“{term}” ({weight:+.2f})".replace("-", "−") for term, weight in rows[:2])
        return t("{label}, {share}. What weighs most: {said}.", said=said, **judged), rows

    return AskReview(read, given, t("a review: + speaks for it, − against it"), lines=3)
