"""`make site`: notebooks/*.ipynb, as they are stored, -> build/site. Nothing is run, nothing is fetched.

The pages are plain files: they can be opened from the disk or put on any web server.
"""

from __future__ import annotations

from pathlib import Path

from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES

from course.site.check import site_problems
from course.site.front_page import front_page
from course.site.lecture import read_stored
from course.site.page import Chapter, chapter, chapter_page
from course_lib.errors import CourseError
from course_lib.files import atomic_file

HERE = Path(__file__).parent
MATH_FONT = HERE / "fonts" / "STIXTwoMath-subset.woff"  # @fontsource/stix-two-math 5.3.0, letters and signs of formulas
LIGHT, DARK = "default", "github-dark"  # pygments' names; both have contrast enough for small letters


def build_site(project: Path, out: Path) -> str:
    """Write the site of the course in `project` into `out`, check it, and say in one line what came out.

    Raises CourseError where a notebook cannot be read, and where the checker finds something; the pages stay then.
    """
    chapters = read_chapters(project / "notebooks")
    readme = (project / "README.md").read_text(encoding="utf-8")
    files = {"index.html": front_page(readme, chapters)}
    for i, here in enumerate(chapters):
        before, after = chapters[i - 1] if i else None, chapters[i + 1] if i + 1 < len(chapters) else None
        files[f"{here.name}.html"] = chapter_page(here, before, after)
    files["style.css"] = (HERE / "style.css").read_text(encoding="utf-8") + code_colours()
    files["page.js"] = (HERE / "page.js").read_text(encoding="utf-8")
    for old in set(out.glob("[0-9A-Z]*_*.html")) - {out / name for name in files}:
        old.unlink()  # the page of a chapter that has another name now
    for name, text in files.items():
        with atomic_file(out / name, "w") as file:
            file.write(text)
    with atomic_file(out / "math.woff") as file:
        file.write(MATH_FONT.read_bytes())
    if problems := site_problems(out):
        listed = "\n".join(problems[:20] + ([f"and {len(problems) - 20} more"] if len(problems) > 20 else []))
        raise CourseError(f"The site in {out} has {len(problems)} faults; mend them in notebooks/text/:\n{listed}")
    megabytes = sum(len(text.encode()) for text in files.values()) / 1e6
    return f"site: {len(chapters) + 1} pages, {megabytes:.1f} MB, checked. Open {out / 'index.html'}"


def read_chapters(folder: Path) -> list[Chapter]:
    """The stored notebooks in their order. Raises CourseError for a file that is none, and if there is none."""
    paths = sorted(folder.glob("*.ipynb"))
    if not paths:
        raise CourseError(f"There is no notebook in {folder}. `make notebooks` builds them.")
    names = {path.stem for path in paths}
    chapters = []
    for path in paths:
        notebook = read_stored(path)
        try:
            chapters.append(chapter(path.stem, notebook, names))
        except CourseError as error:
            raise CourseError(f"{path.name}: {error}") from error
    return chapters


def code_colours() -> str:
    """CSS for highlighted code, with a light and a dark colour for each kind of token."""
    light, dark = (dict(get_style_by_name(name)) for name in (LIGHT, DARK))
    rules = []
    for token, short in STANDARD_TYPES.items():
        colours = [f"#{style[token]['color']}" if style[token]["color"] else "inherit" for style in (light, dark)]
        if short and colours != ["inherit", "inherit"]:
            pair = ",".join("var(--ink)" if colour == "inherit" else colour for colour in colours)
            bold = ";font-weight:600" if light[token]["bold"] else ""
            slant = ";font-style:italic" if light[token]["italic"] else ""
            rules.append(f".code .{short}{{color:light-dark({pair}){bold}{slant}}}")
    return "\n/* code: pygments' styles " + f"{LIGHT} and {DARK} */\n" + "\n".join(rules) + "\n"
