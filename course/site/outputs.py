"""What a code cell printed and drew, as HTML. A widget's frame stays live: it needs no kernel and no network."""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import re
import struct
from pathlib import Path

from bs4 import BeautifulSoup
from nbconvert.filters.ansi import strip_ansi
from nbformat import NotebookNode

from course.site.formulas import plain_words
from course.site.prose import Prose

_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_FRAME = (Path(__file__).parent / "frame.js").read_text(encoding="utf-8").strip()
_TOO_LONG = 200  # letters of a picture's description


def output_html(output: dict, prose: Prose, description: str) -> str:
    """One output of a cell. `description`: for a picture that brings none."""
    kind = output["output_type"]
    if kind == "stream":
        return _plain(output["text"], "error" if output.get("name") == "stderr" else "text")
    if kind == "error":
        return _plain("\n".join(output["traceback"]), "error")
    data = output["data"]
    if "text/html" in data:
        return widget_html(data["text/html"])
    for mime in _PICTURES:
        if mime in data:
            return _picture(data[mime], mime, description)
    if "text/markdown" in data:
        return prose.render(data["text/markdown"])
    return _plain(data.get("text/plain", ""), "text")


def widget_html(stored: str) -> str:
    """The stored HTML, its frame grown to its content instead of a fixed height, its still picture for no script."""
    page = BeautifulSoup(stored, "html.parser")
    for frame in page.find_all("iframe", srcdoc=True):
        frame["srcdoc"] = frame["srcdoc"].replace("</head>", f"<script>{_FRAME}</script></head>", 1)
        frame["loading"] = "lazy"
        around = frame.parent if frame.parent.name == "div" else None
        height = re.search(r"height:(\d+)px", (around or frame).get("style", ""))
        frame["style"] = f"height:{height.group(1) if height else 600}px"
        if around is not None:
            del around["style"]
            around["class"] = "widget"
        else:
            frame.wrap(page.new_tag("div", attrs={"class": "widget"}))
    return str(page)


def describe(cell: NotebookNode, after: NotebookNode | None, section: str) -> str:
    """Words for the picture of a cell: its title and what the text after it says to notice, else its section's name."""
    text_after = after.source if after is not None and after.cell_type == "markdown" else ""
    notice = re.match(r"\*\*Notice\.\*\*\s*(.+)", text_after, re.S)
    sentences = re.split(r"(?<=[.!?])\s", plain_words(notice.group(1).split("\n\n")[0]))[:2] if notice else []
    words = [title.rstrip(".") + "." for title in _titles(cell.source)] + sentences
    text = " ".join(words) or f"Figure of the section “{section}”."
    return text if len(text) <= _TOO_LONG else text[: _TOO_LONG - 2].rsplit(" ", 1)[0] + " …"


def _titles(source: str) -> list[str]:
    """Titles of figures that stand in the code as plain text."""
    try:
        calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    except SyntaxError:  # a line for the notebook, not for Python
        return []
    found = [word.value for call in calls for word in call.keywords if word.arg in ("title", "suptitle")]
    found += [c.args[0] for c in calls if getattr(c.func, "attr", "") in ("set_title", "suptitle") and c.args]
    return [plain_words(v.value) for v in found if isinstance(v, ast.Constant) and isinstance(v.value, str)]


def _picture(data: str, mime: str, description: str) -> str:
    if mime == "image/svg+xml":
        data = base64.b64encode(data.encode()).decode()
    data = data.replace("\n", "")
    size = ""
    if mime == "image/png":  # known before it is read, so that the page does not jump
        with contextlib.suppress(struct.error, ValueError):  # no PNG: the page shows its description
            width, height = struct.unpack(">II", base64.b64decode(data[:32])[16:24])
            size = f' width="{width}" height="{height}"'
    return f'<img class="figure" alt="{html.escape(description)}"{size} src="data:{mime};base64,{data}">'


def _plain(text: str, kind: str) -> str:
    return f'<pre class="{kind}">{html.escape(strip_ansi(text).rstrip())}</pre>'
