"""One page: its frame (head, navigation, contents) and a chapter's cells."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from course.site.outputs import describe, output_html
from course.site.prose import Heading, Prose
from course_lib.errors import CourseError

COURSE = "How machines came to read words in context"
_POLICY = "default-src 'self' file: data: 'unsafe-inline'; object-src 'none'; base-uri 'none'; form-action 'none'"
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="style.css">
<script src="page.js"></script>
</head>
<body>
<a class="skip" href="#main">To the text</a>
<header class="top"><a href="index.html">{course}</a>
<button class="theme" type="button" aria-pressed="false">dark</button></header>
<div class="sheet">
{contents}<main id="main">
{body}
{around}</main>
</div>
<footer>Text and figures: CC BY 4.0. Code: MIT.</footer>
</body>
</html>
"""


@dataclass(frozen=True)
class Chapter:
    name: str  # of the notebook's file, without its suffix
    title: str  # words of its first heading
    body: str  # HTML
    headings: tuple[Heading, ...]


def chapter(name: str, notebook: NotebookNode, pages: set[str]) -> Chapter:
    """The cells of a stored notebook as HTML. Raises CourseError if it does not begin with a title."""
    prose, parts = Prose(pages), []
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            parts.append(f'<div class="prose">\n{prose.render(cell.source)}</div>')
        elif cell.cell_type == "code" and (cell.source.strip() or cell.outputs):
            section = prose.headings[-1].words if prose.headings else name
            parts.append(_code_cell(cell, prose, describe(cell, after, section)))
    if not prose.headings or prose.headings[0].level != 1:
        raise CourseError(
            f"{name}.ipynb does not begin with a title (`# 4 · ELMo`). Add it in notebooks/text/{name}.md."
        )
    return Chapter(name, prose.headings[0].words, "\n".join(parts), tuple(prose.headings))


def chapter_page(chapter: Chapter, previous: Chapter | None, following: Chapter | None) -> str:
    """The whole page of a chapter."""
    number = chapter.name.partition("_")[0].lstrip("0") or "0"
    run = (
        '<p class="run">This page shows the stored notebook. Its widgets work here; '
        f"to run its code, install the course and say <code>make lab CHAPTER={html.escape(number)}</code>.</p>\n"
    )
    steps = _step("prev", previous) + _step("next", following)
    return page(
        f"{chapter.title} – {COURSE}",
        chapter.body,
        contents=_contents(chapter.headings),
        around=f'{run}<nav class="steps" aria-label="Chapters">{steps}</nav>\n',
    )


def page(title: str, body: str, *, contents: str = "", around: str = "") -> str:
    """A page of the site around `body`."""
    words = {"title": html.escape(title), "course": html.escape(COURSE), "policy": html.escape(_POLICY)}
    return _PAGE.format(body=body, contents=contents, around=around, **words)


def _step(rel: str, to: Chapter | None) -> str:
    if to is None:
        return ""
    before, after = ("← ", "") if rel == "prev" else ("", " →")
    return f'<a rel="{rel}" href="{to.name}.html">{before}{html.escape(to.title)}{after}</a>'


def _code_cell(cell: NotebookNode, prose: Prose, description: str) -> str:
    source = highlight(cell.source, PythonLexer(stripnl=True), HtmlFormatter(cssclass="code"))
    outputs = "\n".join(output_html(output, prose, description) for output in cell.outputs)
    shown = f'<div class="output">\n{outputs}\n</div>' if outputs else ""
    return f'<div class="cell">\n{source}{shown}</div>'


def _contents(headings: Sequence[Heading]) -> str:
    """The sections of a page, and under each its parts."""
    below = [heading for heading in headings if heading.level in (2, 3)]
    if not below:
        return ""
    lines = [f'<li class="level{h.level}"><a href="#{h.address}">{h.inner}</a></li>' for h in below]
    inner = "\n".join(lines)
    return (
        '<nav class="toc" aria-label="On this page"><details><summary>On this page</summary>\n'
        f"<ul>\n{inner}\n</ul></details></nav>\n"
    )
