"""`make site`: notebooks/*.ipynb, as they are stored, -> build/site. Nothing is run, nothing is fetched.

The pages are plain files: they can be opened from the disk or put on any web server. The first one of each language
is made of its README: the opening, the map of the course, what the claims say, and how to run it.
"""

from __future__ import annotations

import base64
import html
import json
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path

from bs4 import BeautifulSoup
from jinja2 import Environment, FileSystemLoader
from nbformat import NotebookNode
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

from course.live.page import WIDGETS, ask_bert, opening_guesses, write_live
from course.site.cells import LIVE, Chapter, Prose, Shown, describe, output_html, with_particles
from course.site.check import site_problems
from course.site.exercises import checked, megabytes, runnable, stopped, write_python
from course.site.lecture import read_stored
from course.site.tour import PLAY, about, chapter_number, opener, play_page
from course_lib.config import data_dir
from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import key, language, speaking, t

HERE = Path(__file__).parent
MATH_FONT = HERE / "fonts" / "STIXTwoMath-subset.woff"  # @fontsource/stix-two-math 5.3.0, letters and signs of formulas
LIGHT, DARK = "default", "github-dark"  # pygments' names
DARKER = {"AA22FF": "9A14EC", "767600": "6E6E00"}  # of theirs, what has too little contrast on the ground of code
COURSE = key("How machines came to read words in context")
SECTIONS = (key("The chapters"), key("Claims, not slogans"), key("Two commands"))  # headings of README.md; a map first
SIGNS = {"holds": "●", "contradicted": "✕", "open": "◇", "cannot judge": "–"}  # of verdicts, as on a claim's card
LISTED = (2, 3)  # levels of headings that "On this page" lists
HEIGHTS = tomllib.loads((HERE / "heights.toml").read_text())  # of frames, 360 and 1000 wide (tests.notebooks.pictures)
_HEIGHT = re.compile(r'(?<=<iframe)([^>]*?) style="height:(\d+)px"')
ASK_BERT = "ask_bert.html"
READERS = [f"{number:02}" for number in range(1, 10)]  # chapters with a system of SYSTEMS_READ in course/live/yours.js
_ELSEWHERE = key(
    "The page cannot run this cell, which needs PyTorch or NumPy. To run it, open the notebook by {command}."
)
_LAB = "<code>make lab CHAPTER=%s</code>"
BY_HAND = "by-hand"  # tag of a cell that builds the chapter's system: its code is always shown
_ROW = re.compile(r"^\| *(\w+) *\| *\[([^\]]+)\]\(notebooks/(?:ko/)?(\w+)\.ipynb\) *\| *(.*?) *\|$", re.M)
_NO_PICTURE = "\n![]()\n"
TEMPLATES = Environment(loader=FileSystemLoader(HERE), autoescape=True, trim_blocks=True, lstrip_blocks=True)


def build_site(project: Path, out: Path) -> str:
    """Write the site of the course in `project` into `out`, check it, and say in one line what came out."""
    checkpoints, notebooks = project / "data" / "checkpoints", project / "notebooks"
    live = checkpoints.is_dir()
    folders = {"en": notebooks} | ({"ko": notebooks / "ko"} if list(notebooks.glob("ko/*.ipynb")) else {})
    chapters = {}
    for edition, folder in folders.items():
        with speaking(edition):
            chapters[edition] = read_chapters(folder, WIDGETS if live else ())
    files = {}
    for edition, here in chapters.items():
        readme = (project / ("README.md" if edition == "en" else "README.ko.md")).read_text(encoding="utf-8")
        others = [chapter for other, there in chapters.items() if other != edition for chapter in there]
        with speaking(edition):
            pages = {"index.html": front_page(readme, here, live=live, other=bool(others))} | _pages(here, others, live)
        files |= {name if edition == "en" else f"{edition}/{name}": page for name, page in pages.items()}
    files |= _assets()
    for old in {*out.glob("[0-9A-Z]*_*.html"), *out.glob("ko/*.html")} - {out / name for name in files}:
        old.unlink()  # the page of a chapter that has another name now
    _write(out, files)
    if live:
        write_live(out, checkpoints)
    if any(chapter.exercises for there in chapters.values() for chapter in there):
        write_python(out)
    if problems := site_problems(out):
        listed = "\n".join(problems[:20] + ([f"and {len(problems) - 20} more"] if len(problems) > 20 else []))
        raise CourseError(f"The site in {out} has {len(problems)} faults; mend them in notebooks/text/:\n{listed}")
    n_bytes = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    n_pages = sum(name.endswith(".html") for name in files)
    return f"site: {n_pages} pages, {n_bytes / 1e6:.1f} MB with all that they load, checked. Open {out / 'index.html'}"


def _pages(chapters: Sequence[Chapter], others: Sequence[Chapter], live: bool) -> dict[str, str]:
    """The pages by their file's name: chapters, "Play", Ask BERT where it is `live`. others: in the other language."""
    there = {chapter.name: chapter for chapter in others}
    around = zip([None, *chapters], chapters, [*chapters[1:], None], strict=False)
    pages = {
        f"{here.name}.html": chapter_page(here, before, after, there.get(here.name), live=live)
        for before, here, after in around
    }
    cards = play_page(chapters)
    pages[PLAY] = _page(title=f"{t('Play')} – {t(COURSE)}", body=cards, other=PLAY if others else "", live=_asks(cards))
    if live:
        pages[ASK_BERT] = _ask_page(with_particles(ask_bert()), other=ASK_BERT if others else "")
    return pages


def _ask_page(body: str, other: str = "") -> str:
    return _page(title=f"{t('Ask BERT')} – {t(COURSE)}", body=body, other=other, live=True, style="ask.css")


def write_ask(out: Path, name: str, network: bytes) -> Path:
    """Write the page "Ask BERT" alone into `out`, without links to chapters; it opens with a kept `network`."""
    brought = {"name": name, "base64": base64.b64encode(network).decode()}
    here = "../" * (language() == "ko")
    body = f'{with_particles(ask_bert(name))}<script src="{here}own.js"></script>'
    page = re.sub(r'<a class="play".*?</a>\n', "", _ask_page(body))
    page = re.sub(r'<a( class="home") href="index\.html">(.*?)</a>', r"<span\1>\2</span>", page)
    path = f"{'ko/' * (language() == 'ko')}{ASK_BERT}"
    _write(out, _assets() | {"own.js": f"globalThis.courseOwn = {json.dumps(brought)};\n", path: page})
    write_live(out, data_dir("checkpoints"), ("ask",))
    return out / path


def _write(out: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        with atomic_file(out / name, "w") as file:
            file.write(text)
    with atomic_file(out / "math.woff") as file:
        file.write(MATH_FONT.read_bytes())


def _assets() -> dict[str, str]:
    style, page, keep = ((HERE / name).read_text(encoding="utf-8") for name in ("style.css", "page.js", "keep.js"))
    return {"style.css": style + code_colours(), "page.js": page + keep}


def read_chapters(folder: Path, answered: Collection[str] = ()) -> list[Chapter]:
    """The stored notebooks in their order. Raises CourseError for a file that is none, and if there is none.

    answered: titles of the widgets that a page answers.
    """
    paths = sorted(folder.glob("[!.]*.ipynb"))
    if not paths:
        raise CourseError(f"There is no notebook in {folder}. `make notebooks` builds them.")
    names = {path.stem for path in paths}
    chapters = []
    for path in paths:
        notebook = read_stored(path)
        try:
            chapters.append(chapter(path.stem, notebook, names, answered))
        except CourseError as error:
            raise CourseError(f"{path.name}: {error}") from error
    return chapters


def chapter(name: str, notebook: NotebookNode, pages: set[str], answered: Collection[str] = ()) -> Chapter:
    """The cells of a stored notebook as HTML."""
    prose, parts, shown, exercises = Prose(pages), [], [], []
    heights = iter(HEIGHTS.get(f"{language()}/{name}", ()))
    for cell, after in zip(notebook.cells, [*notebook.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            parts.append(f'<div class="prose">\n{prose.render(cell.source)}</div>')
        elif cell.cell_type == "code" and (cell.source.strip() or cell.outputs):
            description = describe(cell, after, prose.headings[-1].words if prose.headings else name)
            source = highlight(cell.source, PythonLexer(stripnl=True), HtmlFormatter(cssclass="code"))
            if BY_HAND not in cell.metadata.get("tags", ()):
                lines = cell.source.count("\n") + 1
                says = t("Code, {n} lines" if lines > 1 else "Code, {n} line", n=lines)
                source = f'<details class="fold"><summary>{says}</summary>{source}</details>'
            outputs = "\n".join(output_html(output, prose, description, answered) for output in cell.outputs)
            outputs = _HEIGHT.sub(lambda frame: _sized(frame, next(heights, None)), outputs)
            if "<iframe" in outputs:
                under = [heading for heading in prose.headings if heading.level in LISTED] or prose.headings
                shown += [Shown(outputs, heading) for heading in under[-1:]]
            output = f'<div class="output">\n{outputs}\n</div>' if outputs else ""
            of, exercise = checked(cell.source) or ("", "")
            if exercise in runnable():
                exercises.append(exercise)
                parts.append(_exercise(exercise, cell.source, source + output))
                continue
            elsewhere = f'<p class="run">{t(_ELSEWHERE, command=_LAB % of)}</p>' if exercise else ""
            parts.append(f'<div class="cell">\n{source}{output}{elsewhere}</div>')
    if not prose.headings or prose.headings[0].level != 1:
        raise CourseError(
            f"{name}.ipynb does not begin with a title (`# 4 · ELMo`). Add it in notebooks/text/{name}.md."
        )
    return Chapter(
        name, prose.headings[0].words, "\n".join(parts), tuple(prose.headings), tuple(shown), tuple(exercises)
    )


def _exercise(exercise: str, starter: str, stored: str) -> str:
    """The cell of an exercise that the page checks itself (exercises.js). stored: as it stands without scripts."""
    template = TEMPLATES.get_template("exercise.html.j2")
    size = f"{megabytes():.1f}"
    return template.render(id=exercise, starter=starter, stored=stored, size=size, stopped=stopped(exercise), t=t)


def _sized(frame: re.Match[str], heights: Sequence[int] | None) -> str:
    """The frame as high as what it will show, on a phone and on a desk: else the page jumps when it has loaded."""
    narrow, wide = heights or (frame[2], frame[2])
    return f'{frame[1]} style="--narrow:{narrow}px;--wide:{wide}px"'


def chapter_page(
    chapter: Chapter,
    previous: Chapter | None,
    following: Chapter | None,
    other: Chapter | None = None,
    *,
    live: bool = False,
) -> str:
    """The whole page of a chapter: with the sections on it, their parts, and the way to its neighbours.

    other: the chapter in the other language; the way there keeps the place, since both have the same headings.
    live: with the panel where its system reads the reader's sentence, filled by course/live/yours.js.
    """
    reads = live and chapter.name[:2] in READERS
    panel = f'<section id="yours" class="prose" aria-label="{t("Your sentence")}"></section>\n' if reads else ""
    both = zip(chapter.headings, other.headings if other else (), strict=False)
    first_section = '<div class="prose">\n<h2'
    return _page(
        title=f"{chapter.title} – {t(COURSE)}",
        other=f"{chapter.name}.html" if other else "",
        places=json.dumps([[here.address, there.address] for here, there in both], ensure_ascii=False),
        body=chapter.body.replace(first_section, opener(chapter) + panel + first_section, 1),
        sections=[heading for heading in chapter.headings if heading.level in LISTED],
        widgets={one.under.address for one in chapter.shown},
        page=chapter.name,
        number=chapter_number(chapter.name),
        finding=about(chapter.name, "finding"),
        asks=about(following.name, "asks") if following else "",
        recall=next((one.under.address for one in chapter.shown if "recall-plain" in one.html), ""),
        previous=previous,
        following=following,
        live=reads or _asks(chapter.body),
        exercises=chapter.exercises,
    )


def _page(**parts: object) -> str:
    """A page in the language spoken now. other: the file's name of the same page in the other language, or nothing."""
    template = TEMPLATES.get_template("page.html.j2")
    return template.render(course=t(COURSE), language=language(), root="../" * (language() == "ko"), t=t, **parts)


def _asks(body: str) -> bool:
    """Is there a widget that a model in the page answers?"""
    return f"alone {LIVE}" in body


def front_page(readme: str, chapters: Sequence[Chapter], *, live: bool = False, other: bool = False) -> str:
    """index.html, of the README in the language spoken now: where it shows a picture of the first widget stands that.

    live: with the way to Ask BERT; other: with the way to the other language.
    """
    pages = {chapter.name for chapter in chapters}
    first = next(iter(chapters[0].shown), None)
    prose, shown_first = Prose(pages, raw_html=True), first.html if first else ""
    opening, *sections = re.split(r"^## ", readme, flags=re.M)
    named = {section.partition("\n")[0].strip(): section for section in sections}
    before, _, after = re.split(r"^(\[?!\[.*)$", opening + _NO_PICTURE, maxsplit=1, flags=re.M)
    go_on = (
        f'<p class="go"><a href="{chapters[0].name}.html" data-go="{t("go on at {section}")} →">{t("go on")}</a> '
        f'<button type="button" class="forget">{t("forget what this browser keeps")}</button></p>'
    )
    parts = [f'<div class="front"><div class="prose opening">\n{prose.render(before)}{go_on}</div>']
    parts += [_way_to_bert() if live else "", f"</div>\n{shown_first}"]
    parts.append(f'<div class="prose">\n{prose.render(after.removesuffix(_NO_PICTURE))}</div>')
    if asks := _asks(shown_first):  # filled by course/live/yours.js
        parts.append(f'<section id="yours" class="prose"><h2>{t("Your sentence")}</h2></section>')
    sections = {
        chapter.name: json.dumps(
            [heading.address for heading in chapter.headings if heading.level == 2], ensure_ascii=False
        )
        for chapter in chapters
    }
    done = (
        f'<span class="done" data-read="{t("{n} of {all} sections read")}" '
        f'data-recall="{t("recall {right} of {all}")}" data-solved="{t("exercises {n} of {all}")}"></span>'
    )
    exercises = {chapter.name: json.dumps(chapter.exercises) for chapter in chapters}
    for name in map(t, SECTIONS):
        text = re.sub(r"<!--.*?-->", "", f"## {named[name]}", flags=re.S)
        text = text.replace("<details>", '<details lang="en">')  # the claims: a command writes them, in English
        if rows := _ROW.findall(text):
            text = f"## {name}"
        rendered = prose.render(text)
        parts.append(
            f'<div class="prose">\n{claims_table(rendered) if "<!-- claims" in named[name] else rendered}</div>'
        )
        items = (
            f'<li data-page="{page}" data-sections="{html.escape(sections[page])}" '
            f'data-exercises="{html.escape(exercises[page])}">'
            f'<span class="number" aria-hidden="true">{html.escape(number)}</span><div>'
            f'<a href="{page}.html">{html.escape(title)}</a> {done}'
            f"{prose.render(t('You can afterwards {do_this}.', do_this=says))}</div></li>"
            for number, title, page, says in rows
            if page in pages
        )
        parts += ['<ol class="map">', *items, "</ol>"] if rows else []
    return _page(title=t(COURSE), body="\n".join(parts), other="index.html" if other else "", live=asks)


def claims_table(section: str) -> str:
    """The ledger's table with the sign and the colour of each verdict, and each cell with its column's name."""
    page = BeautifulSoup(section, "html.parser")
    verdicts = {t("verdict|open" if word == "open" else word): word for word in SIGNS}
    for table in page.find_all("table"):
        table["class"] = "claims"
        labels = [cell.get_text(strip=True) for cell in table.find_all("th")]
        for row in table.select("tbody tr"):
            for label, cell in zip(labels, row.find_all("td"), strict=True):
                word = cell.get_text(strip=True)
                if label and word not in verdicts:
                    cell["data-label"] = label
                if word in verdicts:
                    cell["class"] = ["verdict", verdicts[word].replace(" ", "-")]
                    cell.string = f"{SIGNS[verdicts[word]]} {word}"
    return str(page)


def _way_to_bert() -> str:
    """A link that shows what the model of the page "Ask BERT" expects in the sentence with which that page opens."""
    sides, guesses = opening_guesses()
    before, after = map(html.escape, sides)
    rows = (
        f"<i><u>{html.escape(token)}</u> <s style='--p:{100 * p:.1f}%'></s> {said}</i>" for token, p, said in guesses
    )
    return (
        f'<a class="ask" href="{ASK_BERT}"><b>{t("Ask BERT")} →</b> '
        f"<span>{t('Type a sentence of your own and hide a word: the model answers in the page.')}</span> "
        f"<q>{before}<mark>[MASK]</mark>{after}</q> {' '.join(rows)}</a>"
    )


def code_colours() -> str:
    """CSS for highlighted code, with a light and a dark colour for each kind of token."""
    light, dark = (dict(get_style_by_name(name)) for name in (LIGHT, DARK))
    rules = []
    for token, short in STANDARD_TYPES.items():
        colours = [style[token]["color"] for style in (light, dark)]
        colours = [f"#{DARKER.get(colour, colour)}" if colour else "inherit" for colour in colours]
        if short and colours != ["inherit", "inherit"]:
            pair = ",".join("var(--ink)" if colour == "inherit" else colour for colour in colours)
            bold = ";font-weight:600" if light[token]["bold"] else ""
            slant = ";font-style:italic" if light[token]["italic"] else ""
            rules.append(f".code .{short}{{color:light-dark({pair}){bold}{slant}}}")
    return "\n/* code: pygments' styles " + f"{LIGHT} and {DARK} */\n" + "\n".join(rules) + "\n"
