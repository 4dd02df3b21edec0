"""String literals and comments of a code cell: which ones a reader sees, and the cell with other words in them.

Nothing but these changes: `same_code` proves it on the syntax tree.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

_WORD = re.compile(r"[A-Za-z가-힣]{2,}")
_SENTENCE = re.compile(r"[a-z]{2,}[,;:.?!)]?\s+\(?[A-Za-z]{2,}")
_SHOWN_AS = {"title", "suptitle", "xlabel", "ylabel", "label", "note"}
_NEVER_SHOWN = {"textcoords", "xycoords", "loc", "anywidget", "bbox_inches", "mode"}
_SHOWN_BY = {"print", "annotate", "text", "legend", "suptitle"}
_SHOWN_BY |= {"set_title", "set_xlabel", "set_ylabel", "set_yticklabels"}

_NAMES = {"keep", "kept", "score"}  # calls whose first word is a name in the answers folder, not a reader's


@dataclass(frozen=True)
class Literal:
    """key: as a strings block writes it, one line. start, end: byte offsets in the source."""

    key: str
    start: int
    end: int
    kind: str  # "text", "f" (an f-string), "comment"
    shown: bool  # a reader meets it: a decision is due


@cache
def literals(source: str) -> tuple[Literal, ...]:
    """All of them in the order of the source."""
    starts = [0]
    for line in source.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)

    def at(node: ast.AST) -> tuple[int, int]:
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    tree = ast.parse(source)
    docs = {id(doc) for node in ast.walk(tree) if (doc := _docstring(node)) is not None}
    found = []
    for node, shown in _strings(tree):
        if isinstance(node, ast.JoinedStr):
            key = template(node)
            found.append(Literal(key, *at(node), "f", _due(key, shown)))
        else:
            key = _one_line(node.value)
            found.append(Literal(key, *at(node), "text", _due(key, shown or id(node) in docs)))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            before = source.split("\n")[token.start[0] - 1][: token.start[1]].encode()
            start = starts[token.start[0] - 1] + len(before)
            key = token.string.strip()
            found.append(Literal(key, start, start + len(token.string.encode()), "comment", _due(key, True)))
    return tuple(sorted((item for item in found if item.key), key=lambda item: item.start))


def put(source: str, pairs: Mapping[str, str]) -> str:
    """The cell with each literal that has a pair in the other language's words; "=" leaves it as it is."""
    data = source.encode()
    for item in reversed(literals(source)):
        words = pairs.get(item.key, "=")
        if words != "=":
            data = (
                data[: item.start]
                + _written(item, words, data[item.start : item.end].decode()).encode()
                + data[item.end :]
            )
    return data.decode()


def same_code(one: str, other: str) -> bool:
    """Do two cells differ in the words of literals and comments only?"""
    try:
        return _bare(one) == _bare(other)
    except SyntaxError:
        return False


def fields(key: str) -> Counter[str]:
    """The {expressions} of an f-string's key, strings inside them blanked."""
    joined = ast.parse("f" + repr(key), mode="eval").body
    return Counter(_bare_expression(value) for value in joined.values if isinstance(value, ast.FormattedValue))


def template(node: ast.JoinedStr) -> str:
    """The inside of an f-string in one spelling: as ast.unparse writes its expressions."""
    parts = []
    for value in node.values:
        if isinstance(value, ast.Constant):
            parts.append(_escaped(value.value).replace("{", "{{").replace("}", "}}"))
        else:
            conversion = "" if value.conversion < 0 else "!" + chr(value.conversion)
            form = "" if value.format_spec is None else ":" + template(value.format_spec)
            parts.append("{" + ast.unparse(value.value) + conversion + form + "}")
    return "".join(parts).strip()


def _strings(node: ast.AST, shown: bool = False) -> Iterator[tuple[ast.Constant | ast.JoinedStr, bool]]:
    """Outermost string literals; shown: it stands in the place of a title, a label, or in a print."""
    if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        yield node, shown
        return
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            here = shown and not isinstance(node, ast.Subscript)
            if isinstance(node, ast.Call):
                name = getattr(node.func, "attr", None) or getattr(node.func, "id", "")
                if isinstance(child, ast.keyword):
                    if child.arg in _NEVER_SHOWN:
                        continue
                    here = child.arg in _SHOWN_AS
                else:
                    if name in _NAMES and child is node.args[0]:
                        continue
                    here = field == "args" and (name in _SHOWN_BY or (shown and name in ("join", "format")))
            yield from _strings(child, here)


def _docstring(node: ast.AST) -> ast.Constant | None:
    body = getattr(node, "body", None)
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module) and body and isinstance(body[0], ast.Expr):
        value = body[0].value
        return value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None
    return None


def _due(key: str, shown: bool) -> bool:
    bare = re.sub(r"\{[^{}]*\}", " ", key)
    return bool(_WORD.search(bare)) and (shown or _SENTENCE.search(bare) is not None)


def _one_line(text: str) -> str:
    return _escaped(text).strip()


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")


def _written(item: Literal, words: str, old: str) -> str:
    """The literal in Python's spelling; the spaces around the English words stay around the Korean ones."""
    if item.kind == "comment":
        return words
    value = ast.parse(old.strip() if "\n" not in old else f"({old})", mode="eval").body
    first, last = _ends(value)
    words = first + words.replace("\\n", "\n") + last
    if item.kind == "f":
        body = words.replace('"', '\\"') if '"' in words else words
        return 'f"' + body.replace("\n", "\\n") + '"'
    words = words.replace("\\\\", "\\")
    if old[:3].lower().endswith('"""') or old.startswith('"""'):
        return f'"""{words}"""'
    if old[:1] in "rR" and '"' not in words:
        return f'r"{words}"'
    return '"' + words.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _ends(value: ast.expr) -> tuple[str, str]:
    """The blank space at both ends of a literal."""
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    head = parts[0].value if parts and isinstance(parts[0], ast.Constant) else ""
    tail = parts[-1].value if parts and isinstance(parts[-1], ast.Constant) else ""
    escaped = str.maketrans({"\n": "\\n"}) if isinstance(value, ast.JoinedStr) else {}
    return head[: len(head) - len(head.lstrip())].translate(escaped), tail[len(tail.rstrip()) :].translate(escaped)


def _bare(source: str) -> str:
    return ast.dump(_Blank().visit(ast.parse(source)))


def _bare_expression(node: ast.FormattedValue) -> str:
    return ast.dump(_Blank().visit(ast.parse(ast.unparse(ast.JoinedStr([node])), mode="eval")))


class _Blank(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return ast.Constant("") if isinstance(node.value, str) else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Korean may put the values in another order; their formats stay."""
        kept = [value for value in node.values if isinstance(value, ast.FormattedValue)]
        inner = []
        for value in kept:
            form = value.format_spec
            bare = ast.FormattedValue(self.visit(value.value), value.conversion, None)
            inner.append((ast.dump(bare), ast.unparse(form) if form else ""))
        return ast.Tuple([ast.Constant(repr(sorted(inner)))], ast.Load())
