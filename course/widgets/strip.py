"""`token_strip(frames)`: a sentence as a strip of tokens, step by step: merges, masks, tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import traitlets

from course.widgets.base import CourseWidget, check_finite, limits, module, style, svg_text
from course_lib.errors import CourseError
from course_lib.language import key, t

MOST_FRAMES, MOST_TOKENS = 200, 60
# state -> (sign, what it means, colour of the still picture); a state is never shown by colour alone
STATES = {
    "": ("", "", "#ffffff"),
    "new": ("+", key("just joined"), "#cfe8ff"),
    "hidden": ("■", key("hidden"), "#08407f"),
    "random": ("≠", key("replaced at random"), "#f6d0b8"),
    "kept": ("=", key("chosen, but left as it is"), "#d8efe6"),
    "right": ("✓", key("right"), "#d8efe6"),
    "wrong": ("✗", key("wrong"), "#f6d0b8"),
    "special": ("·", key("special token, never chosen"), "#eeeeee"),
}


class Token(NamedTuple):
    """text as shown; state: one of STATES; note: read on focus, e.g. probabilities or the gold tag."""

    text: str
    state: str = ""
    note: str = ""


class Frame(NamedTuple):
    """One picture: its tokens, the sentence on top, and bars (name, observed, expected) beside each other."""

    tokens: Sequence[Token]
    says: str
    counts: Sequence[tuple[str, float, float]] = ()


class TokenStrip(CourseWidget):
    _esm, _css = module("strip"), style("strip")
    height = 330
    heading = traitlets.Unicode().tag(sync=True)
    step_name = traitlets.Unicode().tag(sync=True)
    frames = traitlets.List().tag(sync=True)  # [[tokens [text, state, note], says, counts], ...]
    states = traitlets.Dict().tag(sync=True)
    frame = traitlets.Int(0).tag(sync=True)
    _limits = limits("token_strip", frame="frames")

    @property
    def title(self) -> str:
        return self.heading

    def finding(self) -> str:
        return self.frames[self.frame][1]

    def still(self) -> str:
        tokens, _, counts = self.frames[self.frame]
        boxes, x, y = [], 14, 92
        for text, state, _ in tokens:
            shown = text[:16]
            wide = 18 + sum(13 if ord(c) > 0x1100 else 8 for c in shown)
            if x + wide > 746:
                x, y = 14, y + 40
            ink = "#fff" if state == "hidden" else "#222"
            boxes.append(
                f'<rect x="{x}" y="{y}" width="{wide}" height="28" rx="5" fill="{STATES[state][2]}" stroke="#999"/>'
                + svg_text(x + 9, y + 19, shown, f' fill="{ink}"')
            )
            x += wide + 6
        said = [f"{name}: {seen:.4g}, {t('expected {n}', n=f'{due:.4g}')}" for name, seen, due in counts]
        bars = "".join(svg_text(14, y + 62 + 20 * row, line) for row, line in enumerate(said))
        return self._picture(y + 60 + 20 * len(counts), "".join(boxes) + bars)


def token_strip(frames: Sequence[Frame], *, title: str = key("Token by token"), step: str = key("step")) -> TokenStrip:
    """Go forwards and back through frames of tokens: byte-pair merges, draws of masks, a tagger's guesses.

    title: the question; step: what one frame is called ("merge", "draw"). At most 200 frames of 60 tokens.
    """
    if not 1 <= len(frames) <= MOST_FRAMES:
        raise CourseError(f"token_strip: {len(frames)} frames. Give 1 to {MOST_FRAMES}.")
    rows = []
    for number, frame in enumerate(frames):
        tokens = [Token(*token) if not isinstance(token, str) else Token(token) for token in frame.tokens]
        if len(tokens) > MOST_TOKENS:
            raise CourseError(f"token_strip: frame {number} has {len(tokens)} tokens. Show at most {MOST_TOKENS}.")
        if bad := [token.state for token in tokens if token.state not in STATES]:
            known = ", ".join(name for name in STATES if name)
            raise CourseError(f"token_strip: frame {number} has the state {bad[0]!r}. Use one of: {known}.")
        counts = [[str(name), float(seen), float(expected)] for name, seen, expected in frame.counts]
        check_finite("token_strip", f"a count of frame {number}", [row[1:] for row in counts])
        rows.append([[[str(token.text), token.state, str(token.note)] for token in tokens], str(frame.says), counts])
    states = {name: [sign, t(meaning)] for name, (sign, meaning, _) in STATES.items()}
    return TokenStrip(heading=t(title), step_name=t(step), frames=rows, states=states)
