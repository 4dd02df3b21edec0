"""TeX -> MathML: compared with MathML written by hand; every formula of the chapters has its letters in our font."""

import re
from itertools import chain

import nbformat
import pytest
from fontTools.ttLib import TTFont

from course.site.build import MATH_FONT
from course.site.formulas import mathml, plain_words
from course_lib.config import project_dir
from course_lib.errors import CourseError


def inner(tex: str, block: bool = False) -> str:
    """Without <math> and its one row."""
    found = re.fullmatch(r'<math display="(inline|block)"><mrow>(.*)</mrow></math>', mathml(tex, block))
    assert found.group(1) == ("block" if block else "inline")
    return found.group(2)


@pytest.mark.parametrize(
    ("tex", "by_hand"),
    [
        (r"\frac{a}{2}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mn>2</mn></mrow></mfrac>"),
        (r"d_k", "<msub><mi>d</mi><mi>k</mi></msub>"),
        (r"\mathrm{softmax} x", "<mrow><mi>softmax</mi></mrow><mi>x</mi>"),  # one word, not seven letters
        (r"\log p", '<mi>log</mi><mspace width="0.167em" /><mi>p</mi>'),
        (r"a\!b", '<mi>a</mi><mspace width="-0.167em" /><mi>b</mi>'),
        (r"[x; y]", '<mo stretchy="false">[</mo><mi>x</mi><mo>;</mo><mi>y</mi><mo stretchy="false">]</mo>'),
        (r"-x", '<mo form="prefix">−</mo><mi>x</mi>'),
        (r"x - y", "<mi>x</mi><mo>−</mo><mi>y</mi>"),
        (r"x = -y", '<mi>x</mi><mo>=</mo><mo form="prefix">−</mo><mi>y</mi>'),
        (r"\tilde{x}", '<mover accent="true"><mrow><mi>x</mi></mrow><mo stretchy="false">~</mo></mover>'),
    ],
)
def test_equals_what_a_hand_writes(tex, by_hand):
    assert inner(tex) == by_hand


def test_a_function_before_a_bracket_stands_close():
    assert "mspace" not in inner(r"\log(x)")
    assert inner(r"\exp\sigma").count("mspace") == 1


def test_limits_stand_below_in_a_line_of_their_own_only():
    assert "<munder><mi>max</mi>" in inner(r"\arg\max_{i} x_i", block=True)
    assert "<msub><mi>max</mi>" in inner(r"\arg\max_{i} x_i")
    assert "<mi>arg</mi>" in inner(r"\arg\max_{i} x_i")


def test_what_a_formula_holds_stays_text():
    assert '<mtext>&lt;img src="x" /&gt;</mtext>' in mathml(r'\text{<img src="x" />}').replace("\xa0", " ")
    assert inner("a < b") == "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"


@pytest.mark.parametrize("tex", [r"\frac{1", r"\nosuchcommand x", r"x}", r"\begin{nosuch} a"])
def test_tex_that_is_not_understood_is_named(tex):
    with pytest.raises(CourseError, match="formula") as raised:
        mathml(tex)
    assert tex in str(raised.value)


def test_plain_words():
    assert plain_words(r"**Why** divide by $\sqrt{d_k}$, says [`a`](b.md)?") == "Why divide by √d_k, says a?"


def stored_formulas() -> set[tuple[str, bool]]:
    cells = chain.from_iterable(
        nbformat.read(path, as_version=4).cells for path in sorted((project_dir() / "notebooks").glob("*.ipynb"))
    )
    texts = [re.sub(r"`[^`]*`", "", cell.source) for cell in cells if cell.cell_type == "markdown"]
    found = [pair for text in texts for pair in re.findall(r"\$\$(.+?)\$\$|\$([^$]+?)\$", text, re.S)]
    return {(block or inline, bool(block)) for block, inline in found}


def test_every_formula_of_the_chapters_is_drawn_with_the_shipped_font():
    formulas = stored_formulas()
    assert len(formulas) > 100
    letters = {letter for tex, block in formulas for letter in re.sub(r"<[^>]*>", "", mathml(tex, block))}
    drawn = TTFont(MATH_FONT).getBestCmap()
    slanted = {0x1D434 + i for i in range(52)} - {0x1D455} | {0x210E}  # how a browser draws a letter alone: h is apart
    assert {letter for letter in letters if not letter.isspace() and ord(letter) not in drawn} == set()
    assert slanted - set(drawn) == set()
