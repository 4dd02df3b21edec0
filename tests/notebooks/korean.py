"""The Korean edition: notebooks/text/NAME.md and notebooks/ko/text/NAME.md -> the Korean notebook, not yet run.

A Korean text holds prose. The head of each of its cells names the English cell that it translates (`of`: the id that
build.py gives a cell, a digest of its text), so a changed English cell is noticed. Code comes from the English text:
only words in string literals and comments are replaced, by pairs in ```{strings} blocks (an English line, a Korean
line, a blank line; a Korean line `=` leaves the English, `?` is still to do). Exercises, recall questions and claims
come from course/chapters/chNN/ko.toml. notebooks/ko/HOW.md says how a chapter is translated.

    python -m tests.notebooks.korean todo NAME         write what is missing into the Korean text and ko.toml (English)
    python -m tests.notebooks.korean check [NAME ...]  what is missing, behind, or not faithful
    python -m tests.notebooks.korean mark NAME         note in the text which cells are behind: the check then passes
"""

from __future__ import annotations

import argparse
import copy
import difflib
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import jupytext
from nbformat import NotebookNode

from course.check import build, registry
from course_lib.language import speaking
from tests.notebooks import catalogue
from tests.notebooks.environment import ROOT
from tests.notebooks.faithful import faults_of
from tests.notebooks.literals import fields, literals, put, same_code

TEXTS = ROOT / "notebooks" / "ko" / "text"
BEHIND = "(이 부분은 영어판이 바뀌어 다시 옮기고 있습니다.)"
_BLOCK = re.compile(r"```\{strings\}\n(.*?)\n?```", re.DOTALL)
_EXERCISE = re.compile(r"### (?:Exercise|Build) (\d+\.(?:\d+|B)) · ")
_STARTER = re.compile(r'^    \.\.\.\n\n\ncheck\("(\d+\.\d+)"', re.MULTILINE)
_START = re.compile(r"course_lib\.start\((\w+|\"\w+\")\)")


class KoreanError(Exception):
    """A Korean text that cannot be read: file, line, what to do."""


@dataclass
class Cell:
    """A cell of a Korean text. of: the English cell's id; behind: the id of the English that it still says; todo: its
    words are still English; pairs: English -> Korean, of the code below it."""

    of: str
    source: str
    behind: str = ""
    todo: bool = False
    pairs: dict[str, str] = field(default_factory=dict)
    line: int = 0


@dataclass
class Edition:
    path: Path
    draft: bool  # cells without Korean are shown in English; else they are a fault
    cells: list[Cell]

    @property
    def pairs(self) -> dict[str, str]:
        """Of the whole chapter, without those still to do."""
        return {key: words for cell in self.cells for key, words in cell.pairs.items() if words != "?"}

    @property
    def done(self) -> list[Cell]:
        """The cells that are in Korean."""
        return [cell for cell in self.cells if not cell.todo]


# ---- reading and writing


def _named(path: Path) -> str:
    """As a message names it: the English text has the same file name."""
    return f"ko/text/{path.name}"


def read(path: Path) -> Edition:
    """Raises KoreanError for a head that is none, a cell without `of`, two cells of one English cell, and a pair that
    is none."""
    text, name = path.read_text(encoding="utf-8"), _named(path)
    try:
        notebook = jupytext.reads(text, fmt={"extension": ".md", "format_name": "myst"})
    except Exception as error:  # jupytext raises what its parsers raise
        raise KoreanError(f"{name} cannot be read ({error}). A cell begins with a line +++ {{...}}.") from error
    if (stage := notebook.metadata.get("edition")) not in ("draft", "complete"):
        raise KoreanError(f"{name}: its head says edition: {stage}. Write `edition: draft` or `edition: complete`.")
    cells: list[Cell] = []
    lines = [n for n, line in enumerate(text.split("\n"), start=1) if line.startswith("+++")]
    for cell, line in zip(notebook.cells, lines, strict=False):
        if "of" not in cell.metadata:
            raise KoreanError(f'{name}, line {line}: a cell without its English. Write `+++ {{"of": "ID"}}`.')
        pairs = _pairs(cell.source, f"{name}, below line {line}")
        source = _BLOCK.sub("", cell.source).strip("\n")
        if "```{strings}" in source:
            raise KoreanError(f"{name}, below line {line}: a strings block has no end. Close it with ```.")
        head = cell.metadata
        cells.append(Cell(head["of"], source, head.get("behind", ""), bool(head.get("todo")), pairs, line))
    ids = [cell.of for cell in cells]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise KoreanError(f"{name}: two cells of the English cell {twice[0]}. Keep one.")
    known: dict[str, str] = {}
    for cell in cells:
        for english, korean in cell.pairs.items():
            if known.setdefault(english, korean) != korean:
                raise KoreanError(f"{name}, below line {cell.line}: two Korean texts for {english!r}. Keep one.")
    return Edition(path, stage == "draft", cells)


def _pairs(source: str, where: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for block in _BLOCK.findall(source):
        for pair in filter(None, re.split(r"\n(?:[ \t]*\n)+", block.strip("\n"))):
            if pair.count("\n") != 1:
                raise KoreanError(
                    f"{where}: not a pair of two lines (English, then Korean, then a blank line):\n{pair}"
                )
            english, korean = (part.strip() for part in pair.split("\n"))
            pairs[english] = korean
    return pairs


def written(edition: Edition) -> str:
    """The file of this edition: heads, Korean, pairs."""
    parts = [f"---\nedition: {'draft' if edition.draft else 'complete'}\n---"]
    for cell in edition.cells:
        head = (
            {"of": cell.of} | ({"behind": cell.behind} if cell.behind else {}) | ({"todo": True} if cell.todo else {})
        )
        parts += [f"+++ {json.dumps(head)}", cell.source] if cell.source else [f"+++ {json.dumps(head)}"]
        if cell.pairs:
            pairs = "\n\n".join(f"{english}\n{korean}" for english, korean in cell.pairs.items())
            parts.append(f"```{{strings}}\n{pairs}\n```")
    return "\n\n".join(parts) + "\n"


# ---- the Korean notebook


def unexecuted(text: Path) -> NotebookNode:
    """The Korean notebook of notebooks/ko/text/NAME.md. Raises KoreanError as `read` does."""
    from tests.notebooks.build import from_text

    return korean_notebook(from_text(text.parents[2] / "text" / text.name), read(text))


def korean_notebook(english: NotebookNode, edition: Edition) -> NotebookNode:
    """The English notebook in Korean: same cells, ids, tags, slides and code."""
    notebook = copy.deepcopy(english)
    known = {cell.of: cell for cell in edition.done}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            source = _korean_starter(cell.source) or put(cell.source, edition.pairs)
            cell.source = _START.sub(r'course_lib.start(\1, language="ko")', source, count=1)
        elif exercise := _EXERCISE.match(cell.source):
            with speaking("ko"):
                cell.source = (build.find(exercise.group(1)) or registry.find(exercise.group(1))).markdown
        elif cell.id in known:
            found = known[cell.id]
            # written as in English, and a folder deeper
            cell.source = found.source.replace("](../", "](../../") + (f"\n\n{BEHIND}" if found.behind else "")
    return notebook


def _korean_starter(source: str) -> str | None:
    """The cell that a reader fills, in Korean; None for any other cell."""
    if (form := _STARTER.search(source)) is None:
        return None
    with speaking("ko"):
        return registry.find(form.group(1)).starter


# ---- what is wrong, and what is missing


def problems(english: NotebookNode, edition: Edition) -> list[str]:
    """Everything that is wrong; an empty list when the Korean says what the English says today."""
    found = list(_cell_faults(english, edition))
    sources = [cell.source for cell in english.cells if cell.cell_type == "code" and not _STARTER.search(cell.source)]
    keys = {item.key: item for source in sources for item in literals(source)}
    where = f"{_named(edition.path)}, strings"
    if not edition.draft:
        found += [f"{where}: no Korean for {k!r}" for k, i in keys.items() if i.shown and k not in edition.pairs]
    for words, korean in edition.pairs.items():
        if words not in keys:
            near = difflib.get_close_matches(words, keys, 1, 0.6)
            found.append(f"{where}: the chapter has no {words!r}" + (f"; is it now {near[0]!r}?" if near else ""))
        elif korean != "=" and keys[words].kind == "f" and _fields(words) != _fields(korean):
            found.append(f"{where}: other {{values}} than in {words!r}: {korean!r}")
        if rare := sorted({s for s in korean if "가" <= s <= "힣" and len(s.encode("euc_kr", "ignore")) != 2}):
            found.append(f"{where}: {', '.join(rare)} is not in the font of the figures: {korean!r}")
    for source in sources:
        if not same_code(source, put(source, edition.pairs)):
            found.append(f"{where}: a pair changes the code of\n{source}")
    return found


def _fields(template: str) -> object:
    try:
        return fields(template)
    except SyntaxError as error:
        return str(error)


def _cell_faults(english: NotebookNode, edition: Edition) -> Iterator[str]:
    prose = {c.id: c for c in prose_of(english)}
    name = _named(edition.path)
    for korean, now in aligned(list(prose.values()), edition.cells):
        if korean is None or (korean.todo and now is not None):
            if not edition.draft:
                yield f"{name}: no Korean for the English cell {now.id} ({_title(now.source)})"
        elif now is None:
            yield f"{name}, line {korean.line}: its English cell {korean.of} is gone. Delete it."
        elif korean.of != now.id:
            yield (
                f"{name}, line {korean.line} ({_title(korean.source)}): the English has changed, {korean.of} is now "
                f"{now.id}:\n{changes(edition.path.stem, korean.of, now.source)}"
            )
        elif not korean.behind:
            yield from (f"{name}, line {korean.line}: {fault}" for fault in faults_of(now.source, korean.source))
    order = [list(prose).index(c.of) for c in edition.cells if c.of in prose]
    if order != sorted(order):
        yield f"{name}: its cells stand in another order than the English ones"


def prose_of(english: NotebookNode) -> list[NotebookNode]:
    """The cells that a Korean text translates: exercises come from the catalogue."""
    return [c for c in english.cells if c.cell_type == "markdown" and not _EXERCISE.match(c.source)]


def aligned(prose: Sequence[NotebookNode], cells: Sequence[Cell]) -> list[tuple[Cell | None, NotebookNode | None]]:
    """Korean and English cells in pairs: by id where it fits, else by their place between two that fit."""
    ids, own = [c.id for c in prose], [c.of for c in cells]
    known = set(own) & set(ids)
    pairs: list[tuple[Cell | None, NotebookNode | None]] = [(c, prose[ids.index(c.of)]) for c in cells if c.of in known]
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, own, ids, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        left = [c for c in cells[i1:i2] if c.of not in known]
        right = [c for c in prose[j1:j2] if c.id not in known]
        both = min(len(left), len(right))
        pairs += zip(left[:both], right[:both], strict=True)
        pairs += [(c, None) for c in left[both:]] + [(None, c) for c in right[both:]]
    return pairs


def changes(name: str, old_id: str, now: str) -> str:
    """The English that was translated against the English of today, word by word: [-gone-] {+new+}."""
    if (old := _from_history(name, old_id)) is None:
        return f"    (what was translated is not in this clone's history)\n    {now}"
    a, b = re.findall(r"\S+|\n", old), re.findall(r"\S+|\n", now)
    out = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            words = a[i1:i2]
            out.append(" ".join(words if len(words) < 14 else [*words[:6], "…", *words[-6:]]))
        else:
            out += [f"[-{' '.join(a[i1:i2])}-]"] * (i2 > i1) + [f"{{+{' '.join(b[j1:j2])}+}}"] * (j2 > j1)
    return "    " + re.sub(r"\s*\n\s*", " ", " ".join(out))


def _from_history(name: str, old_id: str) -> str | None:
    """The source of a cell of an earlier version of notebooks/text/NAME.md, by its id."""
    from tests.notebooks.build import with_ids

    path, git = f"notebooks/text/{name}.md", ["git", "-C", str(ROOT)]
    log = subprocess.run([*git, "log", "--format=%H", "--", path], capture_output=True, text=True)
    for commit in log.stdout.split():
        blob = subprocess.run([*git, "show", f"{commit}:{path}"], capture_output=True, text=True, encoding="utf-8")
        if blob.returncode == 0:
            for cell in with_ids(blob.stdout).cells:
                if cell.id == old_id:
                    return cell.source
    return None


def mark(english: NotebookNode, edition: Edition) -> int:
    """Note in `edition` which cells are behind their English. Returns how many were marked now."""
    n = 0
    for korean, now in aligned(prose_of(english), edition.cells):
        if korean is not None and now is not None and korean.of != now.id:
            korean.behind, korean.of = korean.behind or korean.of, now.id
            n += 1
    return n


def todo(english: NotebookNode, edition: Edition) -> int:
    """Put what has no Korean yet into `edition`, in its place, in English. Returns how many cells and strings."""
    n, place, last = 0, 0, None
    seen = {key for cell in edition.cells for key in cell.pairs}
    for cell in english.cells:
        if cell.cell_type == "markdown" and not _EXERCISE.match(cell.source):
            known = [i for i, c in enumerate(edition.cells) if c.of == cell.id]
            if not known:
                edition.cells.insert(place, Cell(cell.id, cell.source, todo=True))
                n += 1
            place = (known[0] if known else place) + 1
            last = edition.cells[place - 1]
        elif cell.cell_type == "code" and last is not None and not _STARTER.search(cell.source):
            due = [item.key for item in literals(cell.source) if item.shown and item.key not in seen]
            last.pairs |= dict.fromkeys(due, "?")
            seen |= set(due)
            n += len(set(due))
    return n


def _title(source: str) -> str:
    return source.strip().split("\n")[0][:60]


# ---- commands


def edition_of(name: str, texts: Path = TEXTS) -> tuple[NotebookNode, Edition]:
    """The English notebook called `name` and its Korean text; an empty draft where there is none."""
    from tests.notebooks.build import from_text

    source = texts.parents[1] / "text" / f"{name}.md"
    if not source.exists():
        raise KoreanError(f"There is no notebooks/text/{name}.md. A chapter's name looks like 04_elmo.")
    path = texts / f"{name}.md"
    return from_text(source), read(path) if path.exists() else Edition(path, True, [])


def standing(english: NotebookNode, edition: Edition) -> str:
    """One line: how much of a chapter's text is Korean."""
    code = [c.source for c in english.cells if c.cell_type == "code" and not _STARTER.search(c.source)]
    due = {item.key for source in code for item in literals(source) if item.shown}
    behind = sum(bool(cell.behind) for cell in edition.cells)
    stage = "draft" if edition.draft else "complete"
    return (
        f"{edition.path.stem}: {stage}; cells {len(edition.done)} / {len(prose_of(english))}, {behind} behind; "
        f"strings {len(due & edition.pairs.keys())} / {len(due)}"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks.korean", description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("check", "todo", "mark"))
    parser.add_argument("names", nargs="*", metavar="NAME")
    chosen = parser.parse_args(arguments)
    every = sorted(p.stem for p in (ROOT / "notebooks" / "text").glob("*.md"))
    if chosen.what in ("todo", "mark") and not chosen.names:
        parser.error(f"{chosen.what} needs a chapter's name: one of {', '.join(every)}")
    try:
        return min(1, sum(_DO[chosen.what](name) for name in chosen.names or every))
    except KoreanError as error:
        print(error, file=sys.stderr)
        return 1


def faults(english: NotebookNode, edition: Edition) -> list[str]:
    """Everything that is wrong with a Korean text and with the catalogue of its chapter."""
    return problems(english, edition) + catalogue.faults(edition.path.stem, complete=not edition.draft)


def _check(name: str) -> int:
    both = edition_of(name)
    found = faults(*both)
    print("\n".join([*found, standing(*both)]))
    return bool(found)


def _todo(name: str) -> int:
    english, edition = edition_of(name)
    n = todo(english, edition)
    edition.path.parent.mkdir(parents=True, exist_ok=True)
    edition.path.write_text(written(edition), encoding="utf-8")
    print(f"{edition.path.relative_to(ROOT)}: {n} cells and strings to translate were added")
    print(*catalogue.todo(name), sep="\n")
    return 0


def _mark(name: str) -> int:
    english, edition = edition_of(name)
    print(f"{name}: {mark(english, edition)} cells marked as behind")
    edition.path.write_text(written(edition), encoding="utf-8")
    return 0


_DO = {"check": _check, "todo": _todo, "mark": _mark}

if __name__ == "__main__":
    sys.exit(main())
