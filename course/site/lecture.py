"""A live-coding copy of a chapter: cells tagged `live` are emptied, and the solutions stand beside it.

One rule says what is written together. It goes by the kind of the statement, so that no list is kept by hand:

    an assignment that reads a name of the notebook   keeps its name and its comment: `scores = ...  # [query, key]`
    a function                                        keeps its signature, its docstring and its comments
    imports, data, loops, checks, prints              stay; what a loop assigns is emptied by the same rule
"""

from __future__ import annotations

import ast
import builtins
import io
import os
import re
import tokenize
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from course_lib.errors import CourseError
from course_lib.files import atomic_file
from course_lib.language import speaking, t

LIVE = "live"
TAGGING = "Tag the chapter's key cells in notebooks/text (a line `tags: [live]` in the cell's head)."
_RELATIVE = re.compile(r"\]\((?![a-z]+:|#)")  # a link to a file, as it begins
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def write_lecture(notebook: Path, folder: Path) -> tuple[Path, Path]:
    """The live-coding copy of a stored notebook and its solutions, written into `folder`: both paths."""
    chapter = notebook.stem.partition("_")[0]
    solved = read_stored(notebook)
    with suppress(ValueError):  # Windows: no way leads to another drive
        here = Path(os.path.relpath(notebook.parent, folder)).as_posix()
        for cell in (cell for cell in solved.cells if cell.cell_type == "markdown"):
            cell.source = _RELATIVE.sub(f"]({here}/", cell.source)
    paths = folder / f"lecture_{chapter}.ipynb", folder / f"lecture_{chapter}_solutions.ipynb"
    try:
        with speaking(edition(notebook)):
            live = lecture_copy(solved, paths[1].name)
    except CourseError as error:
        raise CourseError(f"{notebook.name}: {error} {TAGGING}") from error
    except SyntaxError as error:
        raise CourseError(f"{notebook.name}: a code cell is no Python ({error}). Mend it in notebooks/text.") from error
    texts = [nbformat.writes(version) + "\n" for version in (live, solved)]
    for path, text in zip(paths, texts, strict=True):
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise CourseError(
                f"{path} is there already and differs: somebody typed in it, or the chapter is a newer one. "
                "Nothing was written. Move it away, or name another folder with --out."
            )
    for path, text in zip(paths, texts, strict=True):
        with atomic_file(path, "w") as file:
            file.write(text)
    return paths


def edition(notebook: Path) -> str:
    """The language of a stored notebook."""
    return "ko" if notebook.parent.name == "ko" else "en"


def read_stored(path: Path) -> NotebookNode:
    """A stored notebook."""
    try:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)  # reading alone lets pass what is no notebook
        nbformat.writes(notebook).encode()  # half a letter has no place in a page
        return notebook
    except Exception as error:  # nbformat raises whatever the content leads to
        raise CourseError(f"{path} is not a notebook ({error!s:.80}). `make notebooks` builds it again.") from error


def lecture_copy(solved: NotebookNode, solutions: str) -> NotebookNode:
    """The notebook with its live cells emptied, and without outputs from the first of them on.

    solutions: the name of the file that each emptied cell points to. Raises CourseError if no cell is live.
    """
    copy = nbformat.from_dict(solved)
    begun, imported = False, imported_names(solved.cells)
    for cell in copy.cells:
        if cell.cell_type != "code":
            continue
        if LIVE in cell.metadata.get("tags", []):
            begun = True
            where = t("cell [{n}]", n=cell.execution_count) if cell.execution_count else t("the same place")
            word = t("# Write it together. The solution is in {file}, {where}.", file=solutions, where=where)
            cell.source = emptied(cell.source, word, imported)
        if begun:
            cell.outputs, cell.execution_count = [], None
    if not begun:
        raise CourseError(f"no cell has the tag `{LIVE}`, so there is nothing to write together.")
    return copy


def imported_names(cells: list[NotebookNode]) -> set[str]:
    """What the notebook's import lines bind: `torch`, `np`, `SkipGram` ..."""
    imports = (
        node
        for cell in cells
        if cell.cell_type == "code"
        for node in ast.walk(ast.parse(cell.source))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )
    return {(alias.asname or alias.name).partition(".")[0] for node in imports for alias in node.names}


def emptied(source: str, word: str, imported: set[str]) -> str:
    """The source of a cell without what is written together; `word`, a comment, stands before the first gap."""
    known = {*dir(builtins), *imported}
    lines = [line.encode() for line in source.splitlines()]  # ast counts columns in bytes
    comments, gaps = _comments(source), list(_gaps(ast.parse(source).body, known))
    for statement in reversed(gaps):  # from below, so that line numbers stay true
        if isinstance(statement, FUNCTIONS):
            _empty_body(statement, lines, comments)
        else:
            _empty_value(statement.value, lines, comments)
    if gaps:
        first = gaps[0]
        line = min([first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", []))])
        lines.insert(line - 1, b" " * first.col_offset + word.encode())
    return b"\n".join(lines).decode()


def _gaps(body: list[ast.stmt], known: set[str]) -> Iterator[ast.stmt]:
    """The functions, and the assignments that read something not `known`, in the order of the source."""
    for statement in body:
        if isinstance(statement, FUNCTIONS):
            yield statement
        elif isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            if statement.value is not None and (isinstance(statement, ast.AugAssign) or names - known):
                yield statement
        else:
            for inner in ("body", "orelse", "finalbody"):
                yield from _gaps(getattr(statement, inner, []), known)


def _empty_value(value: ast.expr, lines: list[bytes], comments: dict[int, str]) -> None:
    """`scores = query @ key.T    # [query, key]` becomes `scores = ...  # [query, key]`."""
    first, last = value.lineno - 1, value.end_lineno - 1
    said = [comments[line + 1] for line in range(first, last) if line + 1 in comments]
    rest = lines[last][value.end_col_offset :].lstrip(b") ")  # the value's own brackets are not part of it
    begin = lines[first][: value.col_offset].rstrip(b"( ")
    tail = ("  " + "  ".join(said)).encode() if said else b""
    gap = b" ..." + (rest if rest.startswith(b";") else b"  " + rest if rest else b"") + tail
    lines[first : last + 1] = [begin + gap]


def _empty_body(function: ast.FunctionDef, lines: list[bytes], comments: dict[int, str]) -> None:
    """Signature, docstring and comments stay, then `...`."""
    inside = function.body[0]
    if ast.get_docstring(function) is not None:
        begin = inside.end_lineno
    else:
        begin = inside.lineno - 1
        while begin > function.lineno and begin in comments and not lines[begin - 1].partition(b"#")[0].strip():
            begin -= 1
    indent = b" " * (function.col_offset + 4)
    kept = [indent + comments[n].encode() for n in range(begin + 1, function.end_lineno + 1) if n in comments]
    lines[begin : function.end_lineno] = [*kept, indent + b"..."]


def _comments(source: str) -> dict[int, str]:
    """Line number -> the comment that stands in it."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT}
