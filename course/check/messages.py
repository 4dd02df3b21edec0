"""What the reader sees under a cell: calm text, and the same as HTML. A symbol and words, never colour alone."""

from __future__ import annotations

import html
import re
import textwrap
from dataclasses import dataclass, field
from typing import Any

from course.catalogue import wrapped
from course_lib.language import language

# symbol and border colour (Okabe-Ito) by tone; the words are in the title
_TONES = {"open": ("○", "#8a8f98"), "right": ("✓", "#009e73"), "wrong": ("✗", "#d55e00"), "info": ("▸", "#0072b2")}
_PARAGRAPH = "margin:4px 0 0;max-width:760px"
# JupyterLab lets code break inside any word; here a word breaks only if it is longer than the line
_CODE = "margin:8px 0 0;white-space:pre-wrap;word-break:normal;font-family:var(--jp-code-font-family,monospace)"
_WIDTH = 96  # columns a line: fits an output area beside the file browser


@dataclass(frozen=True, repr=False)
class Message:
    """A title, paragraphs, and perhaps code. Shown by a notebook as HTML (inline styles only: these survive in a
    notebook that is not trusted), by a terminal as text. All strings are text, never markup."""

    title: str
    paragraphs: tuple[str, ...] = ()
    code: str = ""
    tone: str = "info"

    def __repr__(self) -> str:
        indent = {"initial_indent": "  ", "subsequent_indent": "  ", "break_long_words": False}
        lines = [f"{_TONES[self.tone][0]} {self.title}"]
        lines += ["\n".join(wrapped(line, _WIDTH, **indent)) for p in self.paragraphs for line in p.splitlines()]
        if self.code:
            lines.append(textwrap.indent(self.code.strip("\n"), "    "))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        symbol, colour = _TONES[self.tone]
        body = "".join(f'<p style="{_PARAGRAPH}">{as_html(p)}</p>' for p in self.paragraphs)
        if self.code:
            body += f'<pre style="{_CODE}">{html.escape(self.code)}</pre>'
        whole = ";word-break:keep-all" if language() == "ko" else ""  # a line of Korean ends between words
        look = f"border-left:4px solid {colour};padding:4px 0 6px 12px;overflow-wrap:anywhere{whole}"
        return f'<div role="status" style="{look}"><strong>{symbol} {as_html(self.title)}</strong>{body}</div>'


@dataclass(frozen=True, repr=False)
class Result(Message):
    """What `check` found.

    state    "not attempted", "right", "mistake" (a known one, in `mistake`), "wrong" (unknown) or "error" (it raised)
    inputs   of the call that the message is about, () if there is none; got: what it returned, None if it did not
             return; expected: what it should return
    """

    exercise: str = ""
    state: str = "not attempted"
    mistake: str = ""
    inputs: tuple = field(default=(), compare=False)  # copies; tensors have no single truth when compared
    got: Any = field(default=None, compare=False)
    expected: Any = field(default=None, compare=False)

    @property
    def right(self) -> bool:
        return self.state == "right"


def as_html(text: str) -> str:
    """Text as markup that shows it: what stands between backticks as code."""
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(text)).replace("\n", "<br>")
