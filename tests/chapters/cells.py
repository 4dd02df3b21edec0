"""The wrong answers of this folder as cells that a reader filled."""

import ast
import importlib
import inspect

from course.check.exercise import Exercise


def wrong_cells(exercise: Exercise) -> list[tuple[str, str]]:
    """(cell, mistake) of each row of WRONG: what it needs of its file, then the answer under the exercise's name."""
    module = importlib.import_module(exercise.solution.__module__.replace("course.", "tests.", 1))
    text = inspect.getsource(module)
    _, *parts, wrong = ast.parse(text).body
    cells = []
    for row in wrong.value.elts:
        answer, mistake = row.elts
        needed: list[ast.AST] = [answer]
        for node in needed:  # it grows
            needed += [part for part in parts if part not in needed and _bound(part) & _names(node)]
        lines = [ast.get_source_segment(text, part) for part in parts if part in needed]
        call = f"{exercise.solution.__name__} = {ast.get_source_segment(text, answer)}"
        cells.append(("\n\n\n".join([*lines, call]), mistake.value))
    return cells


def _names(node: ast.AST) -> set[str]:
    return {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}


def _bound(part: ast.stmt) -> set[str]:
    """The names that a function, an assignment or an import binds."""
    if isinstance(part, ast.FunctionDef):
        return {part.name}
    if isinstance(part, ast.Assign):
        return set().union(*map(_names, part.targets))
    return {alias.asname or alias.name.split(".")[0] for alias in part.names}
