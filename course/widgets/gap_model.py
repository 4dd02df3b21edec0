"""A model that fills gaps, as the widget sees it, and what it says of a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from course_lib.errors import CourseError
from course_lib.language import t, t_label

MASK, UNKNOWN = "[MASK]", "[UNK]"
HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")  # syllables, and letters alone
MOST_TOKENS = 40
Side = dict[str, Any]  # tokens, masked places, unknown characters, guesses [gap][guess] of [token, probability]


@dataclass(frozen=True)
class FillModel:
    """A model that fills gaps, as the widget sees it.

    name      stands above its guesses
    tokenize  text -> its tokens; what it does not know is [UNK]
    fill      (tokens, hidden places, k) -> for each place the k most probable tokens and probabilities, best first
    """

    name: str
    tokenize: Callable[[str], list[str]]
    fill: Callable[[list[str], list[int], int], list[list[tuple[str, float]]]]

    def of(self, text: str) -> FillModel:
        """The model that reads this text: itself, whatever it says."""
        return self


@dataclass(frozen=True)
class LanguageSwitch:
    """Two models that stand as one: a text with a Hangul letter is read by `korean`, any other by `usual`.

    name  stands above the guesses of both
    """

    name: str
    usual: FillModel
    korean: FillModel

    def of(self, text: str) -> FillModel:
        return self.korean if HANGUL.search(text) else self.usual


def read(model: FillModel | LanguageSwitch, text: str) -> Side:
    """The text as the model's tokens. Each [MASK] is hidden; in a text without one, the token in the middle is."""
    model = model.of(text)
    tokens: list[str] = []
    for number, part in enumerate(text.split(MASK)):
        tokens += [MASK] if number else []
        tokens += [str(token) for token in model.tokenize(part)] if part.strip() else []
    if not tokens:
        raise CourseError(t("fill_mask: the text is empty. Type a sentence."))
    if len(tokens) > MOST_TOKENS:
        says = {"name": t_label(model.name), "n": len(tokens), "most": MOST_TOKENS}
        raise CourseError(
            t("fill_mask: {name} cuts this text into {n} tokens; at most {most} fit. Shorten it.", **says)
        )
    strange = [word for word in text.replace(MASK, " ").split() if UNKNOWN in model.tokenize(word)]
    unknown = [character for character in dict.fromkeys("".join(strange)) if UNKNOWN in model.tokenize(character)]
    masked = [place for place, token in enumerate(tokens) if token == MASK] or [len(tokens) // 2]
    return {"tokens": tokens, "masked": masked, "unknown": unknown}


def guess(model: FillModel, tokens: Sequence[str], masked: Sequence[int], k: int) -> list[list[list]]:
    """What the model expects at each hidden place: [gap][guess] of [token, probability]."""
    if not masked:
        return []
    gaps = model.fill(list(tokens), list(masked), k)
    if len(gaps) != len(masked) or not all(gaps):
        raise CourseError(f"fill_mask: {model.name} answered {len(gaps)} of {len(masked)} gaps. Look at its fill.")
    values = [float(probability) for gap in gaps for _, probability in gap]
    if not all(0 <= value <= 1 for value in values):  # also false for NaN
        raise CourseError(f"fill_mask: {model.name} gave a probability that is not from 0 to 1. Look at its fill.")
    return [[[str(token), round(float(probability), 6)] for token, probability in gap[:k]] for gap in gaps]


def single_gaps(model: FillModel | LanguageSwitch, text: str, k: int) -> Side:
    """What is stored: the text with the answer to each single gap, by its place; with [MASK]s, to those.

    Guesses lie flat to save bytes: token, probability in 1/10,000, next token, ...
    """
    model = model.of(text)
    side = read(model, text)
    gaps = [side["masked"]] if MASK in side["tokens"] else [[place] for place in range(len(side["tokens"]))]
    answers = {",".join(map(str, masked)): guess(model, side["tokens"], masked, k) for masked in gaps}
    short = {
        key: [[flat for token, p in row for flat in (token, round(10_000 * p))] for row in rows]
        for key, rows in answers.items()
    }
    return {**side, "guesses": short}
