"""A chapter as slides: one HTML page with everything inside, for a lecture room without a network.

The cells' slide types say where slides begin; the site's functions draw texts and outputs. Code is shown as far as it
is said aloud. Paragraphs that begin with **Notice.** are the speaker's notes.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from nbformat import NotebookNode
from PIL import Image
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import Python3Lexer

from course.site.build import MATH_FONT, TEMPLATES
from course.site.cells import NOTICE, Prose, describe, output_html, widget_html
from course.site.formulas import plain_words
from course.site.lecture import LIVE, edition, read_stored
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import language, speaking, t

FOLDER = Path(__file__).parent
VENDOR = FOLDER / "vendor"  # reveal.js 6.0.2 (`npm pack reveal.js@6.0.2`, dist/), as it was published
BLANK = "\n\n"  # between paragraphs
HIGH = 560  # px of a plot: higher ones are shown in halves
LINES_SHOWN = 18  # of a cell's code; the rest is folded
BEGINS = ("slide", "subslide")
NOTES, WIDGET = '<aside class="notes">', '<div class="stage">'  # how such pieces begin
HALL = "<style>{}</style><script>{}</script>".format(  # what a widget's frame is given on a slide
    *((FOLDER / f"hall.{kind}").read_text(encoding="utf-8") for kind in ("css", "js"))
)
_DRAWN = ("text/html", "text/markdown", "image/png", "image/jpeg", "image/svg+xml")
_SAID_BY_NOBODY = re.compile(r"(?:import|from) .*|\w+ = course_lib\.start\(.*\)|\s*|#.*")


@dataclass
class Slide:
    """Its fragments (the first is there at once), each a list of pieces; a widget's frame has a slide alone."""

    fragments: list[list[str]] = field(default_factory=lambda: [[]])

    def ends_before(self, piece: str) -> bool:
        shown = [said for fragment in self.fragments for said in fragment if not said.startswith(NOTES)]
        return bool(shown) and (self.alone or piece.startswith(WIDGET))

    @property
    def alone(self) -> bool:
        return any(piece.startswith(WIDGET) for piece in self.fragments[0])


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
    stacks: list[list[Slide]] = []
    for kind, piece in _pieces(notebook):
        noted = piece.startswith(NOTES)
        if kind == "slide" or not stacks:
            stacks.append([Slide()])
        elif kind == "subslide" or (not noted and stacks[-1][-1].ends_before(piece)):
            stacks[-1].append(Slide())
        elif kind == "fragment":
            stacks[-1][-1].fragments.append([])
        stacks[-1][-1].fragments[-1].append(piece)
    # "<!--" would confuse the page's script element
    scripts = [
        (VENDOR / name).read_text(encoding="utf-8").replace("<!--", "<\\!--")
        for name in ("reveal.min.js", "notes.min.js")
    ]
    font = base64.b64encode(MATH_FONT.read_bytes()).decode()
    font = f'@font-face {{ font-family: "Course Math"; src: url(data:font/woff;base64,{font}); }}'
    colours = HtmlFormatter(style="xcode").get_style_defs(".highlight")
    own = [(FOLDER / f"slides.{kind}").read_text(encoding="utf-8") for kind in ("css", "js")]
    return TEMPLATES.get_template("slides.html.j2").render(
        title=next((words for cell in notebook.cells if (words := _heading(cell))), name),
        stacks=stacks,
        style="\n".join(((VENDOR / "reveal.min.css").read_text(encoding="utf-8"), font, colours, own[0])),
        script="\n".join((*scripts, own[1])),
        licence=(VENDOR / "reveal.LICENSE.txt").read_text(encoding="utf-8"),
        language=language(),
        t=t,
    )


def _pieces(notebook: NotebookNode) -> Iterator[tuple[str, str]]:
    """(slide type, HTML) of what is shown, and of the speaker's notes."""
    prose, section, skipped = Prose(set()), "", False
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        section, kind = _heading(cell) or section, _slide_type(cell)
        skipped = kind == "skip" or (skipped and kind == "-" and cell.source.startswith(NOTICE))  # of a skipped picture
        if skipped:
            continue
        if cell.cell_type == "code":
            description = describe(cell, after, section)
            frames = [output for output in cell.outputs if "<iframe" in output.get("data", {}).get("text/html", "")]
            plain = [part for output in cell.outputs if output not in frames for part in _parts(output)]
            outputs = [output_html(output, prose, description) for output in plain]
            outputs = "".join(f'<div class="out">{output}</div>' for output in outputs)
            outputs = f'{code_html(cell)}\n<div class="outs">{outputs}</div>'
            if frames and lines_shown(cell):
                yield kind, code_html(cell)
                kind = "-"
            for frame in frames:
                yield kind, f"{WIDGET}{widget_html(frame.data['text/html'], head=HALL)}</div>"
                kind = "-"
            yield kind, f"{NOTES}{outputs}</aside>" if frames else outputs
        elif cell.cell_type == "markdown":
            paragraphs = cell.source.split(BLANK)
            notes = [paragraph for paragraph in paragraphs if paragraph.startswith(NOTICE)]
            rest = [paragraph for paragraph in paragraphs if not paragraph.startswith(NOTICE)]
            said = [(kind, f'<div class="said">{prose.render(BLANK.join(rest))}</div>')] if rest or kind != "-" else []
            noted = [("-", f"{NOTES}{prose.render(BLANK.join(notes))}</aside>")] if notes else []
            # notes that come first are of the picture above, be it on the slide before
            yield from noted + said if rest and paragraphs[0].startswith(NOTICE) else said + noted


def _parts(output: dict) -> list[dict]:
    """The output; a plot too high for its letters in two halves, each with what is above and below the axes."""
    try:
        drawn = base64.b64decode(output["data"]["image/png"])
        picture = np.asarray(Image.open(io.BytesIO(drawn)).convert("RGB"))
    except (LookupError, OSError, ValueError):  # no picture, or none: the slide shows its description
        return [output]
    ink = picture.min(2) < 255
    y_axis = max(_runs(ink[:, ink.sum(0).argmax()].nonzero()[0]), key=len)[:-10]  # without the x axis
    if len(picture) <= HIGH or len(y_axis) < HIGH / 2:
        return [output]
    top, bottom = y_axis[0], y_axis[-1]
    rows = ink[top:bottom].sum(1)
    between = [run[len(run) // 2] for run in _runs(top + (rows == rows.min()).nonzero()[0])]  # rows of bars
    middle = min(between, key=lambda row: abs(row - len(picture) // 2))
    halves = []
    for first, last in ((top, middle), (middle, bottom)):
        file = io.BytesIO()
        Image.fromarray(np.concatenate([picture[:top], picture[first:last], picture[bottom:]])).save(file, "png")
        halves.append({**output, "data": {"image/png": base64.b64encode(file.getvalue()).decode()}})
    return halves


def _runs(numbers: np.ndarray) -> list[np.ndarray]:
    """Rising numbers, cut where one is left out."""
    return np.split(numbers, (np.diff(numbers) > 1).nonzero()[0] + 1)


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
    lines = highlight(cell.source, Python3Lexer(stripnl=False), HtmlFormatter(nowrap=True)).rstrip("\n").split("\n")
    n_shown = lines_shown(cell)
    shown, rest = lines[:n_shown], lines[n_shown:]
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


def _slide_type(cell: NotebookNode) -> str:
    return cell.metadata.get("slideshow", {}).get("slide_type", "-")


def _heading(cell: NotebookNode) -> str:
    """The words of the cell's first heading, or nothing."""
    found = re.search(r"^#+ (.+)$", cell.source, re.MULTILINE) if cell.cell_type == "markdown" else None
    return plain_words(found.group(1)) if found else ""
