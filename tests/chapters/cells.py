"""The wrong answers of this folder as cells that a reader filled.

`wrongN.py` has chapter N's, written apart from the models of `ex_N_M_*.py`, rows for each exercise: the mistake that
must be named; then a function, or what the reader wrote otherwise than the solution: old text, new text, and so on.
"""

import ast
import inspect
from pathlib import Path

from course.check.exercise import Exercise


def wrong_cells(exercise: Exercise) -> list[tuple[str, str]]:
    """(cell, mistake) of each row: the answer under the exercise's name, below what it needs of its file."""
    text = Path(__file__).with_name(f"wrong{exercise.id.split('.')[0]}.py").read_text(encoding="utf-8")
    _, *parts, wrong = ast.parse(text).body
    (rows,) = (rows for key, rows in zip(wrong.value.keys, wrong.value.values, strict=True) if key.value == exercise.id)
    cells = []
    for mistake, *answer in (row.elts for row in rows.elts):
        if isinstance(answer[0], ast.Constant):
            cell = _edited(exercise, [part.value for part in answer])
        else:
            needed: list[ast.AST] = answer
            for node in needed:  # it grows
                needed += [part for part in parts if part not in needed and _bound(part) & _names(node)]
            lines = [ast.get_source_segment(text, part) for part in parts if part in needed]
            call = f"{exercise.solution.__name__} = {ast.get_source_segment(text, answer[0])}"
            cell = "\n\n\n".join([*lines, call])
        cells.append((cell, mistake.value))
    return cells


def _edited(exercise: Exercise, texts: list[str]) -> str:
    source = inspect.getsource(exercise.solution)
    for old, new in zip(texts[::2], texts[1::2], strict=True):
        assert old in source, f"{exercise.id}: {old!r} is not in the solution"
        source = source.replace(old, new)
    module = ast.parse(inspect.getsource(inspect.getmodule(exercise.solution)))
    imports = [ast.unparse(part) for part in module.body if isinstance(part, ast.Import | ast.ImportFrom)]
    return "\n".join([*(line for line in imports if "course." not in line), "", "", source])


def _names(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _bound(part: ast.stmt) -> set[str]:
    """The names that a function, an assignment or an import binds."""
    if isinstance(part, ast.FunctionDef):
        return {part.name}
    if isinstance(part, ast.Assign):
        return set().union(*map(_names, part.targets))
    return {alias.asname or alias.name.split(".")[0] for alias in part.names}
