"""`fill_mask(models, sentences)`: hide tokens and see what a model expects there. The kernel answers.

For the given sentences the answers to single gaps are stored, so that they can be explored without a kernel.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Sequence
from typing import Any

import traitlets

from course.widgets.base import BOLD, CourseWidget, check_whole, module, percent, style, svg_text
from course.widgets.gap_model import MASK, FillModel, LanguageSwitch, Side, guess, read, single_gaps
from course_lib.errors import CourseError
from course_lib.language import key, t, t_label

MOST_SENTENCES, MOST_GUESSES = 20, 20
STORED_GUESSES, STORED_BYTES = 5, 15_000  # of answers that work without a kernel


class FillMask(CourseWidget):
    _esm, _css = module("mask_play"), style("mask_play")
    title, height = key("What does it expect here?"), 620
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    k = traitlets.Int().tag(sync=True)
    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    stored = traitlets.Bytes().tag(sync=True)  # JSON: [sentence][model] a Side; guesses by hidden places, "3" or "1,4"
    gap = traitlets.List(traitlets.Int()).tag(sync=True)  # per model: which of its gaps is looked at
    request = traitlets.Dict().tag(sync=True)  # the page asks: {"id", "text"} or {"id", "sides"}
    answer = traitlets.Dict().tag(sync=True)  # Python answers: {"id", "error", "sides"}, the state that is shown

    def __init__(self, models: Sequence[FillModel | LanguageSwitch], **state: Any):
        self._models = tuple(models)
        names = [model.name for model in models]
        super().__init__(named=names, names=names, gap=[0] * len(models), **state)

    @traitlets.observe("request")
    def _asked(self, change) -> None:
        request, sides, error = change["new"], self.answer.get("sides", []), ""
        try:
            sides = self._sides(request)
        except CourseError as fault:
            error = str(fault)
        except Exception as fault:  # the page must not take a broken model for a kernel that is gone
            says = {"kind": type(fault).__name__, "fault": fault}
            error = t("fill_mask: the model failed with {kind}: {fault}. Run the cell again.", **says)
        if "text" in request and not error:
            self.gap = [0] * len(sides)
        self.answer = {"id": str(request.get("id", "")), "error": error, "sides": sides}

    def _sides(self, request: dict[str, Any]) -> list[Side]:
        typed, found = "text" in request, []
        sides = [read(model, str(request["text"])) for model in self._models] if typed else request["sides"]
        for model, side in zip(self._models, sides, strict=True):
            masked, unknown = sorted(side["masked"]), side.get("unknown", [])
            read_by = model.of(" ".join([*side["tokens"], *unknown]))  # letters behind an [UNK] tell the language, too
            guesses = guess(read_by, side["tokens"], masked, self.k)
            found.append({"tokens": side["tokens"], "masked": masked, "unknown": unknown, "guesses": guesses})
        return found

    def finding(self) -> str:
        sides = self.answer["sides"]
        seen = [self._gap(number) for number in range(len(sides))]
        if not any(side["masked"] for side in sides):
            return t("Nothing is hidden in {around}. Choose a token to hide it.", around=_around(sides[0], 0))
        names = [t_label(name) for name in self.names]
        if any((side["tokens"], side["masked"]) != (sides[0]["tokens"], sides[0]["masked"]) for side in sides):
            return " ".join(
                t("{name}, {around}: {best}; the first {n} cover {share}.", **_said(name, side, at))
                if side["masked"]
                else t("{name}: nothing is hidden.", name=name)
                for name, side, at in zip(names, sides, seen, strict=True)
            )
        first = _said(names[0], sides[0], seen[0])
        if len(sides) == 1:
            says = t("For the gap in {around}, {name} expects {best}; the first {n} cover {share}.", **first)
            return f"{says} {_stood(sides[0], seen[0])}".strip()
        second = _said(names[1], sides[1], seen[1])
        lists = [{token for token, _ in side["guesses"][at]} for side, at in zip(sides, seen, strict=True)]
        of = {"other": second["name"], "second": second["best"], "covered": second["share"]}
        return t(
            "For the gap in {around}, {name} expects {best}, {other} {second}. Their first {n} cover {share} and "
            "{covered}; {both} stand in both lists.",
            both=len(lists[0] & lists[1]),
            **first,
            **of,
        )

    def still(self) -> str:
        sides, parts, lines = self.answer["sides"], [], self._lines(100, 4)
        top, column = 60 + 18 * len(lines), 732 // len(sides)
        for number, (name, side) in enumerate(zip(self.names, sides, strict=True)):
            x, at = 14 + number * column, self._gap(number)
            shown = textwrap.wrap(_around(side, at), column // 8)[:2]
            head = [(t_label(name)[:40], BOLD), *((line, ' fill="#555"') for line in shown)]
            parts += [svg_text(x, top + 18 * row, line, look) for row, (line, look) in enumerate(head)]
            for row, (token, p) in enumerate(side["guesses"][at] if side["masked"] else []):
                y, wide = top + 60 + 22 * row, p * (column - 190)
                parts.append(svg_text(x + 100, y, token[:13], ' text-anchor="end"'))
                parts.append(f'<rect x="{x + 108}" y="{y - 11}" width="{wide:.1f}" height="13" fill="#0072b2"/>')
                parts.append(svg_text(f"{x + 116 + wide:.1f}", y, percent(p)))
        return self._picture(top + 70 + 22 * self.k, "".join(parts), lines)

    def _gap(self, number: int) -> int:
        return max(0, min(self.gap[number], len(self.answer["sides"][number]["masked"]) - 1))


def fill_mask(
    models: FillModel | LanguageSwitch | Sequence[FillModel | LanguageSwitch], sentences: Sequence[str], k: int = 10
) -> FillMask:
    """Hide tokens of a sentence and read what one model, or two side by side, expects there.

    models     each from `fill_model(bert, name)` of course.lab.widget_inputs; or `shipped_model()` of there,
               which reads English and, where the Korean checkpoint is there, Korean too
    sentences  to pick from; the reader can type others. [MASK] is a gap; without one the token in the middle is hidden
               at first, and on a page without a kernel every token can be, one at a time
    k          guesses per gap, 2 to 20
    """
    models = [models] if isinstance(models, FillModel | LanguageSwitch) else list(models)
    texts = [str(sentence) for sentence in ([sentences] if isinstance(sentences, str) else sentences)]
    if not 1 <= len(models) <= 2:
        raise CourseError(f"fill_mask: {len(models)} models. Give one, or two to compare.")
    if not 1 <= len(texts) <= MOST_SENTENCES:
        raise CourseError(f"fill_mask: {len(texts)} sentences. Give 1 to {MOST_SENTENCES}.")
    check_whole("fill_mask", "k", k, 2, MOST_GUESSES)
    sides = [[single_gaps(model, text, min(k, STORED_GUESSES)) for model in models] for text in texts]
    stored = json.dumps(sides, ensure_ascii=False, separators=(",", ":")).encode()
    if len(stored) > STORED_BYTES:
        raise CourseError(
            f"fill_mask: the answers to all gaps take {len(stored):,} bytes in the notebook; {STORED_BYTES:,} fit. "
            "Give fewer or shorter sentences, or put a [MASK] into some: then that gap alone is stored."
        )
    widget = FillMask(models, sentences=texts, k=k, stored=stored)
    widget.request = {"id": "", "text": texts[0]}
    if widget.answer["error"]:
        raise CourseError(widget.answer["error"])
    return widget


def _around(side: Side, at: int) -> str:
    """The text as the model reads it: six tokens on both sides of a gap, and the rest of their words."""
    shown = [MASK if place in side["masked"] else token for place, token in enumerate(side["tokens"])]
    middle = side["masked"][at] if side["masked"] else 0
    first, end = max(0, middle - 6), min(middle + 7, len(shown))
    while first and shown[first].startswith("##"):
        first -= 1
    while end < len(shown) and shown[end].startswith("##"):
        end += 1
    words = " ".join(shown[first:end]).replace(" ##", "")
    return f"“{'… ' if first else ''}{words}{' …' if end < len(shown) else ''}”"


def _said(name: str, side: Side, at: int) -> dict[str, object]:
    """What a finding says of a gap."""
    guesses = side["guesses"][at]
    best, share = guesses[0], percent(sum(probability for _, probability in guesses))
    best_said = f"“{best[0]}” ({percent(best[1])})"
    return {"name": name, "around": _around(side, at), "best": best_said, "n": len(guesses), "share": share}


def _stood(side: Side, at: int) -> str:
    token = side["tokens"][side["masked"][at]]
    if token == MASK:
        return ""
    for rank, (other, p) in enumerate(side["guesses"][at], 1):
        if other == token:
            return t("“{token}”, hidden here, is guess {rank} ({share}).", token=token, rank=rank, share=percent(p))
    return t("“{token}”, hidden here, is not among them.", token=token)
