"""The cells of a notebook as HTML.

Text: formulas drawn, headings with addresses, links to notebooks turned into links to pages. Outputs: what a code cell
printed and drew; a widget's frame stays live, since it needs no kernel and no network.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import html
import io
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from bs4 import BeautifulSoup
from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode
from PIL import Image

from course.site.formulas import mathml, plain_words
from course_lib.language import language, t

_ARXIV = re.compile(r"(?<![\w/\"])arXiv:(\d{4}\.\d{4,5})(?![^<]*</a>)")
# no line begins with a comma, nor with the particle of a formula
_FORMULA_AND_MARK = re.compile(r'(<math display="inline">(?:(?!</math>).)*</math>)((?:[가-힣]+[,.;:)?!]*|[,.;:)?!]+))')
_BEFORE_PARTICLE = re.compile(r"(</code>|</em>|[)\]”’%])(?=[가-힣])")
NOTICE = ("**Notice.**", "**살펴보기.**")  # in either language: what to see in the picture above
_PICTURES = ("image/png", "image/jpeg", "image/svg+xml")
_FRAME = (Path(__file__).parent / "frame.js").read_text(encoding="utf-8").strip()
LIVE = "live"  # class of a frame's body: the page around it answers as a kernel would
_SPELT = re.compile(r"(?<!\\)\\u((?:a[c-f]|[bc].|d[0-7])..)")  # Hangul in a frame's JSON: six bytes for three
_OWN = ("ask_bert.html", "play.html")  # pages of the site that are no notebook
_TOO_LONG = 200  # letters of a picture's description


@dataclass(frozen=True)
class Heading:
    level: int
    address: str  # the id on the page
    inner: str  # HTML
    words: str


@dataclass(frozen=True)
class Shown:
    """A widget on a page; `under`: the heading of its section."""

    html: str
    under: Heading


@dataclass(frozen=True)
class Chapter:
    name: str  # of the notebook's file, without its suffix
    title: str  # words of its first heading
    body: str  # HTML
    headings: tuple[Heading, ...]
    shown: tuple[Shown, ...] = ()  # its widgets, in their order
    exercises: tuple[str, ...] = ()  # those that the page checks itself


class Prose:
    """Renders the text cells of one page and remembers their headings, in order."""

    def __init__(self, pages: set[str], *, raw_html: bool = False) -> None:
        """`pages`: names of notebooks that have a page. `raw_html`: let HTML in the text through (README.md)."""
        self.headings: list[Heading] = []
        self._markdown = MarkdownWithMath(renderer=_Renderer(self, pages, escape=not raw_html))
        self._seen: Counter[str] = Counter()

    def render(self, markdown: str) -> str:
        """One cell as HTML."""
        rendered = self._markdown.render(markdown)
        rendered = _ARXIV.sub(r'<a href="https://arxiv.org/abs/\1">\g<0></a>', rendered)
        rendered = _FORMULA_AND_MARK.sub(r'<span class="keep">\1\2</span>', rendered)
        return with_particles(rendered) if language() == "ko" else rendered

    def add(self, level: int, inner: str) -> Heading:
        """A heading with an address of its own on this page."""
        words = html.unescape(" ".join(re.sub(r"<[^>]*>", "", inner).split()))
        stem = re.sub(r"[^\w.]+", "-", words.lower()).strip("-.") or "section"
        self._seen[stem] += 1
        address = stem if self._seen[stem] == 1 else f"{stem}-{self._seen[stem]}"
        self.headings.append(Heading(level, address, inner, words))
        return self.headings[-1]


def with_particles(html: str) -> str:
    """U+2060: a Korean particle stays in the line of the code or sign before it."""
    return _BEFORE_PARTICLE.sub(r"\1&#8288;", html)


class _Renderer(IPythonRenderer):
    """nbconvert's, where the page differs: its formulas wait for a script, and its tables cannot be narrower."""

    def __init__(self, prose: Prose, pages: set[str], **options) -> None:
        super().__init__(**options)
        self._prose, self._pages = prose, pages

    def heading(self, text: str, level: int, **attrs) -> str:
        found = self._prose.add(level, text)
        mark = f'<a class="anchor" href="#{found.address}" aria-label="{t("link to this section")}">¶</a>'
        return f'<h{level} id="{found.address}">{text}{mark if level > 1 else ""}</h{level}>\n'

    def block_math(self, body: str) -> str:
        return f'<span class="formula">{mathml(body.strip(), block=True)}</span>'

    def inline_math(self, body: str) -> str:
        long = ' class="long"' if len(body) > 30 else ""
        return f"<span{long}>{mathml(body.strip())}</span>" if long else mathml(body.strip())

    def latex_environment(self, name: str, body: str) -> str:
        return self.block_math(f"\\begin{{{name}}}{body}\\end{{{name}}}")

    def inline_html(self, html: str) -> str:
        """A line break within a table's cell is the one tag that text may hold."""
        return "<br>" if re.fullmatch(r"<br\s*/?>", html.strip()) else super().inline_html(html)

    def table(self, text: str) -> str:
        return f'<div class="wide"><table>\n{text}</table></div>\n'

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """To a page of the site, a place on this page, or the web; a file of the repository is named, not linked."""
        url = re.sub(r"^(\.\./)+build/site/", "", url)  # written for readers of the notebook, who have to build it
        path, _, place = url.partition("#")
        name = path.rsplit("/", 1)[-1]
        if name.endswith(".ipynb") and name.removesuffix(".ipynb") in self._pages:
            url = name.removesuffix(".ipynb") + ".html" + (f"#{place}" if place else "")
        elif path and not (name in _OWN and self._pages) and not re.match(r"https?://|mailto:", url):
            said = plain_words(html.unescape(re.sub(r"<[^>]*>", "", text)))
            return text if said in (name, path.lstrip("./")) else f"{text} ({path})"
        return super().link(text, url, title)


def output_html(output: dict, prose: Prose, description: str, answered: Collection[str] = ()) -> str:
    """One output of a cell. `description`: for a picture that brings none; `answered`: as in widget_html."""
    kind = output["output_type"]
    if kind == "stream":
        return _plain(output["text"], "error" if output.get("name") == "stderr" else "text")
    if kind == "error":
        return _plain("\n".join(output["traceback"]), "error")
    data = output["data"]
    if "text/html" in data:
        return widget_html(data["text/html"], answered)
    for mime in _PICTURES:
        if mime in data:
            return _picture(data[mime], mime, description)
    if "text/markdown" in data:
        return prose.render(data["text/markdown"])
    return _plain(data.get("text/plain", ""), "text")


def widget_html(stored: str, answered: Collection[str] = (), head: str = f"<script>{_FRAME}</script>") -> str:
    """The stored HTML, its frame grown to its content; a widget that the page answers (course.live) is told so.

    head: what the frame is given besides.
    """
    page = BeautifulSoup(stored, "html.parser")
    for frame in page.find_all("iframe", srcdoc=True):
        document = _SPELT.sub(lambda spelt: chr(int(spelt[1], 16)), frame["srcdoc"])
        frame["srcdoc"] = document.replace("</head>", f"{head}</head>", 1)
        if frame.get("data-widget", frame.get("title")) in answered:
            frame["srcdoc"] = frame["srcdoc"].replace('<body class="alone">', f'<body class="alone {LIVE}">', 1)
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
    notice = re.match(rf"(?:{'|'.join(map(re.escape, NOTICE))})\s*(.+)", text_after, re.S)
    sentences = re.split(r"(?<=[.!?])\s", plain_words(notice.group(1).split("\n\n")[0]))[:2] if notice else []
    words = [title.rstrip(".") + "." for title in _titles(cell.source)] + sentences
    text = " ".join(words) or t("Figure of the section “{section}”.", section=section)
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
    if mime == "image/png":  # the same pixels in half of the bytes, and a size, so that the page does not jump
        with contextlib.suppress(OSError, ValueError):  # no PNG: the page shows its description
            picture, packed = Image.open(io.BytesIO(base64.b64decode(data))), io.BytesIO()
            picture.save(packed, "WEBP", lossless=True, exact=True, quality=20)  # of the search: half the time
            mime, data = "image/webp", base64.b64encode(packed.getvalue()).decode()
            size = f' width="{picture.width}" height="{picture.height}"'
    return f'<img class="figure" alt="{html.escape(description)}"{size} src="data:{mime};base64,{data}">'


def _plain(text: str, kind: str) -> str:
    return f'<pre class="{kind}">{html.escape(strip_ansi(text).rstrip())}</pre>'
