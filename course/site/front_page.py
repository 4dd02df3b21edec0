"""The first page: README.md's opening, the map of the course, what the claims say, and how to run it."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from course.site.page import COURSE, Chapter, page
from course.site.prose import Prose
from course_lib.errors import CourseError

_MAP, _AFTER = "The chapters", ("Claims, not slogans", "Two commands")  # headings of README.md
_ROW = re.compile(r"^\| *(\w+) *\| *\[([^\]]+)\]\(notebooks/(\w+)\.ipynb\)([^|]*)\| *(.*?) *\|$", re.M)


@dataclass(frozen=True)
class MapRow:
    number: str
    title: str
    note: str  # such as a draft's mark; may be empty
    afterwards: str  # what the reader can then do


def course_map(readme: str) -> dict[str, MapRow]:
    """README.md's table of chapters, by the notebook's name: the one place that says what a chapter is for."""
    rows = {name: MapRow(n, title, note.strip(), text) for n, title, name, note, text in _ROW.findall(readme)}
    if not rows:
        raise CourseError(
            f"README.md has no table of chapters under `## {_MAP}`. Restore it: the site's map is made of it."
        )
    return rows


def front_page(readme: str, chapters: Sequence[Chapter]) -> str:
    """index.html. Raises CourseError where README.md lacks a part of it."""
    prose = Prose({chapter.name for chapter in chapters}, raw_html=True)
    opening, *sections = re.split(r"^## ", readme, flags=re.M)
    named = {section.partition("\n")[0].strip(): section for section in sections}
    if missing := [name for name in (_MAP, *_AFTER) if name not in named]:
        raise CourseError(f"README.md has no section `## {missing[0]}`. Restore it: the first page shows it.")
    parts = [f'<div class="prose opening">\n{prose.render(opening)}</div>', _map(prose, course_map(readme), chapters)]
    for name in _AFTER:
        text = re.sub(r"<!--.*?-->", "", f"## {named[name]}", flags=re.S)
        parts.append(f'<div class="prose">\n{prose.render(text)}</div>')
    return page(COURSE, "\n".join(parts))


def _map(prose: Prose, rows: dict[str, MapRow], chapters: Sequence[Chapter]) -> str:
    items = []
    for chapter in chapters:
        number, _, title = chapter.title.partition(" · ")
        row = rows.get(chapter.name) or MapRow(number, title or number, "(being written)", "")
        note = f' <span class="note">{html.escape(row.note)}</span>' if row.note else ""
        says = prose.render(f"You can afterwards {row.afterwards}.") if row.afterwards else ""
        items.append(
            f'<li><span class="number" aria-hidden="true">{html.escape(row.number)}</span><div>'
            f'<a href="{chapter.name}.html">{html.escape(row.title)}</a>{note}{says}</div></li>'
        )
    title = prose.add(2, _MAP)
    return (
        f'<div class="prose"><h2 id="{title.address}">{_MAP}</h2></div>\n<ol class="map">\n{chr(10).join(items)}\n</ol>'
    )
