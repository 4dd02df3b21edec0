"""TeX -> MathML, when the site is built: browsers draw MathML without a script.

latex2mathml converts; what it writes for MathML 3 and browsers read otherwise (MathML Core) is put right here.
"""

from __future__ import annotations

import re
from functools import cache
from xml.etree import ElementTree

from course_lib.errors import CourseError

_XMLNS = "{http://www.w3.org/1998/Math/MathML}"
_LESS = "\ue000"  # stands for < while latex2mathml works, which copies \\text{...} into the page as it is
_WIDTHS = {"negativethinmathspace": "-0.167em"}  # MathML Core knows lengths only
_FUNCTIONS = {"arg", "cos", "exp", "ln", "log", "max", "min", "sin", "tanh"}
_SPACES = {"|": "0", "∣": "0.278em", "/": "0"}  # around a size; "given"; a fraction in one line
_OTHER_KIND = {"<": "mo", ";": "mo", "…": "mi", "⋯": "mi"}
_THIN = "0.167em"


@cache
def mathml(tex: str, block: bool = False) -> str:
    """A <math> element for `tex` (without its dollars)."""
    from latex2mathml.converter import convert

    if tex.count("{") - tex.count(r"\{") != tex.count("}") - tex.count(r"\}"):
        raise CourseError(f"The braces of the formula ${tex}$ do not match. Correct it in the chapter's text.")
    try:
        root = ElementTree.fromstring(convert(tex.replace("<", _LESS), display="block" if block else "inline"))
    except Exception as error:  # the package has a class for each fault, and lets IndexError through
        raise CourseError(f"The formula ${tex}$ is not understood: {error!r}. Write it with plainer TeX.") from error
    for element in root.iter():
        element.tag = element.tag.removeprefix(_XMLNS)
        element.text = element.text and element.text.replace(_LESS, "<")
    for element in list(root.iter()):
        _mend(element)
        if block and element.tag == "msub" and _function(element) in ("max", "min"):
            element.tag = "munder"
    if left := [e.text for e in root.iter() if "\\" in (e.text or "")]:
        raise CourseError(f"The formula ${tex}$ holds {left[0]}, which has no MathML here. Write it with plainer TeX.")
    return ElementTree.tostring(root, encoding="unicode")


def _mend(row: ElementTree.Element) -> None:
    """One row: words whole, function names apart from what they read, bars without the spaces of an operator."""
    _join_letters(row)
    if row.tag == "mover" and row[1].tag == "mo":
        row.set("accent", "true")  # x̃: browsers cease to infer it from the sign
    children, before = list(row), None
    for child, after in zip(children, [*children, None][1:], strict=True):
        if child.get("width") in _WIDTHS:
            child.set("width", _WIDTHS[child.get("width")])
        child.tag = _OTHER_KIND.get(child.text, child.tag)
        if child.tag == "mo":
            if child.text in _SPACES:
                child.attrib.update(lspace=_SPACES[child.text], rspace=_SPACES[child.text], stretchy="false")
            if child.text == "−" and (before is None or _opens(before)):
                child.set("form", "prefix")  # a sign, not a difference
            if child.text in "<>" and before is None:
                child.attrib.update(lspace="0", rspace="0")
        before = child if child.tag != "mspace" else before
        if row.tag in ("math", "mrow") and _function(child) and after is not None and not _closed_off(after):
            row.insert(list(row).index(child) + 1, ElementTree.Element("mspace", width=_THIN))
        if (name := _function(child)) and child.tag in ("mi", "mo"):
            child.tag, child.text, child.attrib = "mi", name, {}


def _function(element: ElementTree.Element) -> str | None:
    """log, or log with an index: its name."""
    if element.tag in ("msub", "msup", "munder") and len(element):
        return _function(element[0])
    name = (element.text or "").removeprefix("\\")
    return name if element.tag in ("mi", "mo") and name in _FUNCTIONS else None


def _opens(element: ElementTree.Element) -> bool:
    """Does something begin after it: after an opening bracket, an equals sign, a comma?"""
    return element.tag == "mo" and element.text not in (")", "]", "}", "|", "!", "′")


def _closed_off(element: ElementTree.Element) -> bool:
    """Does it keep its own distance: a bracket, an operator, a space?"""
    first = element[0] if element.tag == "mrow" and len(element) else element
    return first.tag in ("mo", "mspace") and not _function(first)


def _join_letters(parent: ElementTree.Element) -> None:
    r"""\mathrm{softmax} comes as seven letters: one word is drawn, and read aloud, as one."""
    run: list[ElementTree.Element] = []
    for child in [*list(parent), None]:
        style = child.get("mathvariant") if child is not None else None
        if style in ("normal", "bold") and child.tag == "mi" and (not run or run[0].get("mathvariant") == style):
            run.append(child)
            continue
        if run:
            word = run[0]
            word.text = "".join(letter.text or "" for letter in run)
            for letter in run[1:]:
                parent.remove(letter)
            if word.get("mathvariant") == "bold":
                word.set("style", "font-weight:bold")
            if len(word.text) > 1 or word.get("mathvariant") == "bold":
                word.attrib.pop("mathvariant")
        run = [child] if style in ("normal", "bold") and child is not None and child.tag == "mi" else []


def plain_words(markdown: str) -> str:
    """Markdown as words for a list, a title or a picture's description."""
    text = re.sub(r"\\(?:mathrm|text|mathbf)\{([^}]*)\}", r"\1", markdown)
    text = re.sub(r"\\sqrt\{([^}]*)\}", r"√\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`$\\{}]", "", text).split())
