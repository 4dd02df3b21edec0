"""What an answer is written with, read from its code: loops, names, data from outside. Nothing of it is run."""

from __future__ import annotations

import ast
import dis
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from course.check import shown

_EMPTY_BODY = {"RESUME", "NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}  # byte code of a body that is only `...`


def undecorated(answer: Any) -> Any:
    """The function as it was written, under decorators such as `@torch.no_grad()`."""
    try:
        return inspect.unwrap(answer)
    except ValueError:  # it wraps itself
        return answer


def does_nothing(answer: Any) -> bool:
    function = isinstance(answer, FunctionType)
    return function and {step.opname for step in dis.get_instructions(answer.__code__)} <= _EMPTY_BODY


def data_from_outside(answer: Any) -> list[str]:
    """Names of plain data that the answer reads without having been given it: another cell may have left it there.
    Names in capitals are constants, and meant so."""
    found = {}
    for function in _functions(answer):
        for code in _codes(function):
            read = (step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
            data = (name for name in read if _is_data(function.__globals__.get(name)))
            found |= dict.fromkeys(name for name in data if not name.isupper())
    return list(found)


def ways(answer: Any) -> set[str]:
    """The names that the answer uses, and "loop" if it has one: a loop over what is written out, as in
    `for matrix in (query, key, value)`, is none."""
    found = set()
    for function in _functions(answer):
        try:
            tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
        except (OSError, SyntaxError):  # typed in where nothing keeps it; a lambda in the middle of a line
            continue
        own = inspect.signature(function).parameters  # a name that was given to it is no way of doing it
        for node in ast.walk(tree):
            loops = isinstance(node, ast.For | ast.comprehension) and not isinstance(node.iter, ast.Tuple | ast.List)
            if loops or isinstance(node, ast.While):
                found.add("loop")
            elif isinstance(node, ast.Attribute):
                found.add(node.attr)
            elif isinstance(node, ast.Name) and node.id not in own:
                found.add(node.id)
    return found


def _functions(answer: Any) -> list[FunctionType]:
    """The answer, and the functions beside it that it names, and that these name."""
    answer = undecorated(answer)
    found = [answer] if isinstance(answer, FunctionType) else []
    for function in found:  # it grows
        named = (function.__globals__.get(name) for code in _codes(function) for name in code.co_names)
        beside = (f for f in named if isinstance(f, FunctionType) and f.__module__ == answer.__module__)
        found += [f for f in dict.fromkeys(beside) if f not in found]
    return found


def _codes(function: FunctionType) -> Iterator[CodeType]:
    """Its own code, and that of what is defined inside it: functions, lambdas, comprehensions."""
    found = [function.__code__]
    for code in found:  # it grows
        yield code
        found += [inner for inner in code.co_consts if isinstance(inner, CodeType)]


def _is_data(value: Any) -> bool:
    return issubclass(type(value), int | float | str | list | dict | tuple | set) or shown.library(type(value)) != ""
