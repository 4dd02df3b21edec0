"""Markdown -> HTML: formulas drawn, headings with addresses, links to notebooks turned into links to pages."""

from __future__ import annotations

import html
import re
from collections import Counter
from dataclasses import dataclass

from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

from course.site.formulas import mathml, plain_words

_ARXIV = re.compile(r"(?<![\w/\"])arXiv:(\d{4}\.\d{4,5})(?![^<]*</a>)")
_FORMULA_AND_MARK = re.compile(r'(<math display="inline">(?:(?!</math>).)*</math>)([,.;:)?!]+)')


@dataclass(frozen=True)
class Heading:
    level: int
    address: str  # the id on the page
    inner: str  # HTML
    words: str


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
        return _FORMULA_AND_MARK.sub(r'<span class="keep">\1\2</span>', rendered)  # no line begins with a comma

    def add(self, level: int, inner: str) -> Heading:
        """A heading with an address of its own on this page."""
        words = html.unescape(" ".join(re.sub(r"<[^>]*>", "", inner).split()))
        stem = re.sub(r"[^\w.]+", "-", words.lower()).strip("-.") or "section"
        self._seen[stem] += 1
        address = stem if self._seen[stem] == 1 else f"{stem}-{self._seen[stem]}"
        self.headings.append(Heading(level, address, inner, words))
        return self.headings[-1]


class _Renderer(IPythonRenderer):
    """nbconvert's, where the page differs: its formulas wait for a script, and its tables cannot be narrower."""

    def __init__(self, prose: Prose, pages: set[str], **options) -> None:
        super().__init__(**options)
        self._prose, self._pages = prose, pages

    def heading(self, text: str, level: int, **attrs) -> str:
        found = self._prose.add(level, text)
        mark = f'<a class="anchor" href="#{found.address}" aria-label="link to this section">¶</a>'
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
        path, _, place = url.partition("#")
        name = path.rsplit("/", 1)[-1]
        if name.endswith(".ipynb") and name.removesuffix(".ipynb") in self._pages:
            url = name.removesuffix(".ipynb") + ".html" + (f"#{place}" if place else "")
        elif path and not re.match(r"https?://|mailto:", url):
            return text if plain_words(html.unescape(re.sub(r"<[^>]*>", "", text))) == name else f"{text} ({path})"
        return super().link(text, url, title)
