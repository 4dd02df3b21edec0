"""notebooks/text/NAME.md (MyST, what people edit) -> notebooks/NAME.ipynb (executed, normalised, what readers open).
In notebooks/ko/ the same for Korean: prose of notebooks/ko/text/NAME.md, code of the English text (korean.py).

    python -m tests.notebooks.build build [NAME ...]    run and write; nothing is written when a cell fails
    python -m tests.notebooks.build check [NAME ...]    no kernel, seconds: is every .ipynb what its text says, and
                                                        every Korean text what the English says?
    ... --edition ko                                    the Korean ones (build: else the English; check: else both)

The kernel runs as in `make test`: without network, one compute thread, the default settings, on the CPU.
"""

from __future__ import annotations

import argparse
import copy
import hashlib
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError

from course_lib.files import atomic_file
from course_lib.language import LANGUAGES
from tests.notebooks import korean
from tests.notebooks.environment import ROOT, named, notebook_environment
from tests.notebooks.normal_form import KERNEL, kept_metadata, normalise, render
from tests.notebooks.rules import problems_of_all, problems_of_one

CELL_TIMEOUT = 600  # seconds: a busy machine may build, as `make test` may run there


class BuildError(Exception):
    """A notebook did not run to its end: which one, which cell, its source, what was raised."""


def from_text(text: Path) -> nbformat.NotebookNode:
    """The unexecuted notebook. Raises KoreanError for a Korean text that cannot be read."""
    if text.parent.parent.name == "ko":
        return korean.unexecuted(text)
    return with_ids(text.read_text(encoding="utf-8"))


def with_ids(text: str) -> nbformat.NotebookNode:
    """The notebook of an English text. Cell ids come from the source, so that they are the same at each conversion."""
    notebook = copy.deepcopy(_converted(text))
    notebook.metadata, notebook.nbformat, notebook.nbformat_minor = nbformat.from_dict(KERNEL), 4, 5
    seen: Counter[str] = Counter()
    for cell in notebook.cells:
        cell.metadata = kept_metadata(cell)
        digest = hashlib.sha256(f"{cell.cell_type}\n{cell.source}".encode()).hexdigest()[:10]
        seen[digest] += 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    return notebook


@cache
def _converted(text: str) -> nbformat.NotebookNode:
    """Once for both editions: this is most of a check's time."""
    return jupytext.reads(text, fmt={"extension": ".md", "format_name": "myst"})


def execute(notebook: nbformat.NotebookNode, folder: Path, timeout: float = CELL_TIMEOUT) -> None:
    """Run all cells in a fresh kernel whose working folder is `folder`. Raises BuildError at the first failure."""
    current = 0

    def remember(cell: nbformat.NotebookNode, cell_index: int) -> None:
        nonlocal current
        current = cell_index

    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        on_cell_start=remember,
        resources={"metadata": {"path": str(folder)}},
    )
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        environment = notebook_environment(Path(scratch))
        os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"  # read when the kernel is looked up
        try:
            try:
                client.execute(env=environment)
            except RuntimeError as error:  # two kernels that start at once may draw the same port; a new draw is free
                if "Kernel didn't respond" not in str(error):
                    raise
                client.execute(env=environment)
        except (CellControlSignal, DeadKernelError, TimeoutError) as error:
            source = notebook.cells[current].source
            raise BuildError(f"cell {current + 1}:\n\n{_indent(source)}\n\n{_reason(notebook, error)}") from error


def build(text: Path, target: Path, timeout: float = CELL_TIMEOUT) -> str:
    """Convert, run, normalise, write. Returns one line on it. Raises BuildError; `target` is then as it was."""
    start = time.monotonic()
    notebook = from_text(text)
    try:
        execute(notebook, target.parent, timeout)
    except BuildError as error:
        raise BuildError(f"{text}, {error}") from error.__cause__
    normalise(notebook, ROOT)
    nbformat.validate(notebook)
    new = render(notebook)
    old = target.read_text(encoding="utf-8") if target.exists() else None
    if new != old:
        with atomic_file(target, "w") as file:
            file.write(new)
    size, seconds = len(new.encode()) / 1000, time.monotonic() - start
    return f"{target.name}: {seconds:.1f} s, {size:.0f} kB, {'the same as before' if new == old else 'written'}"


def check(folder: Path, names: Sequence[str] = ()) -> list[str]:
    """Everything that is wrong with the texts and stored notebooks in `folder`; an empty list when all is well."""
    problems = [] if names else problems_of_all(folder)
    for text in chosen_texts(folder, names):
        target = folder / f"{text.stem}.ipynb"
        try:
            if folder.name == "ko":
                english, edition = korean.edition_of(text.stem, text.parent)
                problems += korean.faults(english, edition)
                notebook = korean.korean_notebook(english, edition)
            else:
                notebook = from_text(text)
            problems += [f"{named(target)}.ipynb: {fault}" for fault in problems_of_one(notebook, target, ROOT)]
        except korean.KoreanError as error:
            problems.append(str(error))
    return problems


def chosen_texts(folder: Path, names: Sequence[str]) -> list[Path]:
    """The texts called `names`, or all. Raises SystemExit for a name without a text."""
    texts = {path.stem: path for path in sorted((folder / "text").glob("*.md"))}
    wanted = [Path(name).name.removesuffix(".md").removesuffix(".ipynb") for name in names] or list(texts)
    if unknown := [name for name in wanted if name not in texts]:
        raise SystemExit(f"No text for {', '.join(unknown)} in {folder / 'text'}. There are: {', '.join(texts)}.")
    return [texts[name] for name in wanted]


def main(arguments: Sequence[str] | None = None, folder: Path = ROOT / "notebooks") -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.notebooks.build", description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("build", "check"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="a notebook's name; none: all")
    parser.add_argument("--edition", choices=LANGUAGES, help="default: to build en, to check each that has the texts")
    chosen = parser.parse_args(arguments)
    korean_folder = folder / "ko"
    asked = {korean_folder if chosen.edition == "ko" else folder: chosen.names}
    if chosen.what == "check":
        if chosen.edition is None:
            texts = [text.stem for text in chosen_texts(folder, chosen.names)]
            translated = [name for name in texts if (korean_folder / "text" / f"{name}.md").exists()]
            asked |= {korean_folder: translated if chosen.names else []} if translated else {}
        problems = [problem for place, names in asked.items() for problem in check(place, names)]
        n = sum(len(chosen_texts(place, names)) for place, names in asked.items())
        print("\n".join(problems) or f"check: {n} notebooks are as their texts say")
        return int(bool(problems))
    ((folder, _),) = asked.items()
    failed = 0
    for text in chosen_texts(folder, chosen.names):
        try:
            print(build(text, folder / f"{text.stem}.ipynb"), flush=True)
        except BuildError as error:
            print(f"FAILED: {error}\n{text.stem}.ipynb was left as it was.", file=sys.stderr, flush=True)
            failed = 1
    return failed


def _reason(notebook: nbformat.NotebookNode, error: Exception) -> str:
    """The kernel's own traceback where a cell raised; else what nbclient says (time-out, dead kernel)."""
    raised = [o for c in notebook.cells for o in c.get("outputs", []) if o.output_type == "error"]
    return "\n".join(raised[-1].traceback) if raised else f"{type(error).__name__}: {error}"


def _indent(source: str) -> str:
    return "\n".join(f"    {line}" for line in source.splitlines())


if __name__ == "__main__":
    sys.exit(main())
