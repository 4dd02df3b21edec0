"""Python source -> the English prose of its docstrings, as sentences of lower-case words. The code is never run.

Left out: doctests and other code blocks, directives, tables, headings with their underlines, bibliographies, names and
types in parameter lists (their descriptions stay), formulas, addresses, mark-up signs.

Words: what stands between two spaces is kept if it is a plain word of letters once its punctuation and mark-up are off
(cut at hyphens and slashes; contractions as in `split_words`). Anything else is dropped whole: identifiers with
underscores, points, digits or inner capitals, calls, numbers, single letters but "a" and "i". So a sentence may have
gaps. A sentence of fewer than four words, without any function word, or less than 60 % plain words is not prose.
"""

from __future__ import annotations

import ast
import inspect
import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from course_lib.text.words import split_sentences, split_words

MAX_BYTES = 3_000_000  # larger source files are generated tables
MIN_SHARE = 0.25  # of a file between triple quotes; below, more than a third of all code holds an eighth of the text

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_ADDERS = ("add_docstr", "add_newdoc", "_add_docstr")  # how PyTorch, NumPy and SciPy document what is written in C

_RULE = re.compile(r"[-=~^*#\"'`+.:_|\s]{3,}")  # underline of a heading, border of a table
_SPOKEN = re.compile(
    r"\.\. (?:note|warning|tip|hint|important|caution|attention|seealso)::\s*"
)  # directives that hold prose
_BULLET = re.compile(r"(?:[-*+•]|\d+[.)]|\(\w\)|#\.)\s+")
_NUMPY_ENTRY = re.compile(r"[*\w`.,\[\]() -]{1,60}? : ")
_GOOGLE_ENTRY = re.compile(r"[*`]*\w+[*`]*(?: ?\([^()]*\))?:(?:\s+|\Z)")
_FIELD = re.compile(r":(\w+)[^:`]*:(?:\s+|\Z)")
_COLUMNS = re.compile(r"\S {3,}\S|\|.*\|")

_NOT_PROSE = re.compile(r":math:`[^`]*`|\$[^$]*\$|\w+://\S+|\[[^\]\s]{1,20}\]_|<[^<>]*>")
_MARKED = re.compile(r"(?::[\w:-]+:)?(`+)~?([^`]*)\1_*")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z' -]*")
_CHUNK = re.compile(r"[A-Za-z]+(?:[-'’/][A-Za-z]+)*")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|n't")  # an inner capital is a sign of an identifier
_ALONE = ("a", "A", "i", "I")
_EDGES = ".,;:!?()[]{}\"'“”‘’`*<>…"
_FUNCTION_WORDS = frozenset(
    "a an the of to in is are be and or for if that this with by as on from not it at can will which when has".split()  # noqa: SIM905
)


def docstrings(source: bytes) -> Iterator[str]:
    """The docstrings of a module, its classes and functions, and texts attached by `add_docstr` and the like, in order.

    Raises SyntaxError, ValueError, RecursionError or MemoryError if `source` is not Python.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes and the like are not our business
        todo: list[ast.AST] = [ast.parse(source)]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr):
            yield from _added(node.value)
            continue
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            text = node.body[0].value.value
            if isinstance(text, str):
                yield text
        inner = (*_DOCUMENTED, ast.Expr) if isinstance(node, ast.Module) else _DOCUMENTED
        todo += [child for child in reversed(node.body) if isinstance(child, inner)]


def _added(call: ast.expr) -> Iterator[str]:
    if not isinstance(call, ast.Call):
        return
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in _ADDERS:
        for part in ast.walk(call):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and "\n" in part.value:
                yield part.value


def paragraphs(docstring: str) -> Iterator[str]:
    """The paragraphs, list items and parameter descriptions of a docstring, one line each, mark-up still inside."""
    block: list[str] = []  # lines of the paragraph being read
    last = 0  # indent of its latest line
    hanging = False  # its first line began with a bullet or a name, so deeper lines go on
    hidden: int | None = None  # lines deeper than this are code
    code = fence = bibliography = False
    lines = [*inspect.cleandoc(docstring).splitlines(), ""]
    for above, line in zip(["", *lines], lines, strict=False):
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if text.startswith("```"):
            fence = not fence
            text = ""
        if not text or fence:
            if block:
                yield " ".join(block)
            block, code = [], False
            continue
        if hidden is not None and indent <= hidden:
            hidden = None
        code = code or text.startswith((">>>", "In ["))
        if hidden is not None or code:
            continue
        if not text[0].isalnum() and _RULE.fullmatch(text):
            if above.strip():  # the underline of a heading
                bibliography = above.strip() in ("References", "Bibliography")
                block = []
            continue
        prefix, opens = "", False  # what goes from the start of the line; whether it opens a hanging paragraph
        if text.startswith(".. "):
            directive = _SPOKEN.match(text)
            hidden = hidden if directive else indent
            prefix = directive[0] if directive else text
        elif bibliography or _COLUMNS.search(text) or _NUMPY_ENTRY.match(text):
            prefix = text
        elif match := text[0] == ":" and _FIELD.match(text):
            prefix, opens = (text if match[1] in ("type", "rtype", "vartype") else match[0]), True
        elif match := _BULLET.match(text) or ((not block or hanging or indent != last) and _GOOGLE_ENTRY.match(text)):
            prefix, opens = match[0], True
        if block and (prefix or indent < last or (indent > last and not (hanging and len(block) == 1))):
            yield " ".join(block)
            block = []
        if not block:
            hanging = opens
        if text.endswith("::"):
            hidden = indent
        if text := text[len(prefix) :].strip():
            block.append(text)
            last = indent


def sentences(paragraph: str) -> Iterator[list[str]]:
    """The prose sentences of a paragraph as lower-case words (see the rules above)."""
    text = _MARKED.sub(lambda match: match[2] if _PLAIN.fullmatch(match[2]) else " ", _NOT_PROSE.sub(" ", paragraph))
    for sentence in split_sentences(text):
        chunks = [_words_in(chunk) for chunk in sentence.split()]
        words = [word for chunk in chunks for word in chunk]
        n_plain = len(chunks) - chunks.count(())
        if len(words) >= 4 and n_plain >= 0.6 * len(chunks) and not _FUNCTION_WORDS.isdisjoint(words):
            yield words


@lru_cache(maxsize=1 << 16)
def _words_in(chunk: str) -> tuple[str, ...]:
    """The plain words of what stands between two spaces; () if it is anything else."""
    chunk = chunk.strip(_EDGES)
    if not _CHUNK.fullmatch(chunk):
        return ()
    parts = split_words(chunk.replace("’", "'"))
    return tuple(part.lower() for part in parts if part in _ALONE or (len(part) > 1 and _WORD.fullmatch(part)))


def read_prose(path: str | Path) -> list[str] | None:
    """All sentences of a source file, words joined by spaces; None if it is too large, unreadable or no Python."""
    try:
        source = Path(path).read_bytes()
        if len(source) > MAX_BYTES:
            return None
        quoted = [*source.split(b'"""')[1::2], *source.split(b"'''")[1::2]]
        if sum(map(len, quoted)) < MIN_SHARE * len(source):
            return []
        found = list(docstrings(source))
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return [" ".join(words) for text in found for paragraph in paragraphs(text) for words in sentences(paragraph)]
