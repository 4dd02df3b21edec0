"""What all widgets share: one display gives three pictures.

In JupyterLab a live widget, synced with Python. In a stored or exported page the same module in a closed frame, live
without a kernel and without a network. Where frames are taken away (a notebook that is not trusted): a still picture.
"""

from __future__ import annotations

import base64
import html
import json
import math
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import traitlets

from course.catalogue import texts, wrapped
from course_lib.errors import CourseError
from course_lib.language import language, t, t_label

FOLDER = Path(__file__).parent
BOLD = ' font-weight="bold"'
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#b4538f")  # of senses, in still pictures
_OWN_TO_JUPYTER = {"layout", "tabbable", "tooltip", "comm"}
_PAGE = (FOLDER / "frame.html").read_text("utf-8").rstrip()  # its courseModel: course/site/frame.js


def module(name: str, folder: Path = FOLDER, kit: Sequence[str] = ("kit",)) -> str:
    """The ES module of a widget: an anywidget module cannot import a neighbour, so the shared kit stands before it."""
    files = (*(FOLDER / f"{part}.js" for part in kit), folder / f"{name}.js")
    return small("".join(file.read_text("utf-8") for file in files))


def small(script: str) -> str:
    """Without indentation and lines of comment: each notebook and page keeps its modules."""
    return re.sub(r"(?m)^ *//.*\n|^ +", "", script)


def style(name: str, folder: Path = FOLDER) -> str:
    """The widget's style sheet after the shared one, which other widgets of a notebook bring once more, perhaps later:
    so the widget's own rules begin with `section.cw-...`, one step stronger than `.cw`."""
    return (FOLDER / "kit.css").read_text("utf-8") + (folder / f"{name}.css").read_text("utf-8")


class CourseWidget(anywidget.AnyWidget):
    """A subclass sets `_esm`, `_css`, `title` and `height`, its synced traits, and writes two methods:

    finding() -> str   the sentence on top for the present state
    still() -> str     an SVG of the present state: the same numbers, title and finding

    or, if no picture can stand for it, `__repr__` and `page`, with `framed()` in it.
    """

    title = "Widget"
    height = 600  # pixels of the frame on a page without a kernel
    texts = traitlets.Dict().tag(sync=True)  # {English: Korean} of what the module says through `t`; {} in English

    def __init__(self, *, named: Iterable[str] = (), **state):
        """named: of systems, senses and the like, which the module says through `t` as they come."""
        known = {name: t_label(name) for name in named}
        said = {name: korean for name, korean in known.items() if korean != name}
        super().__init__(texts=texts(sentences(str(self._esm))) | said, **state)

    def __repr__(self) -> str:
        """The same on every machine, since it is stored with the notebook."""
        return f"{t(self.title)}: {self.finding()}"

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs) or ({}, {})
        return {**data, "text/plain": repr(self), "text/html": self.page()}, metadata

    def _lines(self, width: int = 105, most: int = 2) -> list[str]:
        """The finding, cut into lines of so many columns."""
        return wrapped(self.finding(), width)[:most]

    def _picture(self, height: int, marks: str, lines: list[str] | None = None, top: int = 44) -> str:
        """An SVG, 760 wide: the title, the finding (as `lines`, the first one at `top`), and what the widget drew."""
        lines = self._lines() if lines is None else lines
        says = "".join(svg_text(14, top + 18 * row, line) for row, line in enumerate(lines))
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 {height}" width="760" height="{height}" '
            f'font-family="sans-serif" font-size="13"><rect width="760" height="{height}" fill="#fff"/>'
            f"{svg_text(14, 22, t(self.title), BOLD)}{says}{marks}</svg>"
        )

    def page(self) -> str:
        """The live frame, laid over the still picture."""
        picture = base64.b64encode(self.still().encode()).decode()
        frame = self.framed("position:absolute;left:0;top:0;width:100%;height:100%;border:0;background:#fff")
        return (
            f'<div style="position:relative;max-width:1000px;height:{self.height}px">'
            f'<img alt="{html.escape(repr(self))}" style="max-width:100%" src="data:image/svg+xml;base64,{picture}">'
            f"{frame}</div>"
        )

    def framed(self, look: str, **changed: object) -> str:
        """The widget in a closed frame of the given style, live without a kernel; `changed`: traits it begins with."""
        names = [n for n in sorted(self.traits(sync=True)) if not n.startswith("_") and n not in _OWN_TO_JUPYTER]
        names = [n for n in names if n != "texts" or self.texts]  # an English page holds no empty list
        values = {name: getattr(self, name) for name in names} | changed
        raw = {n: base64.b64encode(v).decode() for n, v in values.items() if isinstance(v, bytes)}
        document = _PAGE % {
            "language": language(),
            "title": html.escape(t(self.title)),
            "css": self._css,
            # tokens are hostile: none may end the script
            "state": json.dumps({n: v for n, v in values.items() if n not in raw}).replace("<", "\\u003c"),
            "bytes": json.dumps(raw),
            "module": base64.b64encode(str(self._esm).encode()).decode(),
        }
        title = f'title="{html.escape(t(self.title))}"'
        if t(self.title) != self.title:
            title += f' data-widget="{html.escape(self.title)}"'  # by which a live page knows it
        return f'<iframe sandbox="allow-scripts" {title} srcdoc="{html.escape(document)}" style="{look}"></iframe>'


_SAID = re.compile(r'\bt\(\s*("(?:[^"\\]|\\.)*"(?:\s*\+\s*"(?:[^"\\]|\\.)*")*)')


def sentences(module: str) -> list[str]:
    """The English sentences that a module says through its `t`: constants, perhaps of several pieces joined by +."""
    pieces = (re.findall(r'"((?:[^"\\]|\\.)*)"', said) for said in _SAID.findall(module))
    return ["".join(json.loads(f'"{piece}"') for piece in said) for said in pieces]


def svg_text(x: float | str, y: float | str, words: str, look: str = "") -> str:
    """A text of a still picture; `look`: further attributes, with a space before each."""
    return f'<text x="{x}" y="{y}"{look}>{html.escape(words)}</text>'


def limits(widget: str, **may: Any) -> Any:
    """A validator of traits. may: {trait: (first, last), a list of its values, or the trait whose places it counts}.

    Where they depend on the state, a function of the widget gives them.
    """

    def check(self: CourseWidget, proposal: dict) -> Any:
        name, value = proposal["trait"].name, proposal["value"]
        of = may[name](self) if callable(may[name]) else may[name]
        if isinstance(of, list):
            fits, use = value in of, f"one of {', '.join(map(str, filter(None, of)))}"
        else:
            first, last = (0, len(getattr(self, of)) - 1) if isinstance(of, str) else of
            fits, use = first <= value <= last, f"{first} to {last}"
        if not fits:
            raise CourseError(f"{widget}.{name} is {value!r}. Use {use}.")
        return value

    return traitlets.validate(*may)(check)


def check_finite(widget: str, what: str, numbers: Any) -> None:
    if not np.isfinite(numbers).all():
        raise CourseError(f"{widget}: {what} holds a number that is not finite. Look at where it comes from.")


def check_whole(widget: str, name: str, value: object, first: int, last: int) -> None:
    if not isinstance(value, int) or not first <= value <= last:
        raise CourseError(f"{widget}: {name}={value!r}. Use a whole number from {first:,} to {last:,}.")


def percent(share: float) -> str:
    """As the page writes it: half up, where round() would go to the even digit."""
    value = 100 * share
    if value < 0.05:
        return with_sign("< 0.1")
    return with_sign(f"{math.floor(value + 0.5)}" if value >= 9.95 else f"{math.floor(10 * value + 0.5) / 10:.1f}")


def with_sign(number: str) -> str:
    return t("{n} %", n=number)
