"""The wrong answers of this folder as cells that a reader filled.

`wrongN.py` has chapter N's, written apart from the models of `ex_N_M_*.py`, a line for each: the mistake that must be
named :: what the reader wrote otherwise than the solution: old => new :: old => new. Or, after =, a function of that
file. An indented line goes on with the line above; what is written \\n is a line's end.
"""

import ast
import inspect
from collections.abc import Sequence
from pathlib import Path

from course.check.exercise import Exercise


def wrong_cells(exercise: Exercise) -> list[tuple[str, str]]:
    """(cell, mistake) of each row: the answer under the exercise's name, below what it needs of its file."""
    text = Path(__file__).with_name(f"wrong{exercise.id.split('.')[0]}.py").read_text(encoding="utf-8")
    _, *parts, wrong = ast.parse(text).body
    cells = []
    for row in ast.literal_eval(wrong.value)[exercise.id].strip().replace("\n    ", " ").splitlines():
        mistake, *answer = row.replace("\\n", "\n").split(" :: ")
        if " =>" in answer[0]:
            cell = edited(exercise, answer)
        else:
            needed: list[ast.AST] = [ast.parse(answer[0].removeprefix("= "))]
            for node in needed:  # it grows
                needed += [part for part in parts if part not in needed and _bound(part) & _names(node)]
            lines = [ast.get_source_segment(text, part) for part in parts if part in needed]
            cell = "\n\n\n".join([*lines, f"{exercise.solution.__name__} {answer[0]}"])
        cells.append((cell, mistake))
    return cells


def edited(exercise: Exercise, edits: Sequence[str]) -> str:
    """The cell of the solution with these edits."""
    source = inspect.getsource(exercise.solution)
    for edit in edits:
        old, _, new = edit.partition(" =>")
        assert old in source, f"{exercise.id}: {old!r} is not in the solution"
        source = source.replace(old, new[1:])
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
