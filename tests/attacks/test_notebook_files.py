"""Spoilt notebooks, handed to what draws the site, the slides and the copy for a lecture."""

import json
import random
import shutil

import nbformat
import pytest
from nbformat import v4

from course.site.build import read_chapters
from course.site.lecture import write_lecture
from course.site.slides import write_slides
from tests.attacks.spoilers import spoil_bytes, spoil_json
from tests.site.small import FRAME, PIXEL, display
from tests.site.test_slides import code, text

pytestmark = pytest.mark.slow

CELLS = [
    text("# 0 · Begin\n\nA root $\\sqrt{d_k}$, *more* and [a link](00_begin.ipynb).", "slide"),
    code("import numpy as np\nx = np.eye(3)"),
    code("y = x @ x.T  # [row, row]\ny.sum()", display(text_plain="3.0"), tags=("live",)),
    text("**Notice.** It is three.\n\n$$x = \\frac{1}{2}$$\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
    code("draw(title='One')", display(image_png=PIXEL, text_plain="<Figure>")),
    code("w", display(text_html=FRAME.format("x"), text_plain="a widget")),
    code("p", v4.new_output("stream", text="\x1b[31mred\x1b[0m <b>\n")),
    code("e", v4.new_output("error", ename="E", evalue="x", traceback=["a", "b"])),
    code("m", display(text_markdown="**fat**"), display(**{"image_svg+xml": "<svg></svg>"})),
]
EACH = 60
DRAWN = {  # how much is made of a notebook
    "site": lambda path, out: len(read_chapters(path.parent)[0].body),
    "slides": lambda path, out: write_slides(path, out).stat().st_size,
    "lecture": lambda path, out: write_lecture(path, out)[0].stat().st_size,
}


@pytest.mark.parametrize("name", DRAWN)
def test_spoilt_notebooks(law, tmp_path, name):
    folder, out, chance = tmp_path / "notebooks", tmp_path / "out", random.Random(f"notebooks {name}")
    folder.mkdir()
    whole, draw = nbformat.writes(v4.new_notebook(cells=CELLS)), DRAWN[name]
    path, document = folder / "00_begin.ipynb", json.loads(whole)
    path.write_text(whole, encoding="utf-8")
    assert draw(path, out) > 100

    def spoil(number):
        if number % 3:
            return spoil_json(chance, document, ("cells",) if number % 6 else ())
        return spoil_bytes(chance, whole.encode())

    def drawn():
        shutil.rmtree(out, ignore_errors=True)
        try:
            return draw(path, out)
        finally:
            assert not list(out.rglob("*.part"))

    law.attack(EACH, path, spoil, drawn, lambda length: length > 0)
