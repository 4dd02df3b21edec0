"""Cells of a page of the site: run as a notebook runs them, with `check`, `hint` and `solution` as there.

Runs in the page's own Python (course/site/python.js), which has neither torch nor NumPy nor a disk.
"""

from __future__ import annotations

import ast
import contextlib
import html
import io
import json
import linecache
import math
import traceback
from typing import Any

from course.catalogue import catalogue
from course.check import check, failing, hint, solution, store
from course.check.messages import Message, Result
from course_lib.errors import CourseError
from course_lib.language import language, t

store.update = lambda name, is_item, change: ""  # the page keeps what was typed (course/site/keep.js)
_NAMES = {"__name__": "__main__", "math": math}
_NAMES |= {function.__name__: function for function in (check, failing, hint, solution)}
_FILE = "<your cell>"
if language() == "ko":
    catalogue()  # read before a cell's time counts


def run(source: str) -> str:
    """JSON: `html`, what the cell shows; `exercise` and `state` of its last line if that is a `check` (see Result)."""
    linecache.cache[_FILE] = (len(source), None, source.splitlines(keepends=True), _FILE)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        shown = _shown(source)
    said = shown._repr_html_() if isinstance(shown, Message) else _pre("" if shown is None else repr(shown))
    exercise, state = (shown.exercise, shown.state) if isinstance(shown, Result) else ("", "")
    return json.dumps({"html": _pre(printed.getvalue()) + said, "exercise": exercise, "state": state})


def _shown(source: str) -> Any:
    """What the last line is, if it is an expression; an error as a message."""
    try:
        tree = ast.parse(source, _FILE)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, _FILE, "exec"), _NAMES)
        return eval(compile(ast.Expression(last.value), _FILE, "eval"), _NAMES) if last else None
    except CourseError as error:
        return Message(str(error), tone="wrong")
    except BaseException as error:  # sys.exit, too
        says = ["".join(traceback.format_exception_only(error)).strip()]
        lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == _FILE]
        says += [t("Line {number} of your cell: {line}", number=frame.lineno, line=frame.line) for frame in lines[-1:]]
        return Message(t("Your cell stopped with an error."), tuple(says), tone="wrong")


def _pre(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>" if text else ""
