"""What a stored notebook must be. No kernel and no time stamps: only the text and the file are read."""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from pathlib import Path

import nbformat
from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from course.site.cells import NOTICE
from tests.notebooks.normal_form import normalise, render, texts_of

LONGEST_CELL = 30  # lines
ONE_FILE_MB, ALL_FILES_MB = 1.5, 9.0
SKIPS = {"skip-execution", "nbval-skip"}  # nbclient knows the first, nbval the second
RAISES = {"raises-exception", "nbval-raises-exception"}
HEAD = re.compile(r"#+ |\*\*C\d+\.\d+")  # a section's heading or a claim's: what comes after it is about it
MACHINE_PATH = re.compile(
    r"(?<![\w.~-])/(?:home|Users|tmp|private/var|var/folders|mnt|workspace)/[\w.-]+"
    r"|(?<![\w.~-])/root/|\b[A-Za-z]:\\{1,2}Users\\"
)


def problems_of_all(folder: Path) -> list[str]:
    """What concerns the folder as a whole: no notebook at all, one without a text, too many bytes."""
    notebooks, texts = sorted(folder.glob("*.ipynb")), {path.stem for path in (folder / "text").glob("*.md")}
    problems = [] if texts else [f"no notebook text in {folder.name}/text: nothing was checked"]
    problems += [f"{path.name} has no text/{path.stem}.md" for path in notebooks if path.stem not in texts]
    total = sum(path.stat().st_size for path in notebooks) / 1e6
    if total > ALL_FILES_MB:
        problems.append(f"the notebooks together are {total:.1f} MB, more than {ALL_FILES_MB} MB")
    return problems


def problems_of_one(text: NotebookNode, target: Path, root: Path) -> list[str]:
    """`text`: the notebook its text gives; `target`: the stored .ipynb; `root`: the project's folder."""
    if not target.exists():
        return [f"is missing: run {again(target)}"]
    stored_text = target.read_text(encoding="utf-8")
    stored = nbformat.reads(stored_text, as_version=4)
    if fault := _stale(text, stored):
        return [f"{fault}: run {again(target)}"]  # the rest would speak of an old notebook
    problems = []
    megabytes = len(stored_text.encode()) / 1e6
    if megabytes > ONE_FILE_MB:
        problems.append(f"{megabytes:.1f} MB, more than {ONE_FILE_MB} MB: fewer or smaller outputs")
    for number, cell in enumerate(stored.cells, start=1):
        faults = _faults(cell, root)
        problems += [f"cell {number}: {fault}" for fault in faults]
    problems += _torn_slides(stored.cells)
    if not problems and _form(stored, root) != stored_text:
        problems.append(f"not as the builder writes it: run {again(target)}")
    return problems


def again(target: Path) -> str:
    """What builds that notebook."""
    return f"`make notebooks NAME={target.stem}{' EDITION=ko' * (target.parent.name == 'ko')}`"


def _stale(text: NotebookNode, stored: NotebookNode) -> str | None:
    for number, (want, have) in enumerate(zip(text.cells, stored.cells, strict=False), start=1):
        if any(want.get(key) != have.get(key) for key in ("cell_type", "id", "source", "metadata")):
            return f"cell {number} is not what the text says"
    if len(text.cells) != len(stored.cells):
        return f"{len(stored.cells)} cells, the text has {len(text.cells)}"
    return None


def _form(notebook: NotebookNode, root: Path) -> str:
    notebook = copy.deepcopy(notebook)
    normalise(notebook, root)
    return render(notebook)


def _torn_slides(cells: list[NotebookNode]) -> list[str]:
    """Cells that would stand on a slide under another heading, since their own is skipped (a Notice goes with it)."""
    faults, lost = [], False
    for number, cell in enumerate(cells, start=1):
        skipped = cell.metadata.get("slideshow", {}).get("slide_type") == "skip"
        if cell.cell_type == "markdown" and HEAD.match(cell.source):
            lost = skipped
        elif lost and not skipped and not cell.source.startswith(NOTICE):
            faults.append(
                f"cell {number}: no slide has its heading, so it is under another: give it `slide_type: skip`"
            )
    return faults


def _faults(cell: NotebookNode, root: Path) -> list[str]:
    faults = [f"machine path {path!r} in the text" for path in _machine_paths([cell.source], root)]
    if cell.cell_type != "code":
        return faults
    return faults + _tag_faults(cell) + _source_faults(cell.source) + _output_faults(cell, root)


def _tag_faults(cell: NotebookNode) -> list[str]:
    tags, faults = set(cell.metadata.get("tags", [])), []
    if tags & SKIPS and not tags >= SKIPS:
        faults.append(f"tags {sorted(tags & SKIPS)} need each other: use {' and '.join(sorted(SKIPS))}")
    for kind, word in ((SKIPS, "Skipped"), (RAISES, "Raises")):
        if tags & kind and not re.search(rf"^# {word}: \S+ \S+", cell.source, re.MULTILINE):
            faults.append(f"tag {sorted(tags & kind)} without a reason: add a comment line `# {word}: why`")
    return faults


def _source_faults(source: str) -> list[str]:
    n_lines = len(source.splitlines())
    faults = [f"{n_lines} lines, more than {LONGEST_CELL}: move code to course_lib"] if n_lines > LONGEST_CELL else []
    python = TransformerManager().transform_cell(source)  # %magic and !shell lines become calls
    try:
        ast.parse(python)
    except SyntaxError as error:
        return [*faults, f"is not Python: {error}"]
    if _ends_with_semicolon(python):
        faults.append("ends with `;`, which nbval does not honour: use plt.show() or `_ = ...`")
    return faults


def _ends_with_semicolon(python: str) -> bool:
    layout = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = [t for t in tokenize.generate_tokens(io.StringIO(python).readline) if t.type not in layout]
    return bool(tokens) and tokens[-1].string == ";"


def _output_faults(cell: NotebookNode, root: Path) -> list[str]:
    tags, faults = set(cell.metadata.get("tags", [])), []
    if cell.source.strip() and cell.execution_count is None and not tags & SKIPS:
        faults.append("was not run")
    for output in cell.outputs:
        if output.output_type == "error" and not tags & RAISES:
            faults.append(f"stored error {output.ename}: {output.evalue}")
        if output.output_type == "stream" and output.name == "stderr" and "warning" in output.text.lower():
            faults.append(f"warning noise on stderr: {output.text.strip()[:200]}")
        faults += [f"machine path {path!r} in the output" for path in _machine_paths(texts_of(output), root)]
    return faults


def _machine_paths(texts: list[str], root: Path) -> list[str]:
    found = {match.group() for text in texts for match in MACHINE_PATH.finditer(text)}
    return sorted(found | {str(root) for text in texts if str(root) in text and len(root.parts) > 1})
