"""A chapter as slides: one HTML page with everything inside, for a lecture room without a network.

nbconvert's exporter finds where slides begin (the cells' slide types); the site's functions draw texts and outputs.
Code is shown as far as it is said aloud. Paragraphs that begin with **Notice.** are the speaker's notes.
"""

from __future__ import annotations

import base64
import html
import re
from functools import partial
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course.site.build import MATH_FONT
from course.site.cells import NOTICE, Prose, describe, output_html
from course.site.formulas import plain_words
from course.site.lecture import LIVE, edition, read_stored
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import language, speaking, t

FOLDER = Path(__file__).parent
VENDOR = FOLDER / "vendor"  # reveal.js 6.0.2 (`npm pack reveal.js@6.0.2`, dist/), as it was published
LINES_SHOWN = 18  # of a cell's code; the rest is folded
BEGINS = ("slide", "subslide")
_DRAWN = ("text/html", "image/png", "image/jpeg", "image/svg+xml")
_SAID_BY_NOBODY = re.compile(r"(?:import|from) .*|\w+ = course_lib\.start\(.*\)|\s*|#.*")


def write_slides(notebook: Path, folder: Path) -> Path:
    """The deck of a stored notebook as NAME.html in `folder`."""
    try:
        with speaking(edition(notebook)):
            page = deck(read_stored(notebook), notebook.stem)
    except CourseError as error:
        raise CourseError(str(error) if notebook.name in str(error) else f"{notebook.name}: {error}") from error
    path = folder / f"{notebook.stem}.html"
    with atomic_file(path, "w") as file:
        file.write(page)
    return path


def deck(notebook: NotebookNode, name: str) -> str:
    """The page, as text. `name` is the notebook's."""
    from nbconvert import SlidesExporter
    from pygments.formatters import HtmlFormatter

    cells = said_cells(notebook, name)
    exporter = SlidesExporter(raw_template=_own("slides.html.j2"))
    prose = Prose(set())
    exporter.register_filter("drawn_text", prose.render)
    exporter.register_filter("drawn_code", code_html)
    exporter.register_filter("drawn_outputs", partial(_outputs_html, prose=prose))
    library = {file.name: file.read_text(encoding="utf-8") for file in VENDOR.iterdir()}
    # "<!--" would confuse the page's script element
    scripts = [library[name].replace("<!--", "<\\!--") for name in ("reveal.min.js", "notes.min.js")]
    colours = HtmlFormatter(style="xcode").get_style_defs(".highlight")
    parts = {
        "title": html.escape(next((w for c in cells if (w := _heading(c))), name)),
        "style": "\n".join((library["reveal.min.css"], _math_font(), colours, _own("slides.css"))),
        "script": "\n".join((*scripts, _own("slides.js"))),
        "language": language(),
        "larger": t("larger"),
        "smaller": t("smaller"),
        "licence": library["reveal.LICENSE.txt"],
    }
    page, _ = exporter.from_notebook_node(nbformat.v4.new_notebook(cells=cells), {"deck": parts})
    return page


def _own(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def said_cells(notebook: NotebookNode, name: str) -> list[NotebookNode]:
    """The cells of the deck: without `skip`, notices as notes, code cells with `shown`, the number of open lines."""
    slideshows = [cell.metadata.get("slideshow", {}) for cell in notebook.cells]
    if odd := [s for s in slideshows if not (isinstance(s, dict) and isinstance(s.get("slide_type", "-"), str))]:
        raise CourseError(
            f'{name} has a cell with the slideshow {odd[0]!r:.80}. Write `slideshow: {{"slide_type": "slide"}}`.'
        )
    if not any(_slide_type(cell) in BEGINS for cell in notebook.cells):
        raise CourseError(
            f"{name} has no slides: no cell of it has a slide type. Give cells of notebooks/text/{name}.md "
            '`slideshow: {"slide_type": "slide"}` where a slide begins.'
        )
    cells, section = [], ""
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        section = _heading(cell) or section
        if _slide_type(cell) == "skip" or cell.cell_type not in ("code", "markdown"):
            continue
        if cell.cell_type == "code":
            cell = nbformat.from_dict(cell)
            cell.metadata.update(shown=lines_shown(cell), description=describe(cell, after, section))
            cells.append(cell)
        else:
            cells += _without_notices(cell)
    return cells


def lines_shown(cell: NotebookNode) -> int:
    """How much of the code the audience sees: none of imports, and none where the picture is the point."""
    lines = cell.source.splitlines()
    if all(_SAID_BY_NOBODY.fullmatch(line) for line in lines):
        return 0
    drawn = any(mime in output.get("data", {}) for output in cell.outputs for mime in _DRAWN)
    if drawn and LIVE not in cell.metadata.get("tags", []):
        return 0
    return min(len(lines), LINES_SHOWN)


def code_html(cell: NotebookNode) -> str:
    """The code with its colours: the first lines open, the rest behind a word that opens it."""
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import Python3Lexer

    lines = highlight(cell.source, Python3Lexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    shown, rest = lines[: cell.metadata.shown], lines[cell.metadata.shown :]
    block = '<pre class="highlight">{}</pre>'.format
    page = block("\n".join(shown)) if shown else ""
    if rest:
        many = len(rest) > 1
        if shown:
            many = t("{n} more lines of code" if many else "{n} more line of code", n=len(rest))
        else:
            many = t("{n} lines of code" if many else "{n} line of code", n=len(rest))
        page += f"<details><summary>{many}</summary>{block(chr(10).join(rest))}</details>"
    return f'<div class="code">{page}</div>'


def _outputs_html(cell: NotebookNode, prose: Prose) -> str:
    pieces = [output_html(output, prose, cell.metadata.description) for output in cell.outputs]
    return f'<div class="outs">{"".join(f"""<div class="out">{piece}</div>""" for piece in pieces)}</div>'


def _math_font() -> str:
    data = base64.b64encode(MATH_FONT.read_bytes()).decode()
    return f'@font-face {{ font-family: "Course Math"; src: url(data:font/woff;base64,{data}); }}'


def _without_notices(cell: NotebookNode) -> list[NotebookNode]:
    """The text cell, and its notices as a cell of notes."""
    paragraphs = cell.source.split("\n\n")
    notes = [paragraph for paragraph in paragraphs if paragraph.startswith(NOTICE)]
    rest = [paragraph for paragraph in paragraphs if not paragraph.startswith(NOTICE)]
    found = []
    if rest or _slide_type(cell) != "-":  # where a slide begins, a cell must stay
        found.append(nbformat.v4.new_markdown_cell("\n\n".join(rest), metadata=cell.metadata))
    if notes:
        kind = {"slideshow": {"slide_type": "notes"}}
        of_above = rest and paragraphs[0].startswith(NOTICE)  # of the picture above, be it on the slide before
        found.insert(0 if of_above else len(found), nbformat.v4.new_markdown_cell("\n\n".join(notes), metadata=kind))
    return found


def _slide_type(cell: NotebookNode) -> str:
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def _heading(cell: NotebookNode) -> str:
    """The words of the cell's first heading, or nothing."""
    found = re.search(r"^#+ (.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
    return plain_words(found.group(1)) if found else ""
